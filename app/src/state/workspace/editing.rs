//! One editing session: from the moment a text is opened until it is closed everywhere it was open. It saves by itself after a pause, all
//! its saves are one manifest, and it never writes over what was changed elsewhere. A file has one session, however often it is on the
//! screen: in the pane of files, and with the calls that show it. How far it is, and what is left over when it ends, is decided by
//! [`Editing`]; what could not be saved is kept as a draft.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures_util::lock::Mutex;
use leptos::prelude::{ArcRwSignal, Callback, GetUntracked as _, Set as _, Update as _};
use satchel_core::ids::ChatId;
use satchel_core::workspace::{Editing, FileEntry, KeptText, LeftOver, SaveState, Seen, WorkspacePath};

use super::{NoticeAction, NoticeKind, Workspace};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::spawn::spawn;
use crate::browser::{clock, files, random};
use crate::work::chats::OpenChat;
use crate::work::workspace::{self, FilesError, Saved, Saving};

/// How long a pause in typing is.
const PAUSE: Duration = Duration::from_millis(700);

/// A place on the screen where the text stands.
pub(crate) struct TextSurface {
    /// What stands there; nothing while it is not drawn yet.
    pub(crate) text: Box<dyn Fn() -> Option<String>>,
    /// Puts another text there.
    pub(crate) replace: Box<dyn Fn(Replaced<'_>)>,
}

/// What comes to stand in a place, instead of what was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced<'a> {
    /// What the user typed in another place.
    Typed(&'a str),
    /// What the file has become elsewhere.
    Elsewhere(&'a str),
    /// Nothing: the file has become something that is no text, or cannot be read.
    NoText,
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
    editing: RefCell<Editing>,
    /// How far the saving is, for who draws it.
    state: ArcRwSignal<SaveState>,
    open: RefCell<OpenChat>,
    /// Held by who saves. Who comes meanwhile waits: only then is known what is left to be done.
    turn: Mutex<()>,
    /// Where it keeps as a draft what could not be saved.
    place: String,
    /// Whether there is something at that place.
    is_kept: Cell<bool>,
}

impl EditSession {
    /// Begins with a file as it is.
    pub(crate) fn new(open: OpenChat, path: WorkspacePath, seen: FileEntry) -> Self {
        Self(Rc::new(Session {
            path,
            surfaces: RefCell::default(),
            joined: Cell::new(0),
            typed_in: Cell::new(0),
            editing: RefCell::new(Editing::of(seen)),
            state: ArcRwSignal::new(SaveState::Saved),
            place: KeptText::place_of(&open.chat.id, &random::uuid_v7()),
            open: RefCell::new(open),
            turn: Mutex::new(()),
            is_kept: Cell::new(false),
        }))
    }

    /// Whether it is the session of this file of this chat.
    pub(super) fn is_of(&self, chat: &ChatId, path: &WorkspacePath) -> bool {
        self.0.path == *path && self.0.open.borrow().chat.id == *chat
    }

    /// Whether it is the session that keeps its words at this place.
    pub(super) fn keeps_at(&self, place: &str) -> bool {
        self.0.place == place
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

    /// Shows what the file has become elsewhere.
    pub(crate) fn show(&self, became: Replaced<'_>) {
        let surfaces = self.0.surfaces.borrow().clone();
        surfaces.iter().for_each(|(_, surface)| (surface.replace)(became));
    }

    /// Shows what was typed in one place in all others.
    fn show_typed(&self, text: &str, typed_in: u32) {
        let surfaces = self.0.surfaces.borrow().clone();
        for (_, surface) in surfaces.iter().filter(|(number, _)| *number != typed_in) {
            (surface.replace)(Replaced::Typed(text));
        }
    }

    /// How far the saving is.
    pub(crate) fn state(&self) -> ArcRwSignal<SaveState> {
        self.0.state.clone()
    }

    /// Whether what stands in the editor is not stored.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.0.editing.borrow().is_unsaved()
    }

    /// Something has happened to the text: says how far the saving is now.
    fn note<T>(&self, happened: impl FnOnce(&mut Editing) -> T) -> T {
        let (told, now) = {
            let mut editing = self.0.editing.borrow_mut();
            let told = happened(&mut editing);
            (told, editing.state().clone())
        };
        if self.0.state.get_untracked() != now {
            self.0.state.set(now);
        }
        told
    }

    /// The user has typed, here: shows it wherever else the text stands, and saves after a pause.
    pub(crate) fn typed(&self, workspace: Workspace, surface: u32) {
        let session = self.clone();
        session.0.typed_in.set(surface);
        if session.0.surfaces.borrow().len() > 1
            && let Some(text) = session.text()
        {
            session.show_typed(&text, surface);
        }
        let change = session.note(Editing::typed);
        spawn(async move {
            clock::wait(PAUSE).await;
            if session.0.editing.borrow().is_last(change) {
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

    /// Saves for the last time. What cannot be saved where it belongs is kept beside it, or on this device until it is put back.
    pub(super) async fn close(&self, workspace: Workspace) {
        let left_over = loop {
            self.save(workspace).await;
            match self.0.editing.borrow().left_over() {
                LeftOver::Pending => {}
                left_over => break left_over,
            }
        };
        match left_over {
            LeftOver::Nothing | LeftOver::Pending => {}
            LeftOver::Beside => {
                let (path, open) = (&self.0.path, self.0.open.borrow().clone());
                match self.write_beside(workspace, &open).await {
                    Ok(beside) => {
                        let words = if beside == *path {
                            format!("\u{201c}{path}\u{201d} was deleted elsewhere; your version is there now.")
                        } else {
                            format!(
                                "\u{201c}{path}\u{201d} was changed elsewhere; your version is \u{201c}{beside}\u{201d}."
                            )
                        };
                        workspace.notices.show(NoticeKind::Warning, words);
                    }
                    Err(error) => self.tell_kept(workspace, &error.to_string()).await,
                }
            }
            LeftOver::Kept(reason) => self.tell_kept(workspace, &reason).await,
        }
    }

    /// Keeps what was typed, and says where it is.
    async fn tell_kept(&self, workspace: Workspace, reason: &str) {
        let (Some(text), path) = (self.text(), &self.0.path) else { return };
        let name = path.name().to_owned();
        let next = match self.keep(workspace).await {
            Ok(()) => "It is kept on this device, and waits in the workspace of this chat.",
            Err(_no_room_for_it_either) => "Download it, so that it is not lost.",
        };
        let words = format!("What you typed in \u{201c}{path}\u{201d} was not saved: {reason}. {next}");
        let run = Callback::new(move |()| files::download(&name, &RawBytes::from(text.as_bytes())));
        workspace.notices.offer(NoticeKind::Error, words, NoticeAction { label: "Download", run });
        workspace.changes.update(|changes| *changes += 1);
    }

    /// What stands there, as it can be kept.
    fn as_kept(&self) -> Option<KeptText> {
        let seen = self.0.editing.borrow().seen().map(|file| file.sha256);
        Some(KeptText { place: self.0.place.clone(), path: self.0.path.clone(), seen, text: self.text()? })
    }

    /// Keeps what stands there as a draft.
    async fn keep(&self, workspace: Workspace) -> Result<(), FilesError> {
        let kept = self.as_kept().ok_or(FilesError::Nothing)?;
        workspace::keep_text(&workspace.storage.store(), &kept).await?;
        self.0.is_kept.set(true);
        Ok(())
    }

    /// What was kept is stored as a file, or was given up.
    async fn let_go(&self, workspace: Workspace) {
        if !self.0.is_kept.replace(false) {
            return;
        }
        if workspace::forget_text(&workspace.storage.store(), &self.0.place).await.is_err() {
            // It is offered once more, which costs the user a press of a button.
            self.0.is_kept.set(true);
        }
    }

    async fn write_beside(&self, workspace: Workspace, open: &OpenChat) -> Result<WorkspacePath, FilesError> {
        let store = workspace.storage.store();
        let text = self.text().ok_or(FilesError::Nothing)?;
        let path = workspace::free_path(&store, open, &self.0.path).await?;
        workspace::write(&store, open, path.clone(), &text).await?;
        self.note(Editing::stored_elsewhere);
        self.let_go(workspace).await;
        workspace.changes.update(|changes| *changes += 1);
        Ok(path)
    }

    async fn save(&self, workspace: Workspace) {
        let session = &self.0;
        let _turn = session.turn.lock().await;
        while self.is_unsaved() {
            let Some(text) = self.text() else { return };
            let Some(attempt) = self.note(Editing::begin) else { break };
            let open = session.open.borrow().clone();
            let saving =
                Saving { path: &session.path, text, seen: attempt.seen, last_save: attempt.last_save.as_ref() };
            match workspace::save(&workspace.storage.store(), &open, saving).await {
                Ok(Saved::Kept { file, manifest }) => {
                    self.note(|editing| editing.kept(file, manifest));
                    workspace.changes.update(|changes| *changes += 1);
                }
                Ok(Saved::Conflict { theirs }) => {
                    self.note(|editing| editing.refused(theirs));
                    break;
                }
                Err(error) => {
                    self.note(|editing| editing.failed(error.to_string()));
                    break;
                }
            }
        }
        if self.is_unsaved() {
            // A tab can end at any moment. Where there is no room for a draft either, the editor says that nothing was saved.
            self.keep(workspace).await.ok();
        } else {
            self.let_go(workspace).await;
        }
    }

    /// The files were read again, perhaps at another node: says what the editor should show.
    pub(crate) fn look(&self, open: &OpenChat, now: Option<FileEntry>) -> Seen {
        // What is being saved is saved where it was typed.
        if !matches!(self.0.editing.borrow().state(), SaveState::Saving) {
            self.0.open.replace(open.clone());
        }
        self.note(|editing| editing.look(now))
    }

    /// Settles a conflict by what is there: what was typed here is given up, which can be taken back.
    pub(crate) fn take_theirs(&self, workspace: Workspace) {
        // At a place of its own: this session goes on, and may have to keep something else.
        let place = KeptText::place_of(&self.0.open.borrow().chat.id, &random::uuid_v7());
        let kept = self.as_kept().map(|kept| KeptText { place, ..kept });
        self.note(Editing::give_up);
        let session = self.clone();
        spawn(async move {
            session.let_go(workspace).await;
            if let Some(kept) = kept {
                workspace.offer_text_again(kept);
            }
            // The files are read again, and the session finds that it knows another one.
            workspace.changes.update(|changes| *changes += 1);
        });
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
