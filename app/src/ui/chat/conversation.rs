//! An open chat: its title, the messages of the branch that is looked at, and the composer.

use leptos::prelude::*;
use satchel_core::ids::ChatId;
use satchel_core::record::Role;

use super::composer::Composer;
use super::message::MessageView;
use crate::browser::page;
use crate::state::{CallsHome, Chats, ComposerDraft, NoticeKind, Notices, Runs, Storage, Unsaved};
use crate::ui::parts::{Icon, IconName};
use crate::work::chats::OpenChat;

/// The id of what scrolls.
const MESSAGES: &str = "messages";

/// An open chat.
#[component]
pub(crate) fn Conversation(
    /// Its id.
    id: ChatId,
    /// The chat as it was last read.
    open: impl Fn() -> Option<OpenChat> + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let (chats, unsaved) = (Chats::expect(), Unsaved::expect());
    provide_context(CallsHome::here());
    let draft = ComposerDraft::of_chat(&id, Storage::expect(), Notices::expect());
    let (runs, notices) = (Runs::expect(), Notices::expect());
    let say = move |text: String| {
        let Some(open) = untrack(open) else { return false };
        if runs.answers_soon(&open) {
            // Its answer comes right after the call, so that nothing can be said in between.
            notices
                .show(NoticeKind::Warning, "A tool still runs here. Send it once the tool is done, or stop the tool.");
            return false;
        }
        let parent = open.leaf.clone();
        unsaved.after_saving(move || chats.say(open, parent, text));
        true
    };
    // A chat opens at its newest message, and what was said is in view; another branch is shown from the same place.
    Effect::new(move |before: Option<usize>| {
        let messages = open().map_or(0, |open| open.tree.messages().count());
        if before.is_none_or(|before| before < messages) {
            request_animation_frame(|| page::reveal_end(MESSAGES));
        }
        messages
    });
    view! {
        <div class="chat">
            {move || open().map(|open| view! { <ChatHead open /> })}
            <div class="conversation" id=MESSAGES>
                <Messages open=Signal::derive(open) />
            </div>
            <Composer draft on_send=say />
        </div>
    }
}

/// The title, which can be changed in place, and the way to delete the chat.
#[component]
fn ChatHead(
    /// The chat.
    open: OpenChat,
) -> impl IntoView {
    let chats = Chats::expect();
    let (title, for_rename, for_delete) = (open.chat.title.clone(), open.chat.clone(), open.chat);
    view! {
        <header class="chat-head">
            <input
                class="chat-title"
                type="text"
                aria-label="Title of this chat"
                data-testid="chat-title"
                prop:value=title
                on:change=move |event| chats.rename(for_rename.clone(), event_target_value(&event))
            />
            <button
                class="icon-button"
                type="button"
                aria-label="Delete this chat"
                title="Delete this chat"
                data-testid="chat-delete"
                on:click=move |_| chats.delete(for_delete.clone())
            >
                <Icon name=IconName::Delete />
            </button>
        </header>
    }
}

/// The messages of the branch that is looked at. Those that stay stay as they are drawn, whatever else changes in the chat.
#[component]
fn Messages(
    /// The chat.
    open: Signal<Option<OpenChat>>,
) -> impl IntoView {
    let title = move || open.with(|open| open.as_ref().map(|open| open.chat.title.clone()));
    let lost = Memo::new(move |_| open.with(|open| open.as_ref().map_or(0, |open| open.tree.faults().len())));
    let note = move || {
        (lost.get() > 0).then(|| {
            let words = format!("{} messages have lost what they answered, and are shown from the start.", lost.get());
            view! { <p class="chat-note">{words}</p> }
        })
    };
    // What a tool answered is told by the call it answers.
    let messages = move || {
        let open = open.get();
        let path = open.iter().flat_map(|open| open.tree.path(&open.leaf));
        path.filter(|message| message.role != Role::Tool).cloned().collect::<Vec<_>>()
    };
    view! {
        <h1 class="visually-hidden">{title}</h1>
        {note}
        <ol class="messages">
            <For each=messages key=|message| message.id.clone() let:message>
                <MessageView open message />
            </For>
        </ol>
    }
}
