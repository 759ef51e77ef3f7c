//! How far the saving of a text is while it is edited: what happened in, what holds now out. Whoever shows the text stores it; here is decided
//! when, over what, and what has to be done with words that could not be stored.

use super::FileEntry;
use crate::ids::ManifestId;

/// How far the saving of a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveState {
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
    /// The file was deleted elsewhere, and nothing is left here to be stored.
    Deleted,
}

impl SaveState {
    /// The word the style sheets know it by, and the words the user reads.
    #[must_use]
    pub fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Saved => ("saved", "Saved"),
            Self::Unsaved => ("unsaved", "Not saved yet"),
            Self::Saving => ("saving", "Saving"),
            Self::Failed(_) => ("failed", "Not saved"),
            Self::Conflict(Some(_)) => ("conflict", "Changed elsewhere"),
            Self::Conflict(None) => ("conflict", "Deleted elsewhere"),
            Self::Deleted => ("deleted", "Deleted"),
        }
    }
}

/// What is to be shown, now that the files were read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// What is shown already.
    Known,
    /// The file is another one now, and nothing was typed: show that.
    Other(FileEntry),
}

/// What one save starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What the file was when the session last looked; a save over anything else is refused.
    pub seen: Option<FileEntry>,
    /// The state of files that the session made last.
    pub last_save: Option<ManifestId>,
}

/// What has to be done with the words of a session that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOver {
    /// They are stored, or were given up.
    Nothing,
    /// A save is under way; how it ends decides.
    Pending,
    /// The file is another one now: they go into a file beside it.
    Beside,
    /// They could not be stored, and this is why: they are kept until they can be.
    Kept(String),
}

/// One editing session of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editing {
    state: SaveState,
    seen: Option<FileEntry>,
    last_save: Option<ManifestId>,
    /// Counts the changes by the user.
    typed: u32,
    /// The change up to which is being stored.
    taken: u32,
}

impl Editing {
    /// Begins with a file as it is.
    #[must_use]
    pub fn of(file: FileEntry) -> Self {
        Self { state: SaveState::Saved, seen: Some(file), last_save: None, typed: 0, taken: 0 }
    }

    /// How far the saving is.
    #[must_use]
    pub fn state(&self) -> &SaveState {
        &self.state
    }

    /// What the file was when the session last looked.
    #[must_use]
    pub fn seen(&self) -> Option<FileEntry> {
        self.seen
    }

    /// Whether words stand here that are stored nowhere else.
    #[must_use]
    pub fn is_unsaved(&self) -> bool {
        !matches!(self.state, SaveState::Saved | SaveState::Deleted)
    }

    /// The user has typed; gives the number of the change.
    pub fn typed(&mut self) -> u32 {
        self.typed += 1;
        // A conflict is the user's to settle; until then nothing is saved.
        if !matches!(self.state, SaveState::Conflict(_) | SaveState::Saving) {
            self.state = SaveState::Unsaved;
        }
        self.typed
    }

    /// Whether nothing was typed after a change.
    #[must_use]
    pub fn is_last(&self, change: u32) -> bool {
        self.typed == change
    }

    /// Begins a save, where there is something to save.
    pub fn begin(&mut self) -> Option<Attempt> {
        match self.state {
            SaveState::Unsaved | SaveState::Failed(_) => {}
            SaveState::Saved | SaveState::Saving | SaveState::Conflict(_) | SaveState::Deleted => return None,
        }
        (self.state, self.taken) = (SaveState::Saving, self.typed);
        Some(Attempt { seen: self.seen, last_save: self.last_save.clone() })
    }

    /// The save was made. What was typed meanwhile is the next one's.
    pub fn kept(&mut self, file: FileEntry, manifest: Option<ManifestId>) {
        (self.seen, self.last_save) = (Some(file), manifest);
        self.state = if self.typed == self.taken { SaveState::Saved } else { SaveState::Unsaved };
    }

    /// The save was refused, because the file is another one by now.
    pub fn refused(&mut self, theirs: Option<FileEntry>) {
        self.state = SaveState::Conflict(theirs);
    }

    /// The save came to nothing.
    pub fn failed(&mut self, reason: String) {
        self.state = SaveState::Failed(reason);
    }

    /// The files were read again, perhaps at another message.
    pub fn look(&mut self, now: Option<FileEntry>) -> Seen {
        // While it is saved, what is read may be older than what is being written.
        if self.state == SaveState::Saving || now == self.seen {
            return Seen::Known;
        }
        match self.state {
            SaveState::Unsaved | SaveState::Failed(_) | SaveState::Conflict(_) => {
                self.state = SaveState::Conflict(now);
                Seen::Known
            }
            SaveState::Saved | SaveState::Saving | SaveState::Deleted => {
                (self.seen, self.last_save) = (now, None);
                self.state = if now.is_some() { SaveState::Saved } else { SaveState::Deleted };
                now.map_or(Seen::Known, Seen::Other)
            }
        }
    }

