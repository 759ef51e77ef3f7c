//! The switch of configuration mode, which is beside the wrench of every composer (R142).

use leptos::prelude::expect_context;

use super::{Chats, NoticeKind, Notices, OpenedChat, Storage};
use crate::browser::spawn::spawn;
use crate::work::{chats, selection};

/// The context of the switch.
#[derive(Clone, Copy)]
pub(crate) struct Configuring {
    opened: OpenedChat,
    chats: Chats,
    storage: Storage,
    notices: Notices,
}

impl Configuring {
    /// The switch of the chat that is open.
    pub(crate) fn of(opened: OpenedChat) -> Self {
        Self { opened, chats: Chats::expect(), storage: Storage::expect(), notices: Notices::expect() }
    }

    /// The context given by the composer.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Moves it. A chat that has not begun is made for it.
    pub(crate) fn switch(self, enabled: bool) {
        spawn(async move {
            if let Err(error) = self.attempt(enabled).await {
                let text = format!("Configuration mode was not switched on or off: {error}.");
                self.notices.show(NoticeKind::Error, text);
            }
            self.chats.changed().await;
        });
    }

    async fn attempt(self, enabled: bool) -> Result<(), String> {
        let store = self.storage.store();
        let chat = match self.opened.wanted_untracked() {
            Some(chat) => chat,
            None => chats::create(store.clone()).await.map_err(|error| error.to_string())?.chat.id.to_string(),
        };
        selection::configure(&store, &chat, enabled).await.map_err(|error| error.to_string())?;
        self.opened.go_to(&chat);
        Ok(())
    }
}
