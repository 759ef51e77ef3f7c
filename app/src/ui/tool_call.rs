//! Calls of tools in a conversation: what each was called with, what came of it, and how that is shown.

mod card;
mod details;

use leptos::prelude::*;

use self::card::ToolCallCard;
use super::pages::CallsOf;
use crate::browser::viewport;
use crate::state::CallsHome;

/// The calls that a message asks for; the context [`CallsOf`] says which.
#[component]
pub(crate) fn CallsOfMessage() -> impl IntoView {
    let CallsOf { message, requested } = expect_context();
    let calls = CallsHome::calls();
    // What is drawn late makes the conversation longer.
    viewport::keep_end("messages");
    requested
        .into_iter()
        .map(|requested| {
            let (message, id) = (message.clone(), requested.id.clone());
            let row = Memo::new(move |_| calls.row(&message, &id));
            let is_read = Signal::derive(move || calls.is_read());
            view! { <ToolCallCard requested row is_read /> }
        })
        .collect_view()
}
