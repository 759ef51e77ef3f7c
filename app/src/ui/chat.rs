//! The chat page: the conversation and the composer under it.

mod composer;
mod conversation;
mod message;
mod welcome;

use leptos::prelude::*;
use leptos_router::hooks::{use_navigate, use_params_map};
use satchel_core::ids::ChatId;

use self::composer::Composer;
use self::conversation::Conversation;
use self::welcome::Welcome;
use super::parts::{EmptyState, IconName};
use crate::state::{Chats, ComposerDraft, Place, Storage};
use crate::work::chats;

/// A chat that has not begun.
#[component]
pub(crate) fn NewChatPage() -> impl IntoView {
    let (all, navigate) = (Chats::expect(), StoredValue::new_local(use_navigate()));
    let begin = move |text: String| {
        all.begin(text, move |id| {
            navigate.with_value(|navigate| navigate(&format!("/ui/chat/{id}"), Default::default()))
        });
    };
    view! {
        <div class="chat">
            <div class="conversation">
                <Welcome />
            </div>
            <Composer draft=ComposerDraft::expect() on_send=begin />
        </div>
    }
}

/// A chat named by its address.
#[component]
pub(crate) fn ChatPage() -> impl IntoView {
    let params = use_params_map();
    let chat_id = Memo::new(move |_| params.read().get("chat_id").unwrap_or_default());
    move || view! { <OneChat id=chat_id.get() /> }
}

/// What reading a chat came to.
#[derive(Clone, PartialEq)]
enum Found {
    Reading,
    Here(ChatId),
    NotHere,
    Unreadable(String),
}

/// One chat. It is read again whenever a chat has changed; the composer stays as it is meanwhile, with its focus.
#[component]
fn OneChat(
    /// Its id, as the address has it.
    id: String,
) -> impl IntoView {
    let (all, storage) = (Chats::expect(), Storage::expect());
    let opened = LocalResource::new(move || {
        all.changes();
        let (store, id) = (storage.store(), id.clone());
        async move { chats::open(store, &id).await.map_err(|error| error.to_string()) }
    });
    let found = Memo::new(move |_| match opened.get() {
        None => Found::Reading,
        Some(Ok(Some(open))) => Found::Here(open.chat.id),
        Some(Ok(None)) => Found::NotHere,
        Some(Err(error)) => Found::Unreadable(error),
    });
    let open = move || opened.get().and_then(Result::ok).flatten();
    move || match found.get() {
        Found::Reading => ().into_any(),
        Found::Here(id) => view! { <Conversation id open /> }.into_any(),
        Found::NotHere => view! { <NotHere /> }.into_any(),
        Found::Unreadable(error) => view! {
            <EmptyState icon=IconName::Chat title="This chat cannot be read">
                <p>{format!("{error}.")}</p>
            </EmptyState>
        }
        .into_any(),
    }
}

/// What stands at the address of a chat that is not on this device.
#[component]
fn NotHere() -> impl IntoView {
    view! {
        <EmptyState icon=IconName::Chat title="This chat is not on this device">
            <p>"It was deleted, or it is on another device. Its address alone does not bring it here."</p>
            <div class="empty-actions">
                <a class="button button-accent" href=Place::Chat.path()>"Go to a new chat"</a>
            </div>
        </EmptyState>
    }
}
