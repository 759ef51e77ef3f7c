//! A pin: the definition of a tool as the user knows it. A tool that has become another one must ask again (C14).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};
use crate::catalog::{ToolId, ToolsetId};
use crate::digest::BlobId;
use crate::time::Timestamp;

/// A row of `pins`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// The tool.
    pub tool_id: ToolId,
    /// The toolset, by which its pins are found; rows of old have none for a tool of a package.
    #[serde(default)]
    pub toolset_id: Option<ToolsetId>,
    /// The hash of the whole definition with [`Pin::identity`].
    pub definition_hash: BlobId,
    /// Who gives the tool: the package's hash, or the MCP server's name for itself.
    pub identity: String,
    /// The definition, so that what has changed can be shown.
    pub definition: Value,
    /// The reference that saved toolsets use, for a tool of an MCP server (C13).
    pub ref_id: Option<String>,
    /// When it was first seen, or approved again.
    pub pinned_at: Timestamp,
}

impl Record for Pin {
    const TABLE: Table = Table::Pins;

    fn key(&self) -> RowKey {
        RowKey::one(self.tool_id.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn as_stored() {
        let pin = Pin {
            tool_id: ToolId::parse("my-toolset:analyze").expect("is a tool id"),
            toolset_id: None,
            definition_hash: BlobId::of(b"definition"),
            identity: "package".into(),
            definition: json!({"name": "analyze"}),
            ref_id: None,
            pinned_at: Timestamp::from_millis(1_700_000_000_000),
        };
        insta::assert_json_snapshot!(pin, @r#"
        {
          "tool_id": "my-toolset:analyze",
          "toolset_id": null,
          "definition_hash": "4c4ed1afbfdaa1e4c3bf7bbb82d730cecb7e384da91eea4f3cc093fd545524d6",
          "identity": "package",
          "definition": {
            "name": "analyze"
          },
          "ref_id": null,
          "pinned_at": "2023-11-14T22:13:20.000Z"
        }
        "#);
    }
}
