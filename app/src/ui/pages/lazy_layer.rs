//! What lies over every page and is brought once the page has nothing better to do.

use std::time::Duration;

use leptos::prelude::*;

use super::{Bring, Draw};
use crate::browser::spawn::spawn;
use crate::browser::{clock, page};

/// The layer, once it is here. It is asked for until it arrives: the worker that runs tools waits for it.
#[component]
pub(crate) fn LazyLayer(
    /// How it is brought.
    bring: Bring,
) -> impl IntoView {
    let arrived = RwSignal::new_local(None::<Draw>);
    page::when_idle(move || {
        spawn(async move {
            let mut pause = Duration::from_secs(1);
            loop {
                if let Ok(draw) = bring().await {
                    arrived.try_set(Some(draw));
                    break;
                }
                clock::wait(pause).await;
                pause = (pause * 2).min(Duration::from_secs(60));
            }
        });
    });
    move || arrived.get().map(|draw| draw())
}
