//! The messages of the branch that is looked at.

use std::collections::BTreeSet;

use leptos::prelude::*;
use satchel_core::conversation::left_out;
use satchel_core::ids::MessageId;
use satchel_core::order;
use satchel_core::record::{Message, Role};
use satchel_core::tool_run::is_invoked_by_user;

use super::blocks::Blocks;
use super::message::MessageView;
use crate::state::Answers;
use crate::work::chats::OpenChat;

/// The messages. Those that stay stay as they are drawn, whatever else changes in the chat.
#[component]
pub(super) fn Messages(
    /// The chat.
    open: Signal<Option<OpenChat>>,
) -> impl IntoView {
    let title = move || open.with(|open| open.as_ref().map(|open| open.chat.title.clone()));
    let lost = Memo::new(move |_| open.with(|open| open.as_ref().map_or(0, |open| open.tree.faults().len())));
    let note = move || {
        (lost.get() > 0).then(|| {
            let words = match lost.get() {
                1 => "1 message has lost the one it replied to and is shown as a first message.".to_owned(),
                count => {
                    format!("{count} messages have lost the ones they replied to and are shown as first messages.")
                }
            };
            view! { <p class="chat-note">{words}</p> }
        })
    };
    let answers = Answers::expect();
    // Ids alone: with most news nothing of this has changed, and then nothing is looked at again.
    let shown = Memo::new(move |_| {
        open.with(|open| {
            let Some(open) = open else { return Vec::new() };
            let path = open.tree.path(&open.leaf);
            // An answer that is coming stands in the place of the one before.
            let below = answers.drawn(&open.chat.id).filter(|coming| !coming.is_stored(&open.tree));
            let end = below.and_then(|coming| path.iter().position(|message| message.id == coming.below));
            let path = path.into_iter().take(end.map_or(usize::MAX, |index| index + 1));
            // What a tool answered is told by the call it answers.
            path.filter(|message| message.role != Role::Tool).map(|message| message.id.clone()).collect::<Vec<_>>()
        })
    });
    let unsent = Memo::new(move |_| open.with(|open| open.as_ref().map(unsent).unwrap_or_default()));
    let message = move |id: &MessageId| -> Option<(Message, bool)> {
        open.with_untracked(|open| {
            let tree = &open.as_ref()?.tree;
            let goes_on = tree.parent(id).is_some_and(|above| tree.is_within_answer(above));
            let message = tree.message(id)?;
            Some((message.clone(), goes_on && message.role == Role::Assistant && !is_invoked_by_user(message)))
        })
    };
    let draw = move |id: MessageId| {
        message(&id).map(|(message, goes_on)| {
            let is_unsent = Memo::new(move |_| unsent.with(|unsent| unsent.contains(&id)));
            view! { <MessageView open message goes_on is_unsent /> }
        })
    };
    view! {
        <h1 class="visually-hidden">{title}</h1>
        {note}
        <ol class="messages">
            <Blocks shown draw />
        </ol>
    }
}

/// What the model was not sent for the last answer of the branch (R320).
fn unsent(open: &OpenChat) -> BTreeSet<MessageId> {
    let path = open.tree.path(&open.leaf);
    let last = path.iter().rev().find(|message| message.role == Role::Assistant);
    last.map(|answer| order::set_of(left_out(answer))).unwrap_or_default()
}
