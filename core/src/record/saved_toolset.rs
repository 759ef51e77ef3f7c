//! A saved toolset: a named selection of tools over all toolsets. It holds references only, never a server's configuration (C17).

use serde::{Deserialize, Serialize};

use super::{Record, RowKey, Table};
use crate::time::Timestamp;

/// A row of `saved_toolsets`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedToolset {
    /// Its name, which is its key (C11).
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// A label of the user's own.
    pub version: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its tools were last chosen anew.
    pub modified_at: Timestamp,
    /// The tools, in the order in which they were chosen.
    pub tools: Vec<ToolReference>,
    /// What the user has noted about them.
    #[serde(default)]
    pub notes: Vec<ToolNotes>,
    /// Whether a reference that fits only half is accepted with a warning (C12).
    #[serde(default)]
    pub allow_stale_refs: bool,
}

/// A tool, named twice: where it is, and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolReference {
    /// `{server or toolset}.{tool}` (C05).
    pub namespaced_name: String,
    /// The hash of its definition, `sha256:` and hexadecimal digits (C13).
    pub ref_id: String,
}

/// The notes about one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolNotes {
    /// Which tool.
    pub tool: ToolReference,
    /// The notes.
    pub notes: Vec<Note>,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its headline.
    pub name: String,
    /// What it says.
    pub note: String,
}

impl Record for SavedToolset {
    const TABLE: Table = Table::SavedToolsets;

    fn key(&self) -> RowKey {
        RowKey::one(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let reference = ToolReference { namespaced_name: "git.status".into(), ref_id: "sha256:ab12".into() };
        let saved = SavedToolset {
            name: "review".into(),
            description: Some("For reading code".into()),
            version: None,
            created_at: Timestamp::from_millis(1_700_000_000_000),
            modified_at: Timestamp::from_millis(1_700_000_000_001),
            tools: vec![reference.clone()],
            notes: vec![ToolNotes {
                tool: reference,
                notes: vec![Note { name: "use".into(), note: "before a commit".into() }],
            }],
            allow_stale_refs: false,
        };
        insta::assert_json_snapshot!(saved, @r#"
        {
          "name": "review",
          "description": "For reading code",
          "version": null,
          "created_at": "2023-11-14T22:13:20.000Z",
          "modified_at": "2023-11-14T22:13:20.001Z",
          "tools": [
            {
              "namespaced_name": "git.status",
              "ref_id": "sha256:ab12"
            }
          ],
          "notes": [
            {
              "tool": {
                "namespaced_name": "git.status",
                "ref_id": "sha256:ab12"
              },
              "notes": [
                {
                  "name": "use",
                  "note": "before a commit"
                }
              ]
            }
          ],
          "allow_stale_refs": false
        }
        "#);
    }
}
