//! How sync is doing, as every page may show it.

use leptos::prelude::{Get as _, GetUntracked as _, RwSignal, Set as _, With as _, expect_context};
use satchel_core::sync::DriverView;

/// The context of sync.
#[derive(Clone, Copy)]
pub(crate) struct SyncStatus {
    /// Nothing before it is known.
    view: RwSignal<Option<DriverView>>,
}

impl SyncStatus {
    /// Nothing is known yet.
    pub(crate) fn unknown() -> Self {
        Self { view: RwSignal::new(None) }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// How it is doing; nothing before that is known.
    pub(crate) fn view(self) -> Option<DriverView> {
        self.view.get()
    }

    /// Whether this device syncs, as far as is known now.
    pub(crate) fn is_on(self) -> bool {
        !matches!(self.view.get_untracked(), None | Some(DriverView::Off))
    }

    /// Takes over how it is doing.
    pub(crate) fn learn(self, view: DriverView) {
        // A look that has found nothing yet is no news: everything is as it was.
        let is_a_look = view == DriverView::Running(None);
        if !(is_a_look
            && matches!(self.view.get_untracked(), Some(DriverView::UpToDate { .. } | DriverView::Full { .. })))
        {
            self.view.set(Some(view));
        }
    }

    /// What kind of badge it is worth, and its words; none where this device does not sync. While the server cannot be reached, nobody
    /// knows whether everything is here.
    pub(crate) fn badge(self, is_reachable: bool) -> Option<(&'static str, &'static str)> {
        self.view.with(|view| match view {
            None | Some(DriverView::Off) => None,
            Some(DriverView::UpToDate { .. }) if !is_reachable => None,
            Some(DriverView::UpToDate { .. }) => Some(("good", "Synced")),
            Some(DriverView::Full { .. }) => Some(("caution", "No room to sync")),
            Some(DriverView::Running(_)) => Some(("", "Syncing")),
            Some(DriverView::Paused) => Some(("", "Sync paused")),
            Some(DriverView::Waiting { .. }) => Some(("caution", "Sync waiting")),
            Some(DriverView::Stuck { .. }) => Some(("bad", "Sync stopped")),
        })
    }
}
