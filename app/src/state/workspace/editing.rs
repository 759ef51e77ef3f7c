//! One editing session: from the moment a text is opened until it is closed everywhere it was open. It saves by itself after a pause, all
//! its saves are one manifest, and it never writes over what was changed elsewhere. A file has one session, however often it is on the
//! screen: in the pane of files, and with the calls that show it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{ArcRwSignal, Callback, GetUntracked as _, Set as _, Update as _};
use satchel_core::ids::{ChatId, ManifestId};
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
    /// The file was deleted elsewhere, and nothing had been typed.
    Deleted,
}

impl SaveState {
    /// The word the style sheets know it by, and the words the user reads.
    pub(crate) fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Saved => ("saved", "Saved"),
            Self::Unsaved => ("unsaved", "Not saved yet"),
            Self::Saving => ("saving", "Saving"),
            Self::Failed(_) => ("failed", "Not saved"),
            Self::Conflict(_) => ("conflict", "Changed elsewhere"),
            Self::Deleted => ("deleted", "Deleted"),
        }
    }
}

/// A place on the screen where the text stands.
pub(crate) struct TextSurface {
    /// What stands there; nothing while it is not drawn yet.
    pub(crate) text: Box<dyn Fn() -> Option<String>>,
    /// Puts another text there.
    pub(crate) replace: Box<dyn Fn(&str)>,
}

/// What a session makes of the files it is shown.
pub(crate) enum Seen {
    /// They are what it knows.
    Known,
    /// The file is another one now, and nothing was typed: show that.
    Other(FileEntry),
}

/// A session. A clone is the same session.
#[derive(Clone)]
pub(crate) struct EditSession(Rc<Session>);

struct Session {
    path: WorkspacePath,
    /// Where it stands, each by its number. All of them show the same.
    surfaces: RefCell<Vec<(u32, Rc<TextSurface>)>>,
    /// The number of the surface that came last.
    joined: Cell<u32>,
    /// The surface that was typed in last.
    typed_in: Cell<u32>,
    state: ArcRwSignal<SaveState>,
    open: RefCell<OpenChat>,
    seen: Cell<Option<FileEntry>>,
    last_save: RefCell<Option<ManifestId>>,
    /// Counts the changes by the user.
    typed: Cell<u32>,
}

impl EditSession {
    /// Begins with a file as it is.
    pub(crate) fn new(open: OpenChat, path: WorkspacePath, seen: FileEntry) -> Self {
        Self(Rc::new(Session {
            path,
            surfaces: RefCell::default(),
            joined: Cell::new(0),
            typed_in: Cell::new(0),
            state: ArcRwSignal::new(SaveState::Saved),
            open: RefCell::new(open),
            seen: Cell::new(Some(seen)),
            last_save: RefCell::default(),
            typed: Cell::new(0),
        }))
    }

    /// Whether it is the session of this file of this chat.
    pub(super) fn is_of(&self, chat: &ChatId, path: &WorkspacePath) -> bool {
        self.0.path == *path && self.0.open.borrow().chat.id == *chat
    }

    /// Whether it is the very same session.
    pub(super) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The text is shown in one more place, which gets a number.
    pub(crate) fn join(&self, surface: TextSurface) -> u32 {
        let number = self.0.joined.get() + 1;
        self.0.joined.set(number);
        self.0.surfaces.borrow_mut().push((number, Rc::new(surface)));
        number
    }

    /// A place goes; whether others remain. The last one is kept, for the text in it that may have to be saved.
    pub(super) fn leave(&self, surface: u32) -> bool {
        let mut surfaces = self.0.surfaces.borrow_mut();
        if surfaces.len() > 1 {
            surfaces.retain(|(number, _)| *number != surface);
            return true;
        }
        false
    }

    /// What stands there now: where the user typed last, or else anywhere.
    pub(crate) fn text(&self) -> Option<String> {
        let (surfaces, typed_in) = (self.0.surfaces.borrow().clone(), self.0.typed_in.get());
        let of_typed =
            surfaces.iter().find(|(number, _)| *number == typed_in).and_then(|(_, surface)| (surface.text)());
        of_typed.or_else(|| surfaces.iter().find_map(|(_, surface)| (surface.text)()))
    }

    /// Shows a text everywhere, or everywhere but where it was typed.
    pub(crate) fn show(&self, text: &str, but_in: Option<u32>) {
        let surfaces = self.0.surfaces.borrow().clone();
        for (_, surface) in surfaces.iter().filter(|(number, _)| Some(*number) != but_in) {
            (surface.replace)(text);
        }
    }

    /// How far the saving is.
    pub(crate) fn state(&self) -> ArcRwSignal<SaveState> {
        self.0.state.clone()
    }

    /// Whether what stands in the editor is not stored.
    pub(crate) fn is_unsaved(&self) -> bool {
        !matches!(self.0.state.get_untracked(), SaveState::Saved | SaveState::Deleted)
    }

    /// The user has typed, here: shows it wherever else the text stands, and saves after a pause.
    pub(crate) fn typed(&self, workspace: Workspace, surface: u32) {
        let session = self.clone();
        session.0.typed_in.set(surface);
        if session.0.surfaces.borrow().len() > 1
            && let Some(text) = session.text()
        {
            session.show(&text, Some(surface));
        }
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
            SaveState::Saved | SaveState::Unsaved | SaveState::Saving | SaveState::Deleted => {}
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
        let (Some(text), path) = (self.text(), &self.0.path) else { return };
        let name = path.name().to_owned();
        let words = format!(
            "What you typed in \u{201c}{path}\u{201d} was not saved: {reason}. Download it, so that it is not lost."
        );
        let run = Callback::new(move |()| files::download(&name, &RawBytes::from(text.as_bytes())));
        workspace.notices.offer(NoticeKind::Error, words, NoticeAction { label: "Download", run });
    }

    async fn write_beside(&self, workspace: Workspace, open: &OpenChat) -> Result<WorkspacePath, FilesError> {
        let store = workspace.storage.store();
        let text = self.text().ok_or(FilesError::Nothing)?;
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
                SaveState::Saved | SaveState::Saving | SaveState::Conflict(_) | SaveState::Deleted => return,
            }
            let Some(text) = self.text() else { return };
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
            SaveState::Saved | SaveState::Saving | SaveState::Deleted => {
                session.seen.set(now);
                session.last_save.replace(None);
                session.state.set(if now.is_some() { SaveState::Saved } else { SaveState::Deleted });
                now.map_or(Seen::Known, Seen::Other)
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
        workspace.in_chat("Your version was not saved", async move |workspace, open| {
            let path = session.write_beside(workspace, &open).await?;
            workspace.open_file(path);
            Ok(())
        });
    }
}
