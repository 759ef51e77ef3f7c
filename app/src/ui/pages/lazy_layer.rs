//! What lies over every page, and is brought without being asked for.

use std::time::Duration;

use leptos::prelude::*;

use super::{Bring, Draw};
use crate::browser::spawn::spawn;
use crate::browser::{clock, page, style_sheet};

/// When a layer is brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// As soon as the page is drawn: it is nothing to be seen.
    Now,
    /// Once the page has nothing better to do.
    Idle,
}

/// The layer, once it is here. It is asked for until it arrives: the worker that runs tools waits for it.
#[component]
pub(crate) fn LazyLayer(
    /// How it is brought.
    bring: Bring,
    /// When it is.
    #[prop(default = When::Idle)]
    when: When,
) -> impl IntoView {
    let arrived = RwSignal::new_local(None::<Draw>);
    let begin = move || {
        let styles = (when == When::Idle).then(style_sheet::later);
        let drawn = page::when_drawn();
        spawn(async move {
            drawn.await;
            let mut pause = Duration::from_secs(1);
            loop {
                if let Ok(draw) = bring().await {
                    if let Some(styles) = styles {
                        styles.await;
                    }
                    arrived.try_set(Some(draw));
                    break;
                }
                clock::wait(pause).await;
                pause = (pause * 2).min(Duration::from_secs(60));
            }
        });
    };
    match when {
        When::Now => begin(),
        When::Idle => page::when_idle(begin),
    }
    move || arrived.get().map(|draw| draw())
}
