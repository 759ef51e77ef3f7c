//! What was typed into a file and could not be saved there: kept on this device as a draft, until the user puts it back or lets it go.

use super::WorkspacePath;
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::record::{Draft, EditedFile};

/// A text that waits for its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptText {
    /// The place of its draft. It is the editing session's own: two texts of one file never take each other's place.
    pub place: String,
    /// The file it was typed into.
    pub path: WorkspacePath,
    /// What the file was before.
    pub seen: Option<BlobId>,
    /// What was typed.
    pub text: String,
}

impl KeptText {
    /// The place of what is typed in a session.
    #[must_use]
    pub fn place_of(chat: &ChatId, session: &str) -> String {
        format!("{}{session}", start_of(chat))
    }

    /// The row that keeps it.
    #[must_use]
    pub fn to_draft(&self) -> Draft {
        let file = EditedFile { path: self.path.clone(), seen: self.seen };
        Draft { place: self.place.clone(), text: self.text.clone(), file: Some(file), ..Draft::default() }
    }

    /// What a draft keeps of a chat's files; nothing where it is another kind of draft, or of another chat.
    #[must_use]
    pub fn of_draft(draft: Draft, chat: &ChatId) -> Option<Self> {
        let Draft { place, text, file, .. } = draft;
        let EditedFile { path, seen } = file.filter(|_| place.starts_with(&start_of(chat)))?;
        Some(Self { place, path, seen, text })
    }
}

fn start_of(chat: &ChatId) -> String {
    format!("editor/{chat}/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::fixtures::path;

    fn chat(number: u32) -> ChatId {
        ChatId::parse(format!("00000000-0000-7000-8000-{number:012}")).expect("is a UUID")
    }

    #[test]
    fn a_kept_text_is_a_draft_of_its_chat() {
        let kept = KeptText {
            place: KeptText::place_of(&chat(1), "one"),
            path: path("notes/a.md"),
            seen: Some(BlobId::of(b"before")),
            text: "typed".into(),
        };
        assert_eq!(KeptText::of_draft(kept.to_draft(), &chat(1)), Some(kept.clone()));
        assert_eq!(KeptText::of_draft(kept.to_draft(), &chat(2)), None);
        let composed = Draft { place: format!("composer/{}", chat(1)), text: "Dear all".into(), ..Draft::default() };
        assert_eq!(KeptText::of_draft(composed, &chat(1)), None);
    }
}
