//! The workspace pane: the files of the node that is looked at, what is shown of them, and what is being done to them.

mod acting;
mod editing;
mod keeping;
mod rows;
mod uploading;

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::{
    Get as _, GetValue as _, LocalResource, LocalStorage, Memo, RwSignal, Set as _, StoredValue, Update as _,
    UpdateValue as _, With as _, WithValue as _, expect_context, untrack,
};
use satchel_core::ids::ChatId;
use satchel_core::workspace::{FileEntry, KeptText, WorkspacePath};

pub(crate) use self::editing::{EditSession, Replaced, TextSurface};
pub(crate) use self::rows::{Row, RowKind};
pub(crate) use self::uploading::{Destination, Progress};
use super::{Attaching, Chats, ComposerDraft, NoticeAction, NoticeKind, Notices, OpenedChat, Storage};
use crate::browser::spawn::spawn;
use crate::work::chats::OpenChat;
use crate::work::workspace::{self, FilesError, Listing};

/// The context of the workspace.
#[derive(Clone, Copy)]
pub(crate) struct Workspace {
    opened: OpenedChat,
    chats: Chats,
    attaching: Attaching,
    /// What is written for a chat that has not begun.
    new_chat: ComposerDraft,
    storage: Storage,
    notices: Notices,
    /// Counts what was done to files; the listing is read again when this moves.
    changes: RwSignal<u32>,
    listing: LocalResource<Option<Result<Arc<Listing>, String>>>,
    /// What is shown, of which chat.
    view: RwSignal<(Option<ChatId>, View)>,
    selected: RwSignal<Option<String>>,
    form: RwSignal<Option<Form>>,
    /// Folders that are open although they would be closed, or the other way round.
    toggled: RwSignal<BTreeSet<String>>,
    /// Folders whose long list is shown whole.
    whole: RwSignal<BTreeSet<String>>,
    empty_folders: RwSignal<Vec<WorkspacePath>>,
    progress: RwSignal<Option<Progress>>,
    sessions: StoredValue<Vec<EditSession>, LocalStorage>,
    /// How many sessions are being closed, which may still have to save.
    closing: StoredValue<u32>,
    /// What was typed into files of the chat and could not be saved.
    kept: RwSignal<Vec<KeptText>>,
}

/// What the pane shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// The tree.
    Files,
    /// One file.
    File(WorkspacePath),
    /// What one file was before.
    Versions(WorkspacePath),
    /// What differs between two nodes.
    Compare,
}

/// A path that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Of a new file, in this folder.
    NewFile(String),
    /// Of a new folder, in this one.
    NewFolder(String),
    /// Another one for a file or folder.
    Rename(WorkspacePath),
}

impl View {
    /// The word the style sheets know the view by.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::File(_) => "file",
            Self::Versions(_) => "versions",
            Self::Compare => "compare",
        }
    }
}

