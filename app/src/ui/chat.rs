//! The chat page: the conversation and the composer under it.

mod composer;
mod welcome;

use leptos::prelude::*;

use self::composer::Composer;
use self::welcome::Welcome;
use super::parts::{EmptyState, IconName};
use crate::state::Place;

/// A chat that has not begun.
#[component]
pub(crate) fn NewChatPage() -> impl IntoView {
    view! {
        <div class="chat">
            <div class="conversation">
                <Welcome />
            </div>
            <Composer />
        </div>
    }
}

/// A chat named by its address. There are none on this device, so every such address is of one that is not here.
#[component]
pub(crate) fn ChatPage() -> impl IntoView {
    view! {
        <EmptyState icon=IconName::Chat title="This chat is not on this device">
            <p>"It was deleted, or it is on another device. Its address alone does not bring it here."</p>
            <div class="empty-actions">
                <a class="button button-accent" href=Place::Chat.path()>"Go to a new chat"</a>
            </div>
        </EmptyState>
    }
}
