//! The chat that the page's address names. It is read once, for the conversation and for the workspace alike, and again
//! whenever a chat has changed.

use leptos::prelude::{
    Get as _, GetUntracked as _, LocalResource, Memo, SetValue as _, StoredValue, With as _, WithValue as _,
    expect_context, untrack,
};
use satchel_core::ids::{ChatId, MessageId};

use super::{Address, Chats, Place, Storage};
use crate::work::chats::{self, OpenChat};

/// The context of the opened chat.
#[derive(Clone, Copy)]
pub(crate) struct OpenedChat {
    wanted: Memo<Option<String>>,
    read: LocalResource<(Option<String>, Found)>,
    address: Address,
}

/// What reading a chat came to.
#[derive(Clone)]
pub(crate) enum Found {
    /// The address names no chat.
    NotWanted,
    /// It is being read for the first time.
    Reading,
    /// It is here.
    Here(OpenChat),
    /// It is not on this device.
    NotHere,
    /// It cannot be read, and why.
    Unreadable(String),
}

impl OpenedChat {
    /// Follows the id that the address names. `address` leads the page to another.
    pub(crate) fn follow(wanted: Memo<Option<String>>, address: Address, all: Chats, storage: Storage) -> Self {
        // What was read last, so that only what is new is read with the next news.
        let last = StoredValue::new_local(None::<OpenChat>);
        let read = LocalResource::new(move || {
            all.changes();
            let (store, id) = (storage.store(), wanted.get());
            async move {
                let before = last.with_value(|last| {
                    let same = last.as_ref().filter(|last| Some(last.chat.id.as_str()) == id.as_deref());
                    same.map(|last| last.tree.clone())
                });
                let found = match &id {
                    None => Found::NotWanted,
                    Some(id) => match chats::open(store, id, before).await {
                        Ok(Some(open)) => {
                            last.set_value(Some(open.clone()));
                            Found::Here(open)
                        }
                        Ok(None) => Found::NotHere,
                        Err(error) => Found::Unreadable(error.to_string()),
                    },
                };
                (id, found)
            }
        });
        Self { wanted, read, address }
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What reading came to; what belongs to another address is not given.
    pub(crate) fn found(self) -> Found {
        let wanted = self.wanted.get();
        if wanted.is_none() {
            return Found::NotWanted;
        }
        let read = self.read.with(|read| read.as_ref().filter(|(id, _)| *id == wanted).map(|(_, found)| found.clone()));
        read.unwrap_or(Found::Reading)
    }

    /// The chat, once it is here.
    pub(crate) fn open(self) -> Option<OpenChat> {
        match self.found() {
            Found::Here(open) => Some(open),
            Found::NotWanted | Found::Reading | Found::NotHere | Found::Unreadable(_) => None,
        }
    }

    /// Whether a message of a chat is on the branch that is looked at, or will be once the chat has been read again.
    pub(crate) fn shows(self, chat: &ChatId, message: &MessageId) -> bool {
        if self.wanted.with(|wanted| wanted.as_deref() != Some(chat.as_str())) {
            return false;
        }
        match self.found() {
            Found::NotWanted | Found::NotHere | Found::Unreadable(_) => false,
            Found::Reading => true,
            Found::Here(open) => {
                let path = open.tree.path(&open.leaf);
                open.tree.message(message).is_none() || path.iter().any(|shown| shown.id == *message)
            }
        }
    }

    /// The id that the address names, whether it was read yet or not.
    pub(crate) fn wanted(self) -> Option<String> {
        self.wanted.get()
    }

    /// The same, for a handler that only looks.
    pub(crate) fn wanted_untracked(self) -> Option<String> {
        self.wanted.get_untracked()
    }

    /// Whether the page is that of a chat that has not begun.
    pub(crate) fn is_at_new(self) -> bool {
        untrack(move || self.address.place() == Place::Chat && self.wanted.get().is_none())
    }

    /// Where the chat page is: at the chat that is open, or at a new one.
    pub(crate) fn address(self) -> String {
        self.wanted.get().map_or_else(|| Place::Chat.path().to_owned(), |id| format!("{}/{id}", Place::Chat.path()))
    }

    /// Goes to another chat.
    pub(crate) fn go_to(self, id: &str) {
        self.address.go(&format!("{}/{id}", Place::Chat.path()));
    }

    /// The same, for a handler that only looks.
    pub(crate) fn open_untracked(self) -> Option<OpenChat> {
        untrack(move || self.open())
    }
}