    /// Settles a conflict by what is there: what was typed here is given up. What is there is shown at the next look.
    pub fn give_up(&mut self) {
        if let SaveState::Conflict(theirs) = self.state {
            (self.seen, self.last_save) = (None, None);
            self.state = if theirs.is_some() { SaveState::Saved } else { SaveState::Deleted };
        }
    }

    /// What was typed is stored elsewhere.
    pub fn stored_elsewhere(&mut self) {
        self.state = SaveState::Saved;
    }

    /// What has to be done with the words, should the session end now.
    #[must_use]
    pub fn left_over(&self) -> LeftOver {
        match &self.state {
            SaveState::Saved | SaveState::Deleted => LeftOver::Nothing,
            SaveState::Saving => LeftOver::Pending,
            SaveState::Unsaved => LeftOver::Kept("it was closed before it could be saved".into()),
            SaveState::Conflict(_) => LeftOver::Beside,
            SaveState::Failed(reason) => LeftOver::Kept(reason.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::BlobId;

    fn file(content: &str) -> FileEntry {
        FileEntry { sha256: BlobId::of(content.as_bytes()), size: content.len() as u64 }
    }

    fn manifest() -> Option<ManifestId> {
        ManifestId::parse("00000000-0000-7000-8000-000000000001").ok()
    }

    #[test]
    fn what_is_typed_during_a_save_is_saved_next() {
        let mut editing = Editing::of(file("a"));
        assert_eq!(editing.begin(), None, "there is nothing to save");
        let change = editing.typed();
        assert_eq!(editing.begin(), Some(Attempt { seen: Some(file("a")), last_save: None }));
        assert_eq!(editing.begin(), None, "one save at a time");
        assert!(editing.is_last(change));
        editing.typed();
        assert!(!editing.is_last(change));
        editing.kept(file("ab"), manifest());
        assert_eq!(editing.state(), &SaveState::Unsaved);
        assert_eq!(editing.begin(), Some(Attempt { seen: Some(file("ab")), last_save: manifest() }));
        editing.kept(file("abc"), manifest());
        assert_eq!((editing.state(), editing.is_unsaved()), (&SaveState::Saved, false));
    }

    /// R319: whoever leaves during a save does not know yet whether anything is left over.
    #[test]
    fn no_words_are_left_behind() {
        let mut editing = Editing::of(file("a"));
        assert_eq!(editing.left_over(), LeftOver::Nothing);
        editing.typed();
        assert!(matches!(editing.left_over(), LeftOver::Kept(_)));
        editing.begin();
        assert_eq!(editing.left_over(), LeftOver::Pending);
        editing.failed("there is no room left".into());
        assert_eq!(editing.left_over(), LeftOver::Kept("there is no room left".into()));
        assert!(editing.begin().is_some(), "it can be tried again");
        editing.refused(Some(file("b")));
        assert_eq!(editing.left_over(), LeftOver::Beside);
        editing.stored_elsewhere();
        assert_eq!(editing.left_over(), LeftOver::Nothing);
    }

    #[test]
    fn a_change_elsewhere_is_shown_unless_something_was_typed() {
        let mut editing = Editing::of(file("a"));
        assert_eq!(editing.look(Some(file("a"))), Seen::Known);
        assert_eq!(editing.look(Some(file("b"))), Seen::Other(file("b")));
        editing.typed();
        assert_eq!(editing.look(Some(file("c"))), Seen::Known);
        assert_eq!(editing.state(), &SaveState::Conflict(Some(file("c"))));
        editing.typed();
        assert_eq!(editing.begin(), None, "nothing is overwritten");
        editing.give_up();
        assert_eq!(editing.look(Some(file("c"))), Seen::Other(file("c")));
        assert_eq!(editing.state(), &SaveState::Saved);
    }

    /// A file that is gone is never said to be saved.
    #[test]
    fn giving_up_on_a_deleted_file_leaves_it_deleted() {
        let mut editing = Editing::of(file("a"));
        editing.typed();
        assert_eq!(editing.look(None), Seen::Known);
        assert_eq!(editing.state(), &SaveState::Conflict(None));
        editing.give_up();
        assert_eq!(editing.state(), &SaveState::Deleted);
        assert_eq!(editing.look(None), Seen::Known);
        assert_eq!(editing.state(), &SaveState::Deleted);
        assert_eq!(editing.look(Some(file("again"))), Seen::Other(file("again")));
    }

    #[test]
    fn a_save_under_way_knows_better_than_what_is_read() {
        let mut editing = Editing::of(file("a"));
        editing.typed();
        editing.begin();
        assert_eq!(editing.look(Some(file("older"))), Seen::Known);
        assert_eq!(editing.state(), &SaveState::Saving);
    }
}
