//! The way from a message to the others at its place.

use leptos::prelude::*;
use satchel_core::conversation::Siblings;
use satchel_core::ids::MessageId;
use satchel_core::record::Node;

use super::message::Open;
use crate::state::{Chats, Unsaved};
use crate::ui::parts::{Icon, IconName};

/// The way to the other messages at this place.
#[component]
pub(super) fn BranchSwitch(
    /// The chat.
    open: Open,
    /// The message among its siblings.
    siblings: Siblings,
) -> impl IntoView {
    let (chats, unsaved) = (Chats::expect(), Unsaved::expect());
    let go = move |to: Option<MessageId>| {
        let Some(to) = to else { return };
        let Some(open) = open.get_untracked() else { return };
        let (chat, leaf) = (open.chat.id.clone(), open.tree.latest_leaf(&Node::Message(to)));
        unsaved.after_saving(move || chats.look_at(chat, leaf));
    };
    let Siblings { index, count, previous, next } = siblings;
    let (no_previous, no_next) = (previous.is_none(), next.is_none());
    view! {
        <div class="branch-switch" role="group" aria-label="Branches">
            <button
                class="icon-button"
                type="button"
                aria-label="Previous branch"
                data-testid="branch-prev"
                disabled=no_previous
                on:click=move |_| go(previous.clone())
            >
                <Icon name=IconName::Back small=true />
            </button>
            <span data-testid="branch-count">{format!("{} / {count}", index + 1)}</span>
            <button
                class="icon-button"
                type="button"
                aria-label="Next branch"
                data-testid="branch-next"
                disabled=no_next
                on:click=move |_| go(next.clone())
            >
                <Icon name=IconName::Forward small=true />
            </button>
        </div>
    }
}
