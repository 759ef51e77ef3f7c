//! A call of a tool, what it gives back, and the answers to what it asks on the way.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ClientId, ClientIdError};

/// Body of `POST /api/v1/mcp/servers/{key}/calls`.
///
/// It is answered when the call has ended; leaving before that cancels it. Meanwhile the events of `client` tell of progress and ask for
/// input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpCall {
    /// Whose events hear of it: what this client has given to `GET /api/v1/events`.
    pub client: ClientId,
    /// The client's own name for it, of which it has no other in flight.
    pub call_id: McpCallId,
    /// The tool, as its server calls it.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// A client's name for a call: 1 to 128 letters, digits, `-` and `_`. Two clients may use the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct McpCallId(String);

/// What a call gave back. The server of the tool said so; a call that never got there is a [`Problem`](crate::protocol::Problem).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpCallResult {
    /// Text, images, audio, links to resources and resources, each the object that was received.
    pub content: Vec<Value>,
    /// The result as data, where the tool gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}

/// Body of `POST /api/v1/mcp/calls/{call_id}/input`: what the person said to a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpInputAnswer {
    /// Whose call it is.
    pub client: ClientId,
    /// Which form.
    pub request_id: String,
    /// What they did with it.
    pub action: McpInputAction,
    /// What they filled in, with [`McpInputAction::Accept`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}

/// What a person does with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum McpInputAction {
    /// Filled it in.
    Accept,
    /// Said no.
    Decline,
    /// Put it away without saying either.
    Cancel,
}

impl McpCallId {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, ClientIdError> {
        ClientId::is_sound(text, 128).then(|| Self(text.to_owned())).ok_or(ClientIdError)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for McpCallId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for McpCallId {
    type Error = ClientIdError;

    fn try_from(text: String) -> Result<Self, ClientIdError> {
        Self::parse(&text)
    }
}

impl From<McpCallId> for String {
    fn from(id: McpCallId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_on_the_wire() {
        let call = McpCall {
            client: ClientId::parse("tab-1").expect("an id"),
            call_id: McpCallId::parse("call_1").expect("an id"),
            tool: "add".into(),
            arguments: [("b".to_owned(), json!(1)), ("a".to_owned(), json!(2))].into_iter().collect(),
        };
        insta::assert_json_snapshot!(call, @r#"
        {
          "client": "tab-1",
          "call_id": "call_1",
          "tool": "add",
          "arguments": {
            "b": 1,
            "a": 2
          }
        }
        "#);
    }

    #[test]
    fn a_result_on_the_wire() {
        let result = McpCallResult {
            content: vec![json!({"type": "text", "text": "3", "annotations": {"audience": ["user"]}})],
            structured_content: Some(json!({"sum": 3})),
            is_error: false,
        };
        insta::assert_json_snapshot!(result, @r#"
        {
          "content": [
            {
              "type": "text",
              "text": "3",
              "annotations": {
                "audience": [
                  "user"
                ]
              }
            }
          ],
          "structured_content": {
            "sum": 3
          },
          "is_error": false
        }
        "#);
    }

    #[test]
    fn an_answer_on_the_wire() {
        let answer = McpInputAnswer {
            client: ClientId::parse("tab-1").expect("an id"),
            request_id: "r1".into(),
            action: McpInputAction::Accept,
            content: Some([("name".to_owned(), json!("Ada"))].into_iter().collect()),
        };
        insta::assert_json_snapshot!(answer, @r#"
        {
          "client": "tab-1",
          "request_id": "r1",
          "action": "accept",
          "content": {
            "name": "Ada"
          }
        }
        "#);
    }

    #[test]
    fn ids_of_calls_fit_into_an_address() {
        assert!(McpCallId::parse(&"x".repeat(128)).is_ok());
        for bad in ["", "a/b", "a b", "ä", &"x".repeat(129)] {
            assert_eq!(McpCallId::parse(bad), Err(ClientIdError), "{bad}");
        }
    }
}
