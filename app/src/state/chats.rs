//! The chats of this device, and what can be done to them.

use leptos::prelude::{Callback, Get, RwSignal, Set, Update as _, With as _, expect_context};
use satchel_core::counted::counted;
use satchel_core::ids::{ChatId, MessageId};
use satchel_core::record::{Chat, Node};

use super::{NoticeAction, NoticeKind, Notices, Storage};
use crate::browser::spawn::spawn;
use crate::work::brought::Bring;
use crate::work::chats::{self, ChatList, DeletedChat, OpenChat};
use crate::work::drafts::Written;
use crate::work::forking::Forking;

/// The context of the chats.
#[derive(Clone, Copy)]
pub(crate) struct Chats {
    list: RwSignal<Vec<Chat>>,
    deleted: RwSignal<Vec<DeletedChat>>,
    /// Counts the changes; whoever shows a chat reads it again when this moves.
    changes: RwSignal<u32>,
    storage: Storage,
    notices: Notices,
    forking: Bring<Forking>,
}

impl Chats {
    /// Starts with what is stored. `forking` is brought when a chat is first forked.
    pub(crate) fn load(storage: Storage, notices: Notices, forking: Bring<Forking>) -> Self {
        let chats = Self {
            list: RwSignal::new(Vec::new()),
            deleted: RwSignal::new(Vec::new()),
            changes: RwSignal::new(0),
            storage,
            notices,
            forking,
        };
        spawn(async move {
            let unreadable = chats.refresh().await;
            if unreadable > 0 {
                notices.show(
                    NoticeKind::Warning,
                    format!("Not shown, because it cannot be read: {}.", counted(unreadable, "chat")),
                );
            }
        });
        chats::on_news(move || spawn(chats.changed()));
        chats
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// The chats, the latest first.
    pub(crate) fn list(self) -> Vec<Chat> {
        self.list.get()
    }

    /// The chats that were deleted and can be brought back, the last one first.
    pub(crate) fn deleted(self) -> Vec<DeletedChat> {
        self.deleted.get()
    }

    /// Whether there are any.
    pub(crate) fn has_deleted(self) -> bool {
        self.deleted.with(|deleted| !deleted.is_empty())
    }

    /// Moves whenever a chat has changed.
    pub(crate) fn changes(self) -> u32 {
        self.changes.get()
    }

    /// Begins a chat with its first message, and tells both; else gives back what was written.
    pub(crate) fn begin(self, written: Written, then: impl FnOnce(Result<(ChatId, MessageId), Written>) + 'static) {
        spawn(async move {
            let _turn = chats::turn_of_new().await;
            match chats::begin(self.storage.store(), &written).await {
                Ok(begun) => {
                    self.refresh().await;
                    then(Ok(begun));
                }
                Err(error) => {
                    self.complain("The message was not saved", &error);
                    then(Err(written));
                }
            }
        });
    }

    /// Says something below a node, and tells the message; else gives back what was written.
    pub(crate) fn say(
        self,
        open: OpenChat,
        parent: Node,
        written: Written,
        then: impl FnOnce(Result<MessageId, Written>) + 'static,
    ) {
        spawn(async move {
            match chats::say(self.storage.store(), &open, parent, &written).await {
                Ok(message) => {
                    then(Ok(message));
                    self.refresh().await;
                }
                Err(error) => {
                    self.complain("The message was not saved", &error);
                    then(Err(written));
                }
            }
        });
    }

    /// Shows another branch of a chat.
    pub(crate) fn look_at(self, chat: ChatId, leaf: Node) {
        spawn(async move {
            match chats::look_at(self.storage.store(), &chat, &leaf).await {
                Ok(()) => self.changes.update(|changes| *changes += 1),
                Err(error) => self.complain("The branch was not switched", &error),
            }
        });
    }

    /// Gives a chat another title.
    pub(crate) fn rename(self, chat: Chat, title: String) {
        spawn(async move {
            if let Err(error) = chats::rename(self.storage.store(), &chat, &title).await {
                self.complain("The chat was not renamed", &error);
            }
            self.refresh().await;
        });
    }

    /// Deletes a chat and offers to bring it back.
    pub(crate) fn delete(self, chat: Chat) {
        spawn(async move {
            match chats::delete(self.storage.store(), &chat).await {
                Ok(()) => {
                    let text = format!("\u{201c}{}\u{201d} was deleted. It can be restored for two days.", chat.title);
                    let undo = NoticeAction { label: "Undo", run: Callback::new(move |()| self.restore(chat.clone())) };
                    self.notices.offer(NoticeKind::Info, text, undo);
                }
                Err(error) => self.complain("The chat was not deleted", &error),
            }
            self.refresh().await;
        });
    }

    /// Brings a deleted chat back.
    pub(crate) fn restore(self, chat: Chat) {
        spawn(async move {
            if let Err(error) = chats::restore(self.storage.store(), &chat).await {
                self.complain("The chat was not restored", &error);
            }
            self.refresh().await;
        });
    }

    /// Deletes a deleted chat for good.
    pub(crate) fn purge(self, chat: Chat) {
        spawn(async move {
            match chats::purge(&chat).await {
                Ok(()) => self.notices.announce(format!("\u{201c}{}\u{201d} is gone for good.", chat.title)),
                Err(error) => self.complain("The chat was not deleted for good", &error),
            }
            self.refresh().await;
        });
    }

    /// Copies the way to a message into a chat of its own, and tells its id.
    pub(crate) fn fork(self, open: OpenChat, at: MessageId, then: impl FnOnce(ChatId) + 'static) {
        spawn(async move {
            let forking = match (self.forking)().await {
                Ok(forking) => forking,
                Err(not_arrived) => return self.complain("The chat was not forked", &not_arrived),
            };
            match forking.fork(self.storage.store(), open, at).await {
                Ok(id) => {
                    self.refresh().await;
                    then(id);
                }
                Err(error) => self.complain("The chat was not forked", &error),
            }
        });
    }

    /// Something was done to a chat beside this context.
    pub(crate) async fn changed(self) {
        self.refresh().await;
    }

    /// Reads the list again, and gives the number of rows that cannot be read.
    async fn refresh(self) -> usize {
        match chats::list(self.storage.store()).await {
            Ok(ChatList { chats, deleted, unreadable }) => {
                self.list.set(chats);
                self.deleted.set(deleted);
                self.changes.update(|changes| *changes += 1);
                unreadable
            }
            Err(error) => {
                self.complain("The chats cannot be read", &error);
                0
            }
        }
    }

    fn complain(self, what: &str, error: &dyn std::error::Error) {
        self.notices.show(NoticeKind::Error, format!("{what}: {error}."));
    }
}
