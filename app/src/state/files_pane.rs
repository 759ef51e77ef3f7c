//! The way from the conversation to the pane of files. The pane's code arrives later than the conversation, and is what knows the files
//! of the chat that is looked at; whoever shows a file in the conversation asks here.

use leptos::prelude::{
    Get as _, GetUntracked as _, RwSignal, Set as _, SetValue as _, StoredValue, UpdateValue as _, expect_context,
};
use satchel_core::ids::ChatId;
use satchel_core::workspace::WorkspacePath;

use super::{OpenedChat, Pane, Panes, Workspace};

/// The context of the pane of files, as others see it.
#[derive(Clone, Copy)]
pub(crate) struct FilesPane {
    here: RwSignal<Option<Workspace>>,
    /// The file that was asked for before it was here, and its chat.
    wanted: StoredValue<Option<(ChatId, WorkspacePath)>>,
}

impl FilesPane {
    /// It is not here yet.
    pub(crate) fn not_yet() -> Self {
        Self { here: RwSignal::new(None), wanted: StoredValue::new(None) }
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// It is here.
    pub(crate) fn arrived(self, workspace: Workspace) {
        if let Some((chat, path)) = self.wanted.try_update_value(Option::take).flatten() {
            workspace.open_file_of(chat, path);
        }
        self.here.set(Some(workspace));
    }

    /// The files of the chat, once the pane is here.
    pub(crate) fn workspace(self) -> Option<Workspace> {
        self.here.get()
    }

    /// Whether it is here, for a handler that only looks.
    pub(crate) fn is_here(self) -> bool {
        self.here.get_untracked().is_some()
    }

    /// Shows a file in the pane, and the pane itself.
    pub(crate) fn show(self, path: WorkspacePath, panes: Panes) {
        if let Some(workspace) = self.here.get_untracked() {
            workspace.open_file(path);
        }
        reveal(panes);
    }

    /// Shows a file of a chat in the pane. Where another page is looked at, that of the chat is gone to first: only there is the pane seen.
    pub(crate) fn show_of(self, chat: &ChatId, path: WorkspacePath, panes: Panes, opened: OpenedChat) {
        if opened.wanted_untracked().as_deref() == Some(chat.as_str()) {
            return self.show(path, panes);
        }
        match self.here.get_untracked() {
            Some(workspace) => workspace.open_file_of(chat.clone(), path),
            None => self.wanted.set_value(Some((chat.clone(), path))),
        }
        opened.go_to(chat.as_str());
        reveal(panes);
    }
}

fn reveal(panes: Panes) {
    panes.change(|open| open.workspace = true);
    panes.show(Pane::Files);
}
