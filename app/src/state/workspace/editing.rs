//! One editing session: from the moment a text is opened until it is closed. It saves by itself after a pause, all its saves are
//! one manifest, and it never writes over what was changed elsewhere.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{ArcRwSignal, Callback, GetUntracked as _, Set as _, Update as _};
use satchel_core::ids::ManifestId;
use satchel_core::workspace::{FileEntry, WorkspacePath};

use super::{NoticeAction, NoticeKind, Workspace};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::spawn::spawn;
use crate::browser::{clock, files};
use crate::work::chats::OpenChat;
use crate::work::workspace::{self, FilesError, Saved, Saving};

/// How long a pause in typing is.
const PAUSE: Duration = Duration::from_millis(700);

/// How far the saving of a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SaveState {
    /// What stands there is stored.
    Saved,
    /// The user has typed since.
    Unsaved,
    /// It is being stored.
    Saving,
    /// It could not be stored, and why. What was typed stays in the editor.
    Failed(String),
    /// The file was changed elsewhere: to this, or it was deleted.
    Conflict(Option<FileEntry>),
}

/// What a session makes of the files it is shown.
pub(crate) enum Seen {
    /// They are what it knows.
    Known,
    /// The file is another one now, and nothing was typed: show that.
    Other(FileEntry),
    /// The file is gone, and nothing was typed.
    Gone,
}

/// A session. A clone is the same session.
#[derive(Clone)]
pub(crate) struct EditSession(Rc<Session>);

struct Session {
    path: WorkspacePath,
    /// What stands in the editor.
    text: Box<dyn Fn() -> Option<String>>,
    state: ArcRwSignal<SaveState>,
    open: RefCell<OpenChat>,
    seen: Cell<Option<FileEntry>>,
    last_save: RefCell<Option<ManifestId>>,
    /// Counts the changes by the user.
    typed: Cell<u32>,
}

impl EditSession {
    /// Begins with a file as it is.
    pub(crate) fn new(
        open: OpenChat,
        path: WorkspacePath,
        seen: FileEntry,
        text: impl Fn() -> Option<String> + 'static,
    ) -> Self {
        Self(Rc::new(Session {
            path,
            text: Box::new(text),
            state: ArcRwSignal::new(SaveState::Saved),
            open: RefCell::new(open),
            seen: Cell::new(Some(seen)),
            last_save: RefCell::default(),
            typed: Cell::new(0),
        }))
    }

    /// How far the saving is.
    pub(crate) fn state(&self) -> ArcRwSignal<SaveState> {
        self.0.state.clone()
    }

