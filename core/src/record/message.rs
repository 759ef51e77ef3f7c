//! A message, a node of a chat's tree.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Record, RowKey, Table};
use crate::digest::BlobId;
use crate::ids::{ChatId, MessageId};
use crate::time::Timestamp;

/// A row of `messages`. It never changes: an edit is a sibling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The chat.
    pub chat_id: ChatId,
    /// What it answers; none for the first of a branch.
    pub parent_id: Option<MessageId>,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Content,
    /// The calls an assistant asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<RequestedCall>,
    /// The call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Anything else worth keeping, such as the model and its token counts.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// When it was said.
    pub created_at: Timestamp,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The one who sets the frame.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// What is said: plain text where there is only text, else parts.
///
/// It and its parts are read by hand: the code that serde makes to try one shape after the other is 5 KB of the first page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, try_from = "Value")]
pub enum Content {
    /// Only text.
    Text(String),
    /// Text and pictures, in order.
    Parts(Vec<Part>),
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture, by the name of its bytes.
    Image {
        /// The blob.
        sha256: BlobId,
        /// Its media type.
        media_type: String,
    },
}

/// A call that an assistant asks for, as models write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// The model's own id of the call, which may repeat.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: CallKind,
    /// What to call.
    pub function: RequestedFunction,
}

/// The one kind of call there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// A function.
    Function,
}

/// The function an assistant wants called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedFunction {
    /// Its wire name.
    pub name: String,
    /// Its arguments, as the text the model wrote.
    pub arguments: String,
}

/// What was stored as the content of a message is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message is a text or a list of parts, each `text` with `text` or `image` with `sha256` and `media_type`")]
pub struct ContentError;

impl TryFrom<Value> for Content {
    type Error = ContentError;

    fn try_from(value: Value) -> Result<Self, ContentError> {
        match value {
            Value::String(text) => Ok(Self::Text(text)),
            Value::Array(parts) => parts.iter().map(part).collect::<Option<_>>().map(Self::Parts).ok_or(ContentError),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(ContentError),
        }
    }
}

fn part(value: &Value) -> Option<Part> {
    let word = |name: &str| value.get(name)?.as_str();
    match word("type")? {
        "text" => Some(Part::Text { text: word("text")?.into() }),
        "image" => {
            Some(Part::Image { sha256: BlobId::parse(word("sha256")?).ok()?, media_type: word("media_type")?.into() })
        }
        _ => None,
    }
}

impl Content {
    /// What is said in words; pictures are left out.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => {
                let texts = parts.iter().filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    Part::Image { .. } => None,
                });
                texts.collect::<Vec<_>>().join("\n")
            }
        }
    }
}

impl Record for Message {
    const TABLE: Table = Table::Messages;

    fn key(&self) -> RowKey {
        RowKey::one(self.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(role: Role, content: Content) -> Message {
        Message {
            id: MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b2").expect("is a UUID"),
            chat_id: ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"),
            parent_id: Some(MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b1").expect("is a UUID")),
            role,
            content,
            tool_calls: vec![],
            tool_call_id: None,
            metadata: Map::new(),
            created_at: Timestamp::from_millis(1_000),
        }
    }

    /// R018: parts, pictures by their hash.
    #[test]
    fn as_stored_by_a_user() {
        let parts = vec![
            Part::Text { text: "What is this?".into() },
            Part::Image { sha256: BlobId::of(b"png"), media_type: "image/png".into() },
        ];
        insta::assert_json_snapshot!(message(Role::User, Content::Parts(parts)), @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000b2",
          "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "parent_id": "0198c5a4-7c1e-7000-8000-0000000000b1",
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "What is this?"
            },
            {
              "type": "image",
              "sha256": "8f8cbb7dcf46e0bc7d53265749a6c17d116093a6ba95e442764060c76fd4a86c",
              "media_type": "image/png"
            }
          ],
          "created_at": "1970-01-01T00:00:01.000Z"
        }
        "#);
    }

    /// R018: calls as models write them, and anything else in the metadata.
    #[test]
    fn as_stored_by_an_assistant() {
        let call = RequestedCall {
            id: "call_1".into(),
            kind: CallKind::Function,
            function: RequestedFunction { name: "my-toolset__analyze_data".into(), arguments: "{\"n\": 1}".into() },
        };
        let said = Message {
            tool_calls: vec![call],
            metadata: Map::from_iter([("model".into(), json!("small"))]),
            ..message(Role::Assistant, Content::Text("I will count.".into()))
        };
        insta::assert_json_snapshot!(said, @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000b2",
          "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "parent_id": "0198c5a4-7c1e-7000-8000-0000000000b1",
          "role": "assistant",
          "content": "I will count.",
          "tool_calls": [
            {
              "id": "call_1",
              "type": "function",
              "function": {
                "name": "my-toolset__analyze_data",
                "arguments": "{\"n\": 1}"
              }
            }
          ],
          "metadata": {
            "model": "small"
          },
          "created_at": "1970-01-01T00:00:01.000Z"
        }
        "#);
    }

    /// R018: only text is plain text.
    #[test]
    fn as_stored_by_a_tool() {
        let answer = Message {
            tool_call_id: Some("call_1".into()),
            ..message(Role::Tool, Content::Text("{\"rows\": 1}".into()))
        };
        insta::assert_json_snapshot!(answer, @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000b2",
          "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "parent_id": "0198c5a4-7c1e-7000-8000-0000000000b1",
          "role": "tool",
          "content": "{\"rows\": 1}",
          "tool_call_id": "call_1",
          "created_at": "1970-01-01T00:00:01.000Z"
        }
        "#);
    }

    /// R018: what is no content is no row, and what is one reads back as it was.
    #[test]
    fn content_is_read_back() {
        let read = |value: Value| serde_json::from_value::<Content>(value).ok();
        let picture = Part::Image { sha256: BlobId::of(b"png"), media_type: "image/png".into() };
        for content in [Content::Text(String::new()), Content::Parts(vec![Part::Text { text: "a".into() }, picture])] {
            assert_eq!(read(serde_json::to_value(&content).expect("serialises")), Some(content));
        }
        assert_eq!(read(json!([])), Some(Content::Parts(vec![])));
        for wrong in [
            json!(null),
            json!({"text": "a"}),
            json!(["a"]),
            json!([{"text": "a"}]),
            json!([{"type": "sound"}]),
            json!([{"type": "text"}]),
            json!([{"type": "image", "sha256": "00", "media_type": "image/png"}]),
        ] {
            assert_eq!(read(wrong.clone()), None, "{wrong}");
        }
    }

    /// R018
    #[test]
    fn every_role_has_its_word() {
        let roles = [Role::System, Role::User, Role::Assistant, Role::Tool];
        assert_eq!(serde_json::to_value(roles).expect("serialises"), json!(["system", "user", "assistant", "tool"]));
    }
}