impl Workspace {
    /// The files of the chat that is opened.
    pub(crate) fn follow(opened: OpenedChat, chats: Chats, storage: Storage, notices: Notices) -> Self {
        let changes = RwSignal::new(0);
        let (empty_folders, kept) = (RwSignal::new(Vec::new()), RwSignal::new(Vec::new()));
        let listing = LocalResource::new(move || {
            changes.get();
            let (store, open) = (storage.store(), opened.open());
            async move {
                let open = open?;
                empty_folders.set(workspace::empty_folders(&store, &open).await.unwrap_or_default());
                kept.set(workspace::kept_texts(&store, &open.chat.id).await.unwrap_or_default());
                Some(workspace::list(&store, &open).await.map(Arc::new).map_err(|error| error.to_string()))
            }
        });
        Self {
            opened,
            chats,
            attaching: Attaching::expect(),
            new_chat: ComposerDraft::expect(),
            storage,
            notices,
            changes,
            listing,
            view: RwSignal::new((None, View::Files)),
            selected: RwSignal::new(None),
            form: RwSignal::new(None),
            toggled: RwSignal::default(),
            whole: RwSignal::default(),
            empty_folders,
            progress: RwSignal::new(None),
            sessions: StoredValue::new_local(Vec::new()),
            closing: StoredValue::new(0),
            kept,
        }
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// The files, or why there are none to show; nothing while they are read, and where no chat is open.
    pub(crate) fn listing(self) -> Option<Result<Arc<Listing>, String>> {
        self.opened.open()?;
        self.listing.get().flatten()
    }

    fn files(self) -> Option<Arc<Listing>> {
        self.listing().and_then(Result::ok)
    }

    fn files_untracked(self) -> Option<Arc<Listing>> {
        untrack(move || self.files())
    }

    /// The file at a path, as it is now.
    pub(crate) fn entry(self, path: &WorkspacePath) -> Option<FileEntry> {
        self.files()?.files.get(path).copied()
    }

    /// A file that is no longer there, as it was.
    pub(crate) fn deleted_entry(self, path: &WorkspacePath) -> Option<FileEntry> {
        self.files()?.deleted.get(path).copied()
    }

    /// The rows of the tree.
    pub(crate) fn rows(self) -> Memo<Vec<Row>> {
        Memo::new(move |_| {
            let Some(listing) = self.files() else { return Vec::new() };
            let layout = rows::Layout {
                toggled: &self.toggled.get(),
                whole: &self.whole.get(),
                empty_folders: &self.empty_folders.get(),
            };
            rows::rows(&listing, &layout)
        })
    }

    /// The chat whose files these are.
    pub(crate) fn opened(self) -> OpenedChat {
        self.opened
    }

    /// A handle of the store, for views that read.
    pub(crate) fn storage(self) -> Storage {
        self.storage
    }

    /// What the pane shows. A chat begins with its tree.
    pub(crate) fn view(self) -> View {
        let chat = self.opened.open().map(|open| open.chat.id);
        self.view.with(|(of, view)| if *of == chat { view.clone() } else { View::Files })
    }

    fn view_untracked(self) -> View {
        untrack(move || self.view())
    }

    /// Shows something else.
    pub(crate) fn show(self, view: View) {
        self.form.set(None);
        self.view.set((self.opened.open_untracked().map(|open| open.chat.id), view));
    }

    /// Shows a file, as a link to it asks.
    pub(crate) fn open_file(self, path: WorkspacePath) {
        self.selected.set(Some(path.to_string()));
        self.show(View::File(path));
    }

    /// Has a chat show a file, once it is the one that is looked at.
    pub(crate) fn open_file_of(self, chat: ChatId, path: WorkspacePath) {
        self.form.set(None);
        self.selected.set(Some(path.to_string()));
        self.view.set((Some(chat), View::File(path)));
    }

    /// The row that the keys act on.
    pub(crate) fn selected(self) -> RwSignal<Option<String>> {
        self.selected
    }

    /// The path that is asked for.
    pub(crate) fn form(self) -> RwSignal<Option<Form>> {
        self.form
    }

    /// What is being uploaded.
    pub(crate) fn progress(self) -> RwSignal<Option<Progress>> {
        self.progress
    }

    /// Opens or closes a folder.
    pub(crate) fn toggle(self, folder: &str) {
        self.toggled.update(|toggled| {
            if !toggled.remove(folder) {
                toggled.insert(folder.to_owned());
            }
        });
    }

    /// Shows all of a long folder.
    pub(crate) fn show_whole(self, folder: &str) {
        self.whole.update(|whole| {
            whole.insert(folder.to_owned());
        });
    }

    /// Does something, once what stands in the editor is saved.
    pub(crate) fn after_saving(self, then: impl FnOnce() + 'static) {
        spawn(async move {
            self.settle().await;
            then();
        });
    }

    /// The session of a file: the one there is, or a new one that begins with the file as it is.
    pub(crate) fn edit(self, open: OpenChat, path: WorkspacePath, seen: FileEntry) -> EditSession {
        let found = self.sessions.with_value(|all| all.iter().find(|one| one.is_of(&open.chat.id, &path)).cloned());
        found.unwrap_or_else(|| {
            let session = EditSession::new(open, path, seen);
            self.sessions.update_value(|all| all.push(session.clone()));
            session
        })
    }

    /// A text goes from one place on the screen; when it was the last one, it is saved.
    pub(crate) fn leave(self, session: &EditSession, surface: u32) {
        if session.leave(surface) {
            return;
        }
        self.sessions.try_update_value(|all| all.retain(|one| !one.is(session)));
        self.closing.update_value(|closing| *closing += 1);
        let session = session.clone();
        spawn(async move {
            session.close(self).await;
            self.closing.update_value(|closing| *closing -= 1);
        });
    }

    /// Whether something in an editor is not saved yet.
    pub(crate) fn is_unsaved(self) -> bool {
        self.closing.get_value() > 0 || self.sessions.with_value(|all| all.iter().any(EditSession::is_unsaved))
    }

    async fn settle(self) {
        for session in self.sessions.get_value() {
            session.settle(self).await;
        }
    }

    /// Does something to the files of the open chat, and says so where it fails.
    fn in_chat<F>(self, what_failed: &'static str, work: impl FnOnce(Self, OpenChat) -> F + 'static)
    where
        F: Future<Output = Result<(), FilesError>> + 'static,
    {
        let Some(open) = self.opened.open_untracked() else { return };
        spawn(async move {
            if let Err(error) = work(self, open).await {
                self.complain(what_failed, &error);
            }
        });
    }

    fn complain(self, what: &str, error: &FilesError) {
        self.notices.show(NoticeKind::Error, format!("{what}: {error}."));
    }
}