    /// Whether what stands in the editor is not stored.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.0.state.get_untracked() != SaveState::Saved
    }

    /// The user has typed: saves after a pause.
    pub(crate) fn typed(&self, workspace: Workspace) {
        let session = self.clone();
        let typed = session.0.typed.get() + 1;
        session.0.typed.set(typed);
        // A conflict is the user's to settle; until then nothing is saved.
        if !matches!(session.0.state.get_untracked(), SaveState::Conflict(_) | SaveState::Saving) {
            session.0.state.set(SaveState::Unsaved);
        }
        spawn(async move {
            clock::wait(PAUSE).await;
            if session.0.typed.get() == typed {
                session.save(workspace).await;
            }
        });
    }

    /// Saves now.
    pub(crate) fn save_now(&self, workspace: Workspace) {
        let session = self.clone();
        spawn(async move { session.save(workspace).await });
    }

    /// Saves, and what is typed meanwhile as well.
    pub(super) async fn settle(&self, workspace: Workspace) {
        self.save(workspace).await;
    }

    /// Saves for the last time. What cannot be saved where it belongs is kept beside it, or given to the user as a download.
    pub(super) async fn close(&self, workspace: Workspace) {
        self.save(workspace).await;
        let (path, notices) = (&self.0.path, workspace.notices);
        match self.0.state.get_untracked() {
            SaveState::Saved | SaveState::Unsaved | SaveState::Saving => {}
            SaveState::Conflict(_) => {
                let open = self.0.open.borrow().clone();
                match self.write_beside(workspace, &open).await {
                    Ok(beside) => {
                        let words = format!(
                            "\u{201c}{path}\u{201d} was changed elsewhere; your version is \u{201c}{beside}\u{201d}."
                        );
                        notices.show(NoticeKind::Warning, words);
                    }
                    Err(error) => self.offer_download(workspace, &error.to_string()),
                }
            }
            SaveState::Failed(reason) => self.offer_download(workspace, &reason),
        }
    }

    /// The last way to lose nothing.
    fn offer_download(&self, workspace: Workspace, reason: &str) {
        let (Some(text), path) = ((self.0.text)(), &self.0.path) else { return };
        let name = path.name().to_owned();
        let words = format!(
            "What you typed in \u{201c}{path}\u{201d} was not saved: {reason}. Download it, so that it is not lost."
        );
        let run = Callback::new(move |()| files::download(&name, &RawBytes::from(text.as_bytes())));
        workspace.notices.offer(NoticeKind::Error, words, NoticeAction { label: "Download", run });
    }

    async fn write_beside(&self, workspace: Workspace, open: &OpenChat) -> Result<WorkspacePath, FilesError> {
        let store = workspace.storage.store();
        let text = (self.0.text)().ok_or(FilesError::Nothing)?;
        let path = workspace::free_path(&store, open, &self.0.path).await?;
        workspace::write(&store, open, path.clone(), &text).await?;
        self.0.state.set(SaveState::Saved);
        workspace.changes.update(|changes| *changes += 1);
        Ok(path)
    }

    async fn save(&self, workspace: Workspace) {
        let session = &self.0;
        loop {
            match session.state.get_untracked() {
                SaveState::Unsaved | SaveState::Failed(_) => {}
                // Whoever saves goes on until nothing is left.
                SaveState::Saved | SaveState::Saving | SaveState::Conflict(_) => return,
            }
            let Some(text) = (session.text)() else { return };
            let typed = session.typed.get();
            session.state.set(SaveState::Saving);
            let (open, last_save) = (session.open.borrow().clone(), session.last_save.borrow().clone());
            let saving = Saving { path: &session.path, text, seen: session.seen.get(), last_save: last_save.as_ref() };
            let saved = workspace::save(&workspace.storage.store(), &open, saving).await;
            match saved {
                Ok(Saved::Kept { file, manifest }) => {
                    session.seen.set(Some(file));
                    session.last_save.replace(manifest);
                    let more = session.typed.get() != typed;
                    session.state.set(if more { SaveState::Unsaved } else { SaveState::Saved });
                    workspace.changes.update(|changes| *changes += 1);
                    if !more {
                        return;
                    }
                }
                Ok(Saved::Conflict { theirs }) => return session.state.set(SaveState::Conflict(theirs)),
                Err(error) => return session.state.set(SaveState::Failed(error.to_string())),
            }
        }
    }

    /// The files were read again, perhaps at another node: says what the editor should show.
    pub(crate) fn look(&self, open: &OpenChat, now: Option<FileEntry>) -> Seen {
        let session = &self.0;
        let state = session.state.get_untracked();
        // While it is saved, what is read may be older than what is being written.
        if state == SaveState::Saving {
            return Seen::Known;
        }
        session.open.replace(open.clone());
        if now == session.seen.get() {
            return Seen::Known;
        }
        match state {
            SaveState::Unsaved | SaveState::Failed(_) | SaveState::Conflict(_) => {
                session.state.set(SaveState::Conflict(now));
                Seen::Known
            }
            SaveState::Saved | SaveState::Saving => {
                session.seen.set(now);
                session.last_save.replace(None);
                now.map_or(Seen::Gone, Seen::Other)
            }
        }
    }

    /// Settles a conflict by what is there: what was typed here is given up.
    pub(crate) fn take_theirs(&self, workspace: Workspace) {
        self.0.seen.set(None);
        self.0.state.set(SaveState::Saved);
        // The files are read again, and the session finds that it knows another one.
        workspace.changes.update(|changes| *changes += 1);
    }

    /// Settles a conflict by keeping both: what was typed here goes into a file beside it, which is opened.
    pub(crate) fn keep_both(&self, workspace: Workspace) {
        let session = self.clone();
        workspace.in_chat("Your version was not kept", async move |workspace, open| {
            let path = session.write_beside(workspace, &open).await?;
            workspace.open_file(path);
            Ok(())
        });
    }
}
