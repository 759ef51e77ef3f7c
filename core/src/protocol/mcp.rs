//! MCP servers that the Satchel server starts or reaches for the app.
//!
//! The app publishes **definitions** and learns from the server how each is doing, which tools it has and what its calls give back. What
//! an MCP server said itself — a tool, a block of content, the schema of a form — is handed on as it was received, keys in their order,
//! because tools are pinned by the whole of what they say. Secrets are placeholders in a definition; their values stay with the server.

mod call;
mod definition;
mod event;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SecretName;
use crate::catalog::{NameError, ServerId, ServerKey, ToolsetId};

pub use call::{McpCall, McpCallId, McpCallResult, McpInputAction, McpInputAnswer};
pub use definition::{McpDefinition, McpDefinitionError, McpTransport};
pub use event::{ClientId, ClientIdError, McpInputRequest, McpProgress, McpServerNotice, ServerEvent};

/// Answer of `GET /api/v1/mcp/servers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpServerList {
    /// What the account has published, by key.
    pub servers: Vec<McpServerState>,
    /// What the operator's own `mcpServers` file has, in its order: approved, and there to be added.
    #[serde(default)]
    pub offers: Vec<McpOffer>,
}

/// One server of the operator's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpOffer {
    /// What the file calls it.
    pub name: String,
    /// How it is started or reached. Where the file has a value of the operator's own, a name stands for it: the value stays with the server,
    /// which uses it for exactly this definition and for no other.
    pub definition: McpDefinition,
    /// The names in the definition whose values the operator has set.
    #[serde(default)]
    pub set: Vec<SecretName>,
}

/// A published server and how it is doing; also the answer of `GET` and `PUT /api/v1/mcp/servers/{key}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpServerState {
    /// Which one, `{toolset}~{server}`.
    #[serde(with = "server_key")]
    pub key: ServerKey,
    /// What was published.
    pub definition: McpDefinition,
    /// How it is doing.
    pub status: McpStatus,
    /// Why it is doing so, as a sentence; always there with [`McpStatus::Error`].
    pub reason: Option<String>,
    /// For a command: whether the operator has approved it.
    pub approval: Option<McpApproval>,
    /// Who it says that it is, once it has been connected.
    pub identity: Option<McpIdentity>,
    /// Its tools, each the object that it sent. While it is not connected they are those it had last.
    pub tools: Vec<Value>,
    /// Goes up with every change of the list; 0 as long as there was none.
    pub tools_version: u64,
}

/// How an MCP server is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpStatus {
    /// It is being started or reached, or is waited for before the next attempt.
    Connecting,
    /// Its tools can be called.
    Connected,
    /// It cannot be used now. The reason says why, and whether it is tried again by itself.
    Error,
    /// It is not looked after: the app has withdrawn it, or has not published it yet. The server itself never says so.
    Disconnected,
    /// It wants a login first.
    RequiresAuth,
    /// A status of a newer server.
    #[serde(other)]
    Unknown,
}

/// Whether a command may be started (C39).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpApproval {
    /// What is approved: command, arguments, folder and every variable as written, as SHA-256 in hex.
    pub fingerprint: String,
    /// Whether it is.
    pub approved: bool,
    /// What the operator types to approve it.
    pub line: String,
}

/// Who a server says that it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpIdentity {
    /// The name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The version of the protocol that is spoken with it.
    pub protocol_version: String,
}

/// Answer of `POST /api/v1/mcp/servers/{key}/login`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpLogin {
    /// Where the person signs in; they come back to this server, and the connection is made by itself.
    pub authorize_url: String,
}

/// Reads `{toolset}~{server}`.
pub fn parse_server_key(text: &str) -> Result<ServerKey, NameError> {
    let (toolset, server) = text.split_once('~').unwrap_or((text, ""));
    Ok(ServerKey { toolset: ToolsetId::parse(toolset)?, server: ServerId::parse(server)? })
}

/// A server's key as one text.
pub(in crate::protocol) mod server_key {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use super::{ServerKey, parse_server_key};

    pub(in crate::protocol) fn serialize<S: Serializer>(key: &ServerKey, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(key)
    }

    pub(in crate::protocol) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ServerKey, D::Error> {
        let text = String::deserialize(from)?;
        parse_server_key(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// R108
    #[test]
    fn servers_on_the_wire() {
        let list = McpServerList {
            servers: vec![McpServerState {
                key: parse_server_key("my-toolset~files").expect("a key"),
                definition: serde_json::from_value(json!({"command": "npx", "args": ["-y", "files"]})).expect("reads"),
                status: McpStatus::Error,
                reason: Some("waiting for the operator's approval".into()),
                approval: Some(McpApproval {
                    fingerprint: "5f".repeat(32),
                    approved: false,
                    line: format!("satchel mcp approve {}", "5f".repeat(32)),
                }),
                identity: Some(McpIdentity {
                    name: "files".into(),
                    version: "1.0.0".into(),
                    protocol_version: "2025-11-25".into(),
                }),
                tools: vec![json!({"name": "read", "inputSchema": {"type": "object"}})],
                tools_version: 1,
            }],
            offers: vec![McpOffer {
                name: "Time".into(),
                definition: serde_json::from_value(json!({"url": "https://time.example/mcp?key=${OPERATOR_TIME_KEY}"}))
                    .expect("reads"),
                set: vec![SecretName::parse("OPERATOR_TIME_KEY").expect("a name")],
            }],
        };
        insta::assert_json_snapshot!(list, @r#"
        {
          "servers": [
            {
              "key": "my-toolset~files",
              "definition": {
                "command": "npx",
                "args": [
                  "-y",
                  "files"
                ],
                "env": {}
              },
              "status": "error",
              "reason": "waiting for the operator's approval",
              "approval": {
                "fingerprint": "5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f",
                "approved": false,
                "line": "satchel mcp approve 5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f"
              },
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
              "tools_version": 1
            }
          ],
          "offers": [
            {
              "name": "Time",
              "definition": {
                "url": "https://time.example/mcp?key=${OPERATOR_TIME_KEY}",
                "transport": "streamable-http",
                "headers": {}
              },
              "set": [
                "OPERATOR_TIME_KEY"
              ]
            }
          ]
        }
        "#);
        let read: McpServerList = serde_json::from_value(serde_json::to_value(&list).expect("writes")).expect("reads");
        assert_eq!(read, list);
    }

    /// C14: a tool is pinned as it was received, so its keys stay where they are.
    #[test]
    fn the_keys_of_a_tool_keep_their_order() {
        let text = r#"{"zeta":1,"name":"t","alpha":{"y":1,"x":2}}"#;
        let tool: Value = serde_json::from_str(text).expect("reads");
        assert_eq!(tool.to_string(), text);
    }

    /// R107, R109
    #[test]
    fn a_key_has_two_names_in_it() {
        assert_eq!(parse_server_key("a~b").expect("a key").to_string(), "a~b");
        for bad in ["", "a", "~", "a~", "~b", "a~b~c", "a b~c", "mcp~b"] {
            assert!(parse_server_key(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_newer_status_reads_as_unknown() {
        assert_eq!(serde_json::from_str::<McpStatus>(r#""asleep""#).expect("reads"), McpStatus::Unknown);
    }

    #[test]
    fn a_login_on_the_wire() {
        let login = McpLogin { authorize_url: "https://auth.example/authorize?state=1".into() };
        insta::assert_json_snapshot!(login, @r#"
        {
          "authorize_url": "https://auth.example/authorize?state=1"
        }
        "#);
    }
}
