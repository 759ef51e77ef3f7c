//! An open chat: its title, the messages of the branch that is looked at, and the composer.

use leptos::prelude::*;
use satchel_core::ids::ChatId;
use satchel_core::record::{Message, Node, Role};

use super::composer::Composer;
use super::messages::Messages;
use crate::browser::{page, viewport};
use crate::state::{Answers, CallsHome, Chats, ComposerDraft, Models, NoticeKind, Notices, Runs, Storage, Unsaved};
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
        if answers.is_in_the_way(&chat, notices) {
            return;
        }
        if runs.answers_soon(&open) {
            // Its answer comes right after the call, so that nothing can be said in between.
            notices.show(
                NoticeKind::Warning,
                "A tool is still running. Send your message when it is done, or stop the tool.",
            );
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
    Effect::new(move |_| viewport::keep_end(MESSAGES));
    let (of_end, of_composer) = (id.clone(), id.clone());
    // What stands at the end: an answer that comes, a word about the last one, and what a model could do next.
    let has_end = Memo::new(move |_| {
        let is_told = answers.drawn(&of_end).is_some() || answers.ended(&of_end).is_some();
        is_told || (models.is_chosen() && open().is_some_and(|open| open.leaf != Node::Root))
    });
    let read_out = answers.read_out();
    read_out.set(Vec::new());
    let (bring_whole, wholes) = (expect_context::<Pages>().whole_chat, RwSignal::new(0_u32));
    view! {
        <div class="chat">
            {move || open().map(|open| view! { <ChatHead open wholes /> })}
            // Not in the head, which is drawn anew whenever the chat is read again.
            {move || (wholes.get() > 0).then(|| view! { <LazyPopup bring=bring_whole /> })}
            <div class="conversation" id=MESSAGES>
                <div>
                    <Messages open=Signal::derive(open) />
                    {move || has_end.get().then(|| view! { <LazyComing chat=id.clone() /> })}
                </div>
            </div>
            // What comes is read out in whole paragraphs, and stays here when the answer becomes a message.
            <div class="visually-hidden" aria-live="polite" data-testid="answer-read-out">
                <For each=move || read_out.get() key=|(number, _)| *number let((_, words))>
                    <p>{words}</p>
                </For>
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
    /// How often the chat as a whole was asked for.
    wholes: RwSignal<u32>,
) -> impl IntoView {
    let (chats, bring_export, exports) = (Chats::expect(), expect_context::<Pages>().export, RwSignal::new(0_u32));
    let (answers, runs) = (Answers::expect(), Runs::expect());
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
                aria-label="Export or verify the whole chat"
                title="Export or verify the whole chat"
                data-testid="chat-whole"
                on:click=move |_| wholes.update(|count| *count += 1)
            >
                <Icon name=IconName::Shield />
            </button>
            <button
                class="icon-button"
                type="button"
                aria-label="Delete this chat"
                title="Delete this chat"
                data-testid="chat-delete"
                on:click=move |_| {
                    runs.stop_all_of(&for_delete.id, answers);
                    chats.delete(for_delete.clone());
                }
            >
                <Icon name=IconName::Delete />
            </button>
        </header>
    }
}
