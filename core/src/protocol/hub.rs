//! The hub: what the app publishes of its saved toolsets, so that other programs can use them through the Satchel server by MCP, and what
//! those programs have changed meanwhile.
//!
//! The app's store is where saved toolsets are. The server has what was published last, and notes what other programs change; the app takes
//! that over when it next looks, and publishes again. All of it is in clear, and has no secrets: MCP tools are named by their servers, which
//! were published with placeholders, and HTTP tools are written with placeholders themselves.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mcp::server_key;
use crate::catalog::{ServerKey, ToolId};
use crate::record::SavedToolset;
use crate::saved::Mode;

/// What the app publishes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HubPublication {
    /// The tools that the server can reach, as the app knows them.
    pub tools: Vec<HubTool>,
    /// The saved toolsets.
    pub toolsets: Vec<SavedToolset>,
    /// The one that is equipped.
    pub equipped: Option<String>,
}

/// A tool that the hub may offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HubTool {
    /// The tool.
    pub id: ToolId,
    /// What it does, with what the user has changed about that.
    pub description: String,
    /// Its definition, in the shape in which MCP servers send theirs; a server's tool has to have it still when it is offered (C14).
    pub received: Value,
    /// Who carries out a call of it.
    pub provider: HubProvider,
}

/// Who carries out calls: whatever kind of tool the server can reach by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HubProvider {
    /// An MCP server that the account has published.
    Mcp {
        /// Its key.
        #[serde(with = "server_key")]
        server: ServerKey,
        /// The server's name for the tool.
        tool: String,
    },
    /// The Satchel server itself, which asks hosts, with the secrets of its vault.
    Http {
        /// What to ask, as the tool's row has it.
        definition: Value,
        /// How long a call may take, in milliseconds.
        time_limit_ms: u64,
    },
}

/// Something that another program has changed by the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum HubChange {
    /// A saved toolset is new, or has other notes.
    Put {
        /// The toolset.
        toolset: SavedToolset,
    },
    /// One was deleted.
    Delete {
        /// Its name.
        name: String,
    },
    /// Another one is equipped, or none.
    Equip {
        /// Its name.
        name: Option<String>,
    },
}

/// Answer of `GET /api/v1/hub`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HubState {
    /// What was published last; none where nothing ever was.
    pub published: Option<HubPublication>,
    /// What was changed since, in order.
    pub changes: Vec<HubChange>,
    /// Counts the changes; whoever has taken them over says up to where.
    pub revision: u64,
    /// What other programs are offered.
    pub mode: Mode,
}

/// Body of `PUT /api/v1/hub`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HubPut {
    /// What is published.
    pub publication: HubPublication,
    /// The changes that are part of it: those up to this revision.
    pub taken: u64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::parse_server_key;

    #[test]
    fn as_sent() {
        let server = parse_server_key("git~git").expect("is a key");
        let tool = HubTool {
            id: ToolId::Mcp(server.clone(), "status".into()),
            description: "Tells what changed".into(),
            received: json!({"name": "status", "inputSchema": {"type": "object"}}),
            provider: HubProvider::Mcp { server, tool: "status".into() },
        };
        let asking = HubTool {
            id: ToolId::parse("weather:today").expect("is a tool id"),
            description: "Tells the weather".into(),
            received: json!({"name": "today", "inputSchema": null}),
            provider: HubProvider::Http { definition: json!({"allowedHosts": ["a.test"]}), time_limit_ms: 60_000 },
        };
        let publication =
            HubPublication { tools: vec![tool, asking], toolsets: vec![], equipped: Some("review".into()) };
        let change = HubChange::Equip { name: None };
        let state = HubState {
            published: Some(publication.clone()),
            changes: vec![change],
            revision: 3,
            mode: Mode::Configuring,
        };
        insta::assert_json_snapshot!(state, @r#"
        {
          "published": {
            "tools": [
              {
                "id": "mcp:git~git:status",
                "description": "Tells what changed",
                "received": {
                  "name": "status",
                  "inputSchema": {
                    "type": "object"
                  }
                },
                "provider": {
                  "kind": "mcp",
                  "server": "git~git",
                  "tool": "status"
                }
              },
              {
                "id": "weather:today",
                "description": "Tells the weather",
                "received": {
                  "name": "today",
                  "inputSchema": null
                },
                "provider": {
                  "kind": "http",
                  "definition": {
                    "allowedHosts": [
                      "a.test"
                    ]
                  },
                  "time_limit_ms": 60000
                }
              }
            ],
            "toolsets": [],
            "equipped": "review"
          },
          "changes": [
            {
              "change": "equip",
              "name": null
            }
          ],
          "revision": 3,
          "mode": "configuring"
        }
        "#);
        let put = serde_json::to_value(HubPut { publication, taken: 3 }).expect("serialises");
        assert_eq!(put["taken"], 3);
        assert_eq!(
            serde_json::from_value::<HubState>(serde_json::to_value(&state).expect("serialises")).expect("reads"),
            state
        );
    }
}
