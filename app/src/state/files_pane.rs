//! The way from the conversation to the pane of files. The pane's code arrives later than the conversation, and is what knows the files
//! of the chat that is looked at; whoever shows a file in the conversation asks here.

use leptos::prelude::{Get as _, GetUntracked as _, RwSignal, Set as _, expect_context};
use satchel_core::workspace::WorkspacePath;

use super::{Pane, Panes, Workspace};

/// The context of the pane of files, as others see it.
#[derive(Clone, Copy)]
pub(crate) struct FilesPane(RwSignal<Option<Workspace>>);

impl FilesPane {
    /// It is not here yet.
    pub(crate) fn not_yet() -> Self {
        Self(RwSignal::new(None))
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// It is here.
    pub(crate) fn arrived(self, workspace: Workspace) {
        self.0.set(Some(workspace));
    }

    /// The files of the chat, once the pane is here.
    pub(crate) fn workspace(self) -> Option<Workspace> {
        self.0.get()
    }

    /// Whether it is here, for a handler that only looks.
    pub(crate) fn is_here(self) -> bool {
        self.0.get_untracked().is_some()
    }

    /// Shows a file in the pane, and the pane itself.
    pub(crate) fn show(self, path: WorkspacePath, panes: Panes) {
        if let Some(workspace) = self.0.get_untracked() {
            workspace.open_file(path);
        }
        panes.change(|open| open.workspace = true);
        panes.show(Pane::Files);
    }
}
