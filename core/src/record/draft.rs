//! Text typed but not sent, and what was to go along with it: still there after a reload, on this device only.

use serde::{Deserialize, Serialize};

use super::{Attachment, Record, RowKey, Table};
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::workspace::WorkspacePath;

/// A row of `drafts`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// Where it was typed, for example `composer/new`.
    pub place: String,
    /// What was typed.
    pub text: String,
    /// What goes along with it. Written also where there is nothing: a field that is left out would stay as it was.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// The file it was typed into, where it was not the composer.
    #[serde(default)]
    pub file: Option<EditedFile>,
}

/// The file that a text was typed into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedFile {
    /// Where it is in the workspace.
    pub path: WorkspacePath,
    /// What it was when the text was typed. Only to be compared with: nothing is kept for it, so it is not spelled `sha256`.
    pub seen: Option<BlobId>,
}

impl Draft {
    /// Whether a draft at this place belongs to a chat: `composer/{chat}`, or `editor/{chat}/…`.
    #[must_use]
    pub fn is_of_chat(place: &str, chat: &ChatId) -> bool {
        place.split('/').nth(1) == Some(chat.as_str())
    }
}

impl Record for Draft {
    const TABLE: Table = Table::Drafts;

    fn key(&self) -> RowKey {
        RowKey::one(&self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let draft = Draft { place: "composer/new".into(), text: "Dear all".into(), ..Draft::default() };
        insta::assert_json_snapshot!(draft, @r#"
        {
          "place": "composer/new",
          "text": "Dear all",
          "attachments": [],
          "file": null
        }
        "#);
        let of_before = serde_json::json!({"place": "composer/new", "text": "Dear all"});
        assert_eq!(serde_json::from_value::<Draft>(of_before).expect("reads"), draft);
        let path = WorkspacePath::parse("notes/a.md").expect("is a path");
        let file = Some(EditedFile { path, seen: Some(BlobId::of(b"before")) });
        let edited = Draft { place: "editor/chat/session".into(), text: "typed".into(), file, ..Draft::default() };
        insta::assert_json_snapshot!(edited, @r#"
        {
          "place": "editor/chat/session",
          "text": "typed",
          "attachments": [],
          "file": {
            "path": "notes/a.md",
            "seen": "6db7d803e74f1ffa7d8f5adc0bf95b3e15bf4c8373fffadf546227cc6c6742cb"
          }
        }
        "#);
    }

    #[test]
    fn a_draft_is_of_a_chat_by_its_place() {
        let chat = ChatId::parse("00000000-0000-7000-8000-000000000001").expect("is a UUID");
        assert!(Draft::is_of_chat(&format!("composer/{chat}"), &chat));
        assert!(Draft::is_of_chat(&format!("editor/{chat}/session"), &chat));
        assert!(!Draft::is_of_chat("composer/new", &chat));
    }
}
