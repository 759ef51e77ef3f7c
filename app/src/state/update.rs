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
    put_off: RwSignal<bool>,
    notices: Notices,
}

impl Update {
    /// No update waits.
    pub(crate) fn new(notices: Notices) -> Self {
        Self { ready: RwSignal::new(false), put_off: RwSignal::new(false), notices }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
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
                let text = "Satchel was not updated, because a run is active. Stop it or let it finish, then update.";
                self.notices.show(NoticeKind::Warning, text);
            } else {
                update::take();
            }
        });
    }
}
