//! The calls of tools that a message asks for. Their code, and that of everything a result can be shown as, arrives when the first such
//! message is drawn.

use leptos::prelude::*;
use satchel_core::ids::MessageId;
use satchel_core::record::RequestedCall;

use super::Pages;
use super::lazy_page::ask;

/// Which calls are drawn.
#[derive(Clone)]
pub(crate) struct CallsOf {
    /// The message.
    pub(crate) message: MessageId,
    /// What it asks for.
    pub(crate) requested: Vec<RequestedCall>,
}

/// The calls, once what draws them is here; until then their place is kept.
#[component]
pub(crate) fn LazyCalls(
    /// The message.
    id: MessageId,
    /// What it asks for.
    requested: Vec<RequestedCall>,
) -> impl IntoView {
    let bring = expect_context::<Pages>().calls;
    let arrived = RwSignal::new_local(None);
    let count = requested.len();
    provide_context(CallsOf { message: id, requested });
    ask(bring, arrived);
    let ask_again = move |_| {
        arrived.set(None);
        ask(bring, arrived);
    };
    move || match arrived.get() {
        Some(Ok(draw)) => draw(),
        None => (0..count).map(|_| view! { <div class="tool-call-coming"></div> }).collect_view().into_any(),
        Some(Err(_not_arrived)) => view! {
            <p class="tool-call-lost" role="alert">
                "The part of the app that shows tools could not be loaded. Check the connection; nothing was lost. "
                <button class="button button-small" type="button" on:click=ask_again>"Try again"</button>
            </p>
        }
        .into_any(),
    }
}
