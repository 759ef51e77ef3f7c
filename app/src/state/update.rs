//! Whether a newer version of the app waits. It is offered, never forced, and never taken while a run is active.

use leptos::prelude::{Get, RwSignal, Set, expect_context};

use super::{NoticeKind, Notices};
use crate::browser::spawn::spawn;
use crate::work::update;

/// The context of the update.
#[derive(Clone, Copy)]
pub(crate) struct Update {
    /// Set by the one who watches the service worker.
    pub(crate) ready: RwSignal<bool>,
    /// Set by the same, once the page is in the service worker's hands, or never will be.
    pub(crate) watched: RwSignal<bool>,
    put_off: RwSignal<bool>,
    notices: Notices,
}

impl Update {
    /// No update waits.
    pub(crate) fn new(notices: Notices) -> Self {
        Self { ready: RwSignal::new(false), watched: RwSignal::new(false), put_off: RwSignal::new(false), notices }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Whether the page is in the service worker's hands, or never will be.
    pub(crate) fn is_watched(self) -> bool {
        self.watched.get()
    }

    /// Whether a version waits.
    pub(crate) fn is_ready(self) -> bool {
        self.ready.get()
    }

    /// Whether a version waits and the user has not said "later".
    pub(crate) fn is_offered(self) -> bool {
        self.ready.get() && !self.put_off.get()
    }

    /// Not now. Settings keep the offer.
    pub(crate) fn put_off(self) {
        self.put_off.set(true);
    }

    /// Takes the update and reloads, unless a run is active.
    pub(crate) fn take(self) {
        spawn(async move {
            if update::run_is_active().await {
                let text =
                    "Satchel was not updated because something is running. Stop it or let it finish, then update.";
                self.notices.show(NoticeKind::Warning, text);
            } else {
                update::take();
            }
        });
    }
}
