//! An MCP server that a toolset has.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};
use crate::catalog::{ServerId, ServerKey, ToolsetId};

/// A row of `toolset_mcp_servers`. Secrets in it are placeholders, `${VAR}`, never values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolsetMcpServer {
    /// The toolset.
    pub toolset_id: ToolsetId,
    /// Its name there.
    pub server_id: ServerId,
    /// How it is reached: command, args, env, cwd, or url, transport, headers.
    pub config: Value,
    /// Whether it is used.
    pub enabled: bool,
    /// Whether it was switched on by the installation.
    pub auto_enabled: bool,
    /// Whether its tools ask before they run.
    pub requires_confirmation: bool,
}

impl ToolsetMcpServer {
    /// Its identity over all toolsets.
    #[must_use]
    pub fn server_key(&self) -> ServerKey {
        ServerKey { toolset: self.toolset_id.clone(), server: self.server_id.clone() }
    }
}

impl Record for ToolsetMcpServer {
    const TABLE: Table = Table::ToolsetMcpServers;

    fn key(&self) -> RowKey {
        RowKey::of([self.toolset_id.as_str(), self.server_id.as_str()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R012, R013
    #[test]
    fn as_stored() {
        let server = ToolsetMcpServer {
            toolset_id: ToolsetId::parse("my-toolset").expect("is a name"),
            server_id: ServerId::parse("my-mcp-server").expect("is a name"),
            config: serde_json::json!({"args": ["-y", "pkg"], "command": "npx", "env": {"API_KEY": "${MY_API_KEY}"}}),
            enabled: true,
            auto_enabled: false,
            requires_confirmation: true,
        };
        assert_eq!(server.server_key().to_string(), "my-toolset~my-mcp-server");
        insta::assert_json_snapshot!(server, @r#"
        {
          "toolset_id": "my-toolset",
          "server_id": "my-mcp-server",
          "config": {
            "args": [
              "-y",
              "pkg"
            ],
            "command": "npx",
            "env": {
              "API_KEY": "${MY_API_KEY}"
            }
          },
          "enabled": true,
          "auto_enabled": false,
          "requires_confirmation": true
        }
        "#);
    }
}
