//! Files on their way into the workspace.

use leptos::prelude::{GetUntracked as _, Set as _, Update as _};
use satchel_core::record::Attachment;
use satchel_core::settings::LimitName;
use satchel_core::workspace::WorkspacePath;

use super::{NoticeKind, Workspace};
use crate::browser::files::{Brought, BrowserFile, FileError};
use crate::browser::spawn::spawn;
use crate::work::chats;
use crate::work::workspace::{self, FilesError, Naming, Ready, Upload, Uploaded};

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Files that are stored.
    pub(crate) done: usize,
    /// All of them.
    pub(crate) all: usize,
    /// Whether the user wants no more of it.
    pub(crate) stopping: bool,
}

/// What files are brought for. They go into the workspace in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// To be there.
    Workspace,
    /// To go along with the message that is being written.
    Message,
}

/// So many reasons are told one by one.
const TOLD: usize = 3;

/// So many files go along with a message at most: of a whole folder only the workspace is told.
const ATTACHED: usize = 20;

impl Destination {
    /// That of files that were picked, for a message or not.
    pub(crate) fn of_pick(is_for_message: bool) -> Self {
        if is_for_message { Self::Message } else { Self::Workspace }
    }

    /// That of files that were dropped or pasted, on the pane of files or elsewhere.
    pub(crate) fn of_drop(is_on_pane: bool) -> Self {
        if is_on_pane { Self::Workspace } else { Self::Message }
    }
}

impl Workspace {
    /// Takes files that were picked.
    pub(crate) fn upload(self, files: Vec<BrowserFile>, destination: Destination) {
        self.bring(async move || Ok(files), None, Naming::Replace, destination);
    }

    /// Takes what was dropped, on a folder or beside all of them.
    pub(crate) fn drop_in(self, brought: Brought, folder: Option<WorkspacePath>, destination: Destination) {
        self.bring(async move || brought.files(most()).await, folder, Naming::Replace, destination);
    }

    /// Takes what was pasted, which never takes the place of anything.
    pub(crate) fn paste(self, brought: Brought, destination: Destination) {
        self.bring(async move || brought.files(most()).await, None, Naming::FindFree, destination);
    }

    /// Puts a pasted text into a new file.
    pub(crate) fn paste_text(self, text: String) {
        self.in_chat("The text was not saved as a file", async move |workspace, open| {
            let wanted = WorkspacePath::parse("pasted.txt")?;
            let store = workspace.storage.store();
            let path = workspace::free_path(&store, &open, &wanted).await?;
            workspace::write(&store, &open, path.clone(), &text).await?;
            workspace.changes.update(|changes| *changes += 1);
            workspace.open_file(path);
            Ok(())
        });
    }

    /// Stops what is being uploaded.
    pub(crate) fn stop_upload(self) {
        self.progress.update(|progress| {
            if let Some(progress) = progress {
                progress.stopping = true;
            }
        });
    }

    /// Reads and stores files. Where no chat is open one begins with them.
    fn bring(
        self,
        read: impl AsyncFnOnce() -> Result<Vec<BrowserFile>, FileError> + 'static,
        folder: Option<WorkspacePath>,
        naming: Naming,
        destination: Destination,
    ) {
        if self.progress.get_untracked().is_some() {
            self.notices.show(
                NoticeKind::Warning,
                "Other files are still being stored. Wait until they are done, then try again.",
            );
            return;
        }
        self.progress.set(Some(Progress { done: 0, all: 0, stopping: false }));
        spawn(async move {
            let outcome = self.store_all(read, folder, naming, destination).await;
            self.progress.set(None);
            match outcome {
                Ok(uploaded) => self.tell(uploaded),
                Err(error) => self.complain("The files were not stored", &error),
            }
        });
    }

    async fn store_all(
        self,
        read: impl AsyncFnOnce() -> Result<Vec<BrowserFile>, FileError>,
        folder: Option<WorkspacePath>,
        naming: Naming,
        destination: Destination,
    ) -> Result<Uploaded, FilesError> {
        let files = read().await?;
        let all = files.len();
        self.settle().await;
        let store = self.storage.store();
        let go_on = move |done| {
            let stopping = self.progress.get_untracked().is_some_and(|progress| progress.stopping);
            self.progress.set(Some(Progress { done, all, stopping }));
            !stopping
        };
        let ready = workspace::bring(&store, Upload { files, folder, naming }, go_on).await?;
        if ready.is_empty() {
            return Ok(ready.into_nothing());
        }
        if let Some(open) = self.opened.open_untracked() {
            let uploaded = workspace::put(&store, &open, ready).await?;
            self.attaching.attach(&open.chat.id, attached(&uploaded, destination));
            return Ok(uploaded);
        }
        self.put_into_chat_to_be(ready, destination).await
    }

    /// Where no chat is open: one may be about to be, or has to begin.
    async fn put_into_chat_to_be(self, ready: Ready, destination: Destination) -> Result<Uploaded, FilesError> {
        let store = self.storage.store();
        let _turn = chats::turn_of_new().await;
        let named = match self.opened.wanted_untracked() {
            Some(id) => chats::open(store.clone(), &id, None).await?,
            None => None,
        };
        if let Some(open) = named {
            let uploaded = workspace::put(&store, &open, ready).await;
            self.changes.update(|changes| *changes += 1);
            let uploaded = uploaded?;
            self.attaching.attach(&open.chat.id, attached(&uploaded, destination));
            return Ok(uploaded);
        }
        let open = chats::create(store.clone()).await.map_err(|error| match error {
            chats::ChatError::Store(error) => FilesError::Store(error),
            chats::ChatError::Refused(_) => FilesError::Nothing,
        })?;
        let uploaded = match workspace::put(&store, &open, ready).await {
            Ok(uploaded) => uploaded,
            Err(error) => {
                chats::delete(store, &open.chat).await?;
                return Err(error);
            }
        };
        // What was written for a chat to be is written for this one.
        self.new_chat.hand_over(&open.chat.id, attached(&uploaded, destination)).await;
        self.chats.changed().await;
        self.opened.go_to(open.chat.id.as_str());
        Ok(uploaded)
    }

    fn tell(self, uploaded: Uploaded) {
        let Uploaded { stored, refused, changed } = uploaded;
        if !refused.is_empty() {
            let mut words =
                format!("{} left out: {}", files(refused.len()), refused[..refused.len().min(TOLD)].join("; "));
            if refused.len() > TOLD {
                words.push_str(&format!("; and {} more", refused.len() - TOLD));
            }
            self.notices.show(NoticeKind::Error, format!("{words}."));
        }
        if let Some(changed) = changed {
            let replaced = match changed.replaced {
                0 => String::new(),
                replaced => format!(", {replaced} of them in place of others"),
            };
            self.done(format!("{} stored{replaced}.", files(stored.len())), changed);
        }
    }
}

/// What of an upload goes along with the message.
fn attached(uploaded: &Uploaded, destination: Destination) -> Vec<Attachment> {
    match destination {
        Destination::Workspace => Vec::new(),
        Destination::Message => uploaded.stored.iter().take(ATTACHED).cloned().collect(),
    }
}

/// How many files are looked at in what was brought: no workspace can be set to hold more.
fn most() -> usize {
    usize::try_from(LimitName::WorkspaceFiles.bounds().1).unwrap_or(usize::MAX)
}

/// How many files, in words.
pub(crate) fn files(count: usize) -> String {
    if count == 1 { "1 file".into() } else { format!("{count} files") }
}
