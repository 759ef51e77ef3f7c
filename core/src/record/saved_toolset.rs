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

/// A tool, named by where it is, by what it is, or by both; never by neither (R028).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Named")]
pub struct ToolReference {
    #[serde(skip_serializing_if = "Option::is_none")]
    namespaced_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
}

/// A reference that names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tool is named by \"namespaced_name\", by \"ref_id\" or by both, and here is neither")]
pub struct NoReference;

#[derive(Deserialize)]
struct Named {
    namespaced_name: Option<String>,
    ref_id: Option<String>,
}

impl TryFrom<Named> for ToolReference {
    type Error = NoReference;

    fn try_from(Named { namespaced_name, ref_id }: Named) -> Result<Self, NoReference> {
        Self::new(namespaced_name, ref_id)
    }
}

impl ToolReference {
    /// A reference, unless both parts are missing or empty.
    pub fn new(namespaced_name: Option<String>, ref_id: Option<String>) -> Result<Self, NoReference> {
        let [namespaced_name, ref_id] = [namespaced_name, ref_id].map(|part| part.filter(|part| !part.is_empty()));
        if namespaced_name.is_none() && ref_id.is_none() {
            return Err(NoReference);
        }
        Ok(Self { namespaced_name, ref_id })
    }

    /// `{server or toolset}.{tool}` (C05).
    #[must_use]
    pub fn namespaced_name(&self) -> Option<&str> {
        self.namespaced_name.as_deref()
    }

    /// The hash of its definition, `sha256:` and hexadecimal digits (C13).
    #[must_use]
    pub fn ref_id(&self) -> Option<&str> {
        self.ref_id.as_deref()
    }
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
    use serde_json::json;

    use super::*;

    /// R027, R028
    #[test]
    fn a_reference_names_its_tool_in_one_way_at_least() {
        let check = |written: serde_json::Value, expected: Option<(Option<&str>, Option<&str>)>| {
            let read = serde_json::from_value::<ToolReference>(written.clone()).ok();
            let parts = read.as_ref().map(|read| (read.namespaced_name(), read.ref_id()));
            assert_eq!(parts, expected, "{written}");
        };
        check(json!({"namespaced_name": "git.status"}), Some((Some("git.status"), None)));
        check(json!({"ref_id": "sha256:ab12"}), Some((None, Some("sha256:ab12"))));
        check(json!({"namespaced_name": "", "ref_id": "sha256:ab12"}), Some((None, Some("sha256:ab12"))));
        for neither in [json!({}), json!({"namespaced_name": ""}), json!({"namespaced_name": null, "ref_id": null})] {
            check(neither, None);
        }
        let error = serde_json::from_value::<ToolReference>(json!({})).expect_err("names nothing").to_string();
        assert_eq!(error, NoReference.to_string());
    }

    /// R027
    #[test]
    fn as_stored() {
        let reference =
            ToolReference::new(Some("git.status".into()), Some("sha256:ab12".into())).expect("names a tool");
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
