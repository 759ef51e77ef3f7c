//! What the user does to files: make, rename, delete, restore, download, and take back.

use leptos::prelude::{Callback, GetUntracked as _, RwSignal, Set as _, Update as _, With as _};
use satchel_core::ids::ManifestId;
use satchel_core::record::NodeHead;
use satchel_core::workspace::{Changes, FileEntry, Files, WorkspacePath, files_at, refuse_case_collisions};

use super::{Form, NoticeAction, NoticeKind, View, Workspace};
use crate::browser::spawn::spawn;
use crate::work::chats::OpenChat;
use crate::work::workspace::{self, Changed, FilesError};

impl Workspace {
    /// Makes, or renames, what the form asks for. A refusal goes back to the form, which stays until it is done.
    pub(crate) fn submit(self, form: Form, path: &str, refusal: RwSignal<Option<String>>) {
        let Some(open) = self.opened.open_untracked() else { return };
        let path = path.trim().to_owned();
        spawn(async move {
            self.settle().await;
            let done = match form {
                Form::NewFile(_) => self.make_file(&open, &path).await,
                Form::NewFolder(_) => self.make_folder(&open, &path).await,
                Form::Rename(from) => self.rename(&open, &from, &path).await,
            };
            if let Err(error) = done {
                // The form may have been closed meanwhile.
                refusal.try_set(Some(error.to_string()));
            }
        });
    }

    async fn make_file(self, open: &OpenChat, path: &str) -> Result<(), FilesError> {
        let path = WorkspacePath::parse(path)?;
        workspace::write(&self.storage.store(), open, path.clone(), "").await?;
        self.changes.update(|changes| *changes += 1);
        self.open_file(path);
        Ok(())
    }

    async fn make_folder(self, open: &OpenChat, path: &str) -> Result<(), FilesError> {
        let path = WorkspacePath::parse(path.trim_end_matches('/'))?;
        let mut folders = self.empty_folders.get_untracked();
        let there = self.files_untracked().map(|listing| listing.files.clone()).unwrap_or_default();
        if files_at(&there, &path).next().is_some() || folders.contains(&path) {
            return Err(FilesError::Exists(path));
        }
        let all = folders.iter().chain(there.keys()).chain([&path]);
        refuse_case_collisions(all)?;
        folders.push(path.clone());
        workspace::keep_empty_folders(&self.storage.store(), open, &folders).await?;
        self.empty_folders.set(folders);
        self.selected.set(Some(path.to_string()));
        self.form.set(None);
        Ok(())
    }

    async fn rename(self, open: &OpenChat, from: &WorkspacePath, to: &str) -> Result<(), FilesError> {
        let to = WorkspacePath::parse(to.trim_end_matches('/'))?;
        let was_open = self.view_untracked() == View::File(from.clone());
        let changed = workspace::rename(&self.storage.store(), open, from, &to).await?;
        self.selected.set(Some(to.to_string()));
        self.show(if was_open { View::File(to.clone()) } else { View::Files });
        if !changed.undo.is_empty() {
            self.done(format!("\u{201c}{from}\u{201d} is now \u{201c}{to}\u{201d}."), changed);
        }
        Ok(())
    }

    /// Deletes a file or folder, and offers to take it back.
    pub(crate) fn delete(self, path: WorkspacePath) {
        let is_empty_folder = self.empty_folders.with(|folders| folders.contains(&path));
        self.in_chat("It was not deleted", async move |workspace, open| {
            if workspace.view_untracked() == View::File(path.clone()) {
                workspace.show(View::Files);
            }
            workspace.settle().await;
            let store = workspace.storage.store();
            let changed = workspace::delete(&store, &open, &path).await?;
            if is_empty_folder {
                workspace.empty_folders.update(|folders| folders.retain(|folder| *folder != path));
                workspace::keep_empty_folders(&store, &open, &workspace.empty_folders.get_untracked()).await?;
            }
            if !changed.undo.is_empty() {
                workspace.done(format!("\u{201c}{path}\u{201d} was deleted."), changed);
            }
            Ok(())
        });
    }

    /// Makes a file what it was in another state, and shows it.
    pub(crate) fn restore(self, path: WorkspacePath, file: FileEntry) {
        self.in_chat("It was not restored", async move |workspace, open| {
            let changed = workspace::restore(&workspace.storage.store(), &open, &path, file).await?;
            workspace.show(View::File(path.clone()));
            workspace.done(format!("\u{201c}{path}\u{201d} is as it was."), changed);
            Ok(())
        });
    }

    /// Takes one of several states of the files, and offers to choose again.
    pub(crate) fn choose(self, state: ManifestId) {
        self.in_chat("The files were not chosen", async move |workspace, open| {
            workspace.settle().await;
            let left = workspace::choose(&workspace.storage.store(), &open, &state).await?;
            workspace.changes.update(|changes| *changes += 1);
            let run = Callback::new(move |()| workspace.choose_again(left.clone()));
            let words = "These are now the files of this message. The others stay in its history.";
            workspace.notices.offer(NoticeKind::Info, words, NoticeAction { label: "Choose again", run });
            Ok(())
        });
    }

    fn choose_again(self, heads: Vec<NodeHead>) {
        self.in_chat("It was not undone", async move |workspace, _open| {
            workspace::put_back(&workspace.storage.store(), &heads).await?;
            workspace.changes.update(|changes| *changes += 1);
            Ok(())
        });
    }

    /// Downloads a file, or a folder as a ZIP; nothing means all of it.
    pub(crate) fn download(self, path: Option<WorkspacePath>) {
        let Some(listing) = self.files_untracked() else { return };
        self.in_chat("It was not downloaded", async move |workspace, open| {
            let store = workspace.storage.store();
            let Some(path) = path else {
                return workspace::download_all(&store, &open.chat.title, &listing.files).await;
            };
            if let Some(file) = listing.files.get(&path).or_else(|| listing.deleted.get(&path)) {
                return workspace::download(&store, &path, *file).await;
            }
            let below: Files = files_at(&listing.files, &path).map(|(path, file)| (path.clone(), *file)).collect();
            workspace::download_all(&store, path.name(), &below).await
        });
    }

    /// Files have changed: reads them again, and offers to take it back.
    pub(super) fn done(self, words: String, changed: Changed) {
        self.changes.update(|changes| *changes += 1);
        let undo = move |()| self.undo(changed.undo.clone());
        self.notices.offer(NoticeKind::Info, words, NoticeAction { label: "Undo", run: Callback::new(undo) });
    }

    fn undo(self, changes: Changes) {
        self.in_chat("It was not undone", async move |workspace, open| {
            workspace::undo(&workspace.storage.store(), &open, changes).await?;
            workspace.changes.update(|changes| *changes += 1);
            Ok(())
        });
    }
}
