//! What the server tells by itself: the events of `GET /api/v1/events?client={id}`.
//!
//! Each server-sent event is one of these in JSON. Nothing has to be remembered between two connections: whoever comes back reads the
//! list of servers again, and is told once more of every form that still waits for an answer.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{McpCallId, McpStatus, server_key};
use crate::catalog::ServerKey;

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerEvent {
    /// The first one of every connection: from here on nothing is missed.
    Ready,
    /// How an MCP server is doing has changed.
    McpServer(McpServerNotice),
    /// A call of this client gets on.
    McpProgress(McpProgress),
    /// A call of this client asks the person for something.
    McpInput(McpInputRequest),
    /// A form needs no answer any more: it was answered, or its call has ended.
    McpInputEnded {
        /// The call.
        call_id: McpCallId,
        /// The form.
        request_id: String,
    },
    /// Another program has changed saved toolsets by the hub.
    HubChanged,
    /// The account's log has grown: a device has synced something.
    Synced {
        /// The last change.
        head: u64,
    },
    /// A device of the account was shut out, or its key was changed.
    SyncMembersChanged,
    /// An event of a newer server.
    #[serde(other)]
    Unknown,
}

/// That an MCP server is doing otherwise than before; all of it is in its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServerNotice {
    /// Which one.
    #[serde(with = "server_key")]
    pub key: ServerKey,
    /// How it is doing; none when it was withdrawn.
    pub status: Option<McpStatus>,
    /// Why.
    pub reason: Option<String>,
    /// The number of its list of tools.
    pub tools_version: u64,
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpProgress {
    /// The call.
    pub call_id: McpCallId,
    /// How much is done.
    pub progress: f64,
    /// Of how much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What is being done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A form that a call wants filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpInputRequest {
    /// The call.
    pub call_id: McpCallId,
    /// The form, to be named in the answer.
    pub request_id: String,
    /// Who asks.
    #[serde(with = "server_key")]
    pub server: ServerKey,
    /// What it says.
    pub message: String,
    /// What it wants, as a JSON schema of an object with plain members.
    pub schema: Value,
}

/// What one page calls itself among those of its account: 1 to 64 letters, digits, `-` and `_`, chosen at random.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClientId(String);

/// A text that should have been the id of a client or of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the id of a client has 1 to 64 letters, digits, - and _, that of a call up to 128")]
pub struct ClientIdError;

impl ClientId {
    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, ClientIdError> {
        Self::is_sound(text, 64).then(|| Self(text.to_owned())).ok_or(ClientIdError)
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_sound(text: &str, most: usize) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=most).contains(&text.len()) && text.bytes().all(plain)
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for ClientId {
    type Error = ClientIdError;

    fn try_from(text: String) -> Result<Self, ClientIdError> {
        Self::parse(&text)
    }
}

impl From<ClientId> for String {
    fn from(id: ClientId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::parse_server_key;
    use serde_json::json;

    #[test]
    fn events_on_the_wire() {
        let call_id = McpCallId::parse("call_1").expect("an id");
        let key = parse_server_key("web~search").expect("a key");
        let events = [
            ServerEvent::Ready,
            ServerEvent::McpServer(McpServerNotice {
                key: key.clone(),
                status: Some(McpStatus::Connected),
                reason: None,
                tools_version: 2,
            }),
            ServerEvent::McpProgress(McpProgress {
                call_id: call_id.clone(),
                progress: 0.5,
                total: Some(1.0),
                message: None,
            }),
            ServerEvent::McpInput(McpInputRequest {
                call_id: call_id.clone(),
                request_id: "r1".into(),
                server: key,
                message: "Who are you?".into(),
                schema: json!({"type": "object", "properties": {"name": {"type": "string"}}}),
            }),
            ServerEvent::McpInputEnded { call_id, request_id: "r1".into() },
            ServerEvent::HubChanged,
            ServerEvent::Synced { head: 3 },
            ServerEvent::SyncMembersChanged,
        ];
        insta::assert_json_snapshot!(events, @r#"
        [
          {
            "type": "ready"
          },
          {
            "type": "mcp_server",
            "key": "web~search",
            "status": "connected",
            "reason": null,
            "tools_version": 2
          },
          {
            "type": "mcp_progress",
            "call_id": "call_1",
            "progress": 0.5,
            "total": 1.0
          },
          {
            "type": "mcp_input",
            "call_id": "call_1",
            "request_id": "r1",
            "server": "web~search",
            "message": "Who are you?",
            "schema": {
              "type": "object",
              "properties": {
                "name": {
                  "type": "string"
                }
              }
            }
          },
          {
            "type": "mcp_input_ended",
            "call_id": "call_1",
            "request_id": "r1"
          },
          {
            "type": "hub_changed"
          },
          {
            "type": "synced",
            "head": 3
          },
          {
            "type": "sync_members_changed"
          }
        ]
        "#);
        let read: Vec<ServerEvent> =
            serde_json::from_value(serde_json::to_value(&events).expect("writes")).expect("reads");
        assert_eq!(read, events);
    }

    #[test]
    fn a_newer_event_reads_as_unknown() {
        let read: ServerEvent = serde_json::from_str(r#"{"type": "sync", "rows": 3}"#).expect("reads");
        assert_eq!(read, ServerEvent::Unknown);
    }

    #[test]
    fn ids_of_clients_are_plain() {
        assert!(ClientId::parse(&"x".repeat(64)).is_ok());
        for bad in ["", "a b", "a/b", &"x".repeat(65)] {
            assert_eq!(ClientId::parse(bad), Err(ClientIdError), "{bad}");
        }
    }
}
