//! The chat page: the conversation and the composer under it.

mod blocks;
mod branch_switch;
mod composer;
mod conversation;
mod message;
mod messages;
mod welcome;

use leptos::prelude::*;
use satchel_core::ids::ChatId;

use self::composer::Composer;
use self::conversation::Conversation;
pub(crate) use self::message::message_place;
use self::welcome::Welcome;
use super::pages::Bring;
use super::parts::{EmptyState, IconName};
use super::settings::section::SectionId;
use crate::state::{Address, Answers, Chats, ComposerDraft, Found, Models, OpenedChat, Place};

/// A chat that has not begun.
#[component]
pub(crate) fn NewChatPage(
    /// How the examples are brought.
    examples: Bring,
) -> impl IntoView {
    let (all, address) = (Chats::expect(), Address::expect());
    let (answers, models) = (Answers::expect(), Models::expect());
    let draft = ComposerDraft::expect();
    let begin = move || {
        all.begin(draft.take(), move |begun| match begun {
            Ok((chat, message)) => {
                draft.sent();
                let path = format!("/ui/chat/{chat}");
                answers.ask(models, chat, message);
                address.go(&path);
            }
            Err(written) => draft.give_back(written),
        });
    };
    view! {
        <div class="chat">
            <div class="conversation">
                <Welcome examples />
            </div>
            <Composer draft on_send=begin answering=None />
        </div>
    }
}

/// A chat named by its address.
#[component]
pub(crate) fn ChatPage() -> impl IntoView {
    let opened = OpenedChat::expect();
    // The composer stays as it is, with its focus, while the same chat is read again.
    let shown = Memo::new(move |_| match opened.found() {
        Found::NotWanted | Found::Reading => Shown::Nothing,
        Found::Here(open) => Shown::Chat(open.chat.id),
        Found::NotHere => Shown::NotHere,
        Found::Unreadable(error) => Shown::Unreadable(error),
    });
    move || match shown.get() {
        Shown::Nothing => ().into_any(),
        Shown::Chat(id) => view! { <Conversation id open=move || opened.open() /> }.into_any(),
        Shown::NotHere => view! { <NotHere /> }.into_any(),
        Shown::Unreadable(error) => view! {
            <EmptyState icon=IconName::Chat title="This chat cannot be read">
                <p>{format!("{error}.")}</p>
            </EmptyState>
        }
        .into_any(),
    }
}

/// What the page shows.
#[derive(Clone, PartialEq)]
enum Shown {
    Nothing,
    Chat(ChatId),
    NotHere,
    Unreadable(String),
}

/// What stands at the address of a chat that is not on this device.
#[component]
fn NotHere() -> impl IntoView {
    let chats = Chats::expect();
    view! {
        <EmptyState icon=IconName::Chat title="This chat is not on this device">
            <p>"It was deleted, or it is on another device. A link alone cannot bring it here."</p>
            <div class="empty-actions">
                <a class="button button-accent" href=Place::Chat.path()>"Start a new chat"</a>
                <Show when=move || chats.has_deleted()>
                    <a class="button" href=SectionId::DeletedChats.link()>"Recently deleted"</a>
                </Show>
            </div>
        </EmptyState>
    }
}
