//! What opens over a page at a press, and whose code arrives when it is first opened.

use leptos::prelude::*;

use super::Bring;
use super::lazy_page::ask;

/// The popup, once it is here.
#[component]
pub(crate) fn LazyPopup(
    /// How it is brought.
    bring: Bring,
) -> impl IntoView {
    let arrived = RwSignal::new_local(None);
    ask(bring, arrived);
    move || match arrived.get() {
        None => ().into_any(),
        Some(Ok(draw)) => draw(),
        Some(Err(_not_arrived)) => {
            let words = "This part of the app could not be loaded. Check the connection and try again.";
            view! { <p class="field-error" role="alert">{words}</p> }.into_any()
        }
    }
}
