//! Which panes are open. On a desk the side panes stay as the user left them; on anything narrower one lies over the
//! page at a time and is gone after the next step.

use leptos::prelude::{Get, GetUntracked, RwSignal, Set, Update, expect_context};
use satchel_core::store::StoreError;
use serde::{Deserialize, Serialize};

use super::{NoticeKind, Notices, Storage};
use crate::browser::spawn::spawn;
use crate::work::positions;
use crate::work::store::AppStore;

const PLACE: &str = "panes";

/// Which side panes are open on a desk. Kept in `positions`; `public/early.js` reads it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenPanes {
    /// The left pane: places and chats.
    pub(crate) sidebar: bool,
    /// The right pane: the files of the chat.
    pub(crate) workspace: bool,
}

/// What a narrow screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    /// The page itself.
    Main,
    /// The left pane, for its chats.
    Chats,
    /// The right pane.
    Files,
    /// The left pane, for its places.
    More,
}

/// The context of panes.
#[derive(Clone, Copy)]
pub(crate) struct Panes {
    open: RwSignal<OpenPanes>,
    shown: RwSignal<Pane>,
    storage: Storage,
    notices: Notices,
}

impl Default for OpenPanes {
    fn default() -> Self {
        Self { sidebar: true, workspace: true }
    }
}

impl OpenPanes {
    /// As they were left.
    pub(crate) async fn load(store: AppStore) -> Result<Self, StoreError> {
        Ok(positions::load(store, PLACE).await?.unwrap_or_default())
    }
}

impl Pane {
    /// The word the style sheets know the pane by.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Chats => "chats",
            Self::Files => "files",
            Self::More => "more",
        }
    }
}

impl Panes {
    /// Panes as they were left.
    pub(crate) fn new(open: OpenPanes, storage: Storage, notices: Notices) -> Self {
        Self { open: RwSignal::new(open), shown: RwSignal::new(Pane::Main), storage, notices }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Which side panes are open on a desk.
    pub(crate) fn open(self) -> OpenPanes {
        self.open.get()
    }

    /// What a narrow screen shows.
    pub(crate) fn shown(self) -> Pane {
        self.shown.get()
    }

    /// The same, for a handler that only looks.
    pub(crate) fn shown_untracked(self) -> Pane {
        self.shown.get_untracked()
    }

    /// Has a narrow screen show this.
    pub(crate) fn show(self, pane: Pane) {
        self.shown.set(pane);
    }

    /// Opens or closes side panes on a desk, and remembers it.
    pub(crate) fn change(self, change: impl FnOnce(&mut OpenPanes)) {
        self.open.update(change);
        let open = self.open.get_untracked();
        spawn(async move {
            if let Err(error) = positions::save(self.storage.store(), PLACE, &open).await {
                self.notices.show(NoticeKind::Warning, format!("Which panes are open was not remembered: {error}."));
            }
        });
    }
}
