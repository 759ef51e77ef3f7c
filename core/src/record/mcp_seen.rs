//! What an MCP server offered when it was last connected: its tools are never rows of `tools` (R105), and still shown while it is away (C22).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};
use crate::catalog::{ServerId, ServerKey, ToolsetId};
use crate::protocol::McpIdentity;
use crate::time::Timestamp;

/// A row of `mcp_seen`. It stays on the device, which has seen it by its own server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpSeen {
    /// The toolset.
    pub toolset_id: ToolsetId,
    /// The server's name there.
    pub server_id: ServerId,
    /// Who it said that it is.
    pub identity: Option<McpIdentity>,
    /// Its tools, each the object that it sent, keys in their order (C13).
    pub tools: Vec<Value>,
    /// When they last changed.
    pub seen_at: Timestamp,
}

impl McpSeen {
    /// The server's identity over all toolsets.
    #[must_use]
    pub fn server_key(&self) -> ServerKey {
        ServerKey { toolset: self.toolset_id.clone(), server: self.server_id.clone() }
    }
}

impl Record for McpSeen {
    const TABLE: Table = Table::McpSeen;

    fn key(&self) -> RowKey {
        RowKey::of([self.toolset_id.as_str(), self.server_id.as_str()])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn as_stored() {
        let seen = McpSeen {
            toolset_id: ToolsetId::parse("my-toolset").expect("is a name"),
            server_id: ServerId::parse("files").expect("is a name"),
            identity: Some(McpIdentity {
                name: "files".into(),
                version: "1.0.0".into(),
                protocol_version: "2025-11-25".into(),
            }),
            tools: vec![json!({"name": "read", "inputSchema": {"type": "object"}})],
            seen_at: Timestamp::from_millis(1_700_000_000_000),
        };
        assert_eq!(seen.server_key().to_string(), "my-toolset~files");
        insta::assert_json_snapshot!(seen, @r#"
        {
          "toolset_id": "my-toolset",
          "server_id": "files",
          "identity": {
            "name": "files",
            "version": "1.0.0",
            "protocol_version": "2025-11-25"
          },
          "tools": [
            {
              "name": "read",
              "inputSchema": {
                "type": "object"
              }
            }
          ],
          "seen_at": "2023-11-14T22:13:20.000Z"
        }
        "#);
    }
}
