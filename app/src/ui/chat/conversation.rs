//! An open chat: its title, the messages of the branch that is looked at, and the composer.

use leptos::prelude::*;
use satchel_core::ids::ChatId;
use satchel_core::record::{Message, Role};

use super::composer::Composer;
use super::message::MessageView;
use crate::browser::page;
use crate::state::{
    Answers, CallsHome, Chats, Coming, ComposerDraft, Models, NoticeKind, Notices, Runs, Storage, Unsaved,
};
use crate::ui::pages::{LazyComing, LazyPopup, Pages};
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
    let (answers, models) = (Answers::expect(), Models::expect());
    let of_say = StoredValue::new(id.clone());
    let say = move || {
        let (Some(open), chat) = (untrack(open), of_say.get_value()) else { return };
        if answers.is_coming_untracked(&chat) {
            notices.show(NoticeKind::Warning, "The answer is still coming. Send it once it is there, or stop it.");
            return;
        }
        if runs.answers_soon(&open) {
            // Its answer comes right after the call, so that nothing can be said in between.
            notices
                .show(NoticeKind::Warning, "A tool still runs here. Send it once the tool is done, or stop the tool.");
            return;
        }
        let (parent, written) = (open.leaf.clone(), draft.take());
        unsaved.after_saving(move || {
            chats.say(open, parent, written, move |said| match said {
                Ok(message) => {
                    draft.sent();
                    answers.ask(models, chat, message);
                }
                Err(written) => draft.give_back(written),
            });
        });
    };
    // A chat opens at its newest message, and what the user says is in view; another branch is shown from the same place, and an answer
    // takes nobody to the end who reads elsewhere.
    Effect::new(move |before: Option<usize>| {
        let is_users = |message: &&Message| message.role == Role::User;
        let messages = open().map_or(0, |open| open.tree.messages().filter(is_users).count());
        if before.is_none_or(|before| before < messages) {
            request_animation_frame(|| page::reveal_end(MESSAGES));
        }
        messages
    });
    let (of_coming, of_composer) = (id.clone(), id.clone());
    let has_end = Memo::new(move |_| answers.coming(&of_coming).is_some() || answers.ended(&of_coming).is_some());
    view! {
        <div class="chat">
            {move || open().map(|open| view! { <ChatHead open /> })}
            <div class="conversation" id=MESSAGES>
                <Messages open=Signal::derive(open) />
                {move || has_end.get().then(|| view! { <LazyComing chat=id.clone() /> })}
            </div>
            <Composer draft on_send=say answering=Some(of_composer) />
        </div>
    }
}

/// The title, which can be changed in place, and the way to delete the chat.
#[component]
fn ChatHead(
    /// The chat.
    open: OpenChat,
) -> impl IntoView {
    let (chats, bring_export, exports) = (Chats::expect(), expect_context::<Pages>().export, RwSignal::new(0_u32));
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
                aria-label="Export this chat as Markdown"
                title="Export this chat as Markdown"
                data-testid="chat-export"
                on:click=move |_| exports.update(|count| *count += 1)
            >
                <Icon name=IconName::Download />
            </button>
            // Drawn anew with every press, which exports it.
            {move || (exports.get() > 0).then(|| view! { <LazyPopup bring=bring_export /> })}
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
    let answers = Answers::expect();
    let messages = move || {
        let Some(open) = open.get() else { return Vec::new() };
        let path = open.tree.path(&open.leaf);
        // An answer that is coming stands in the place of the one before.
        let coming = answers.coming(&open.chat.id);
        let is_new = |coming: &Coming| coming.message.as_ref().is_none_or(|id| open.tree.message(id).is_none());
        let below = coming.filter(is_new).map(|coming| coming.below);
        let shown = below.and_then(|below| path.iter().position(|message| message.id == below));
        let path = path.into_iter().take(shown.map_or(usize::MAX, |index| index + 1));
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
