//! The chat that the page's address names. It is read once, for the conversation and for the workspace alike, and again
//! whenever a chat has changed.

use leptos::prelude::{Get as _, GetUntracked as _, LocalResource, Memo, With as _, expect_context, untrack};

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
        let read = LocalResource::new(move || {
            all.changes();
            let (store, id) = (storage.store(), wanted.get());
            async move {
                let found = match &id {
                    None => Found::NotWanted,
                    Some(id) => match chats::open(store, id).await {
                        Ok(Some(open)) => Found::Here(open),
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
