//! Calls of tools in a conversation: what each was called with, what came of it, and how that is shown.

mod card;
mod details;
mod waiting;

use leptos::prelude::*;
use satchel_core::record::Node;

use self::card::ToolCallCard;
use super::pages::CallsOf;
use crate::state::{Answers, CallsHome, OpenedChat};

/// The calls that a message asks for; the context [`CallsOf`] says which.
#[component]
pub(crate) fn CallsOfMessage() -> impl IntoView {
    let CallsOf { message, requested } = expect_context();
    let calls = CallsHome::calls();
    let (answers, opened) = (Answers::expect(), OpenedChat::expect());
    // The answers of a round are stored together, so that a call of a message that has none may still wait for its turn.
    let of_wait = message.clone();
    let may_come = Memo::new(move |_| {
        opened.open().is_some_and(|open| {
            answers.coming(&open.chat.id).is_some() && open.tree.children(&Node::Message(of_wait.clone())).is_empty()
        })
    });
    requested
        .into_iter()
        .map(|requested| {
            let (message, id) = (message.clone(), requested.id.clone());
            let row = Memo::new(move |_| calls.row(&message, &id));
            let is_read = Signal::derive(move || calls.is_read());
            view! { <ToolCallCard requested row is_read may_come /> }
        })
        .collect_view()
}
