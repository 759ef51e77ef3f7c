//! What a model and its tools say: messages of their own, below what they answer.
//!
//! They have no head when they are made: their files are those of the nearest message before them, so that what the user has edited
//! meanwhile is not undone by an answer. The calls of an answer work on the files of the answer's own node, and the messages of the tools
//! below it show what came of that.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::told::told;
use crate::ids::{ChatId, MessageId};
use crate::model::{Cost, Finish, Reasoning, Usage};
use crate::record::{Content, Message, RequestedCall, Role, ToolCall};
use crate::time::Timestamp;

/// What an assistant says, be it a model or a user who calls a tool as one would.
#[derive(Clone, Debug, PartialEq)]
pub struct NewReply {
    /// Its id, fresh.
    pub id: MessageId,
    /// What it answers; none at the beginning of a chat.
    pub parent_id: Option<MessageId>,
    /// What is said.
    pub text: String,
    /// What is to be called. Their ids are their own within the message.
    pub calls: Vec<RequestedCall>,
    /// What else is kept of it.
    pub metadata: Map<String, Value>,
}

/// What is kept of an answer beside what it says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerMetadata {
    /// The model, by its provider's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it cost, as its provider counts (R312).
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// What that came to, at the prices of then; none where they were not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Why the model ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// What else ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<AnswerEnd>,
    /// Why it failed, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the model thought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// What the provider attached to calls and wants back, by the call's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub call_extras: BTreeMap<String, Value>,
    /// The messages that were not sent for it, because the model takes no more (R320).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<MessageId>,
}

/// What ended an answer before the model did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerEnd {
    /// The user.
    Stopped,
    /// The tab was closed.
    Interrupted,
    /// An error.
    Failed,
}

impl AnswerMetadata {
    /// What is kept of a message. What this version does not understand means nothing.
    #[must_use]
    pub fn of(message: &Message) -> Self {
        serde_json::from_value(Value::Object(message.metadata.clone())).unwrap_or_default()
    }

    /// As a message keeps it.
    #[must_use]
    pub fn into_map(self) -> Map<String, Value> {
        match serde_json::to_value(self).expect("texts and numbers always serialise") {
            Value::Object(map) => map,
            other => unreachable!("a struct serialises to an object, not to {other}"),
        }
    }
}

/// The messages that were not sent for an answer, without reading all else that is kept of it.
pub fn left_out(answer: &Message) -> impl Iterator<Item = MessageId> {
    let ids = answer.metadata.get("left_out").and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(|id| MessageId::parse(id.as_str()?).ok())
}

/// The message of an answer.
#[must_use]
pub fn reply(chat: &ChatId, new: NewReply, now: Timestamp) -> Message {
    Message {
        id: new.id,
        chat_id: chat.clone(),
        parent_id: new.parent_id,
        role: Role::Assistant,
        content: Content::Text(new.text),
        tool_calls: new.calls,
        tool_call_id: None,
        metadata: new.metadata,
        created_at: now,
    }
}

/// The message with which a tool answers a call that is over: what the model is told of it (R188, R189).
#[must_use]
pub fn answer_call(id: MessageId, parent_id: MessageId, call: &ToolCall, now: Timestamp) -> Message {
    Message {
        id,
        chat_id: call.chat_id.clone(),
        parent_id: Some(parent_id),
        role: Role::Tool,
        content: Content::Text(told(call)),
        tool_calls: Vec::new(),
        tool_call_id: call.call_id.clone(),
        metadata: Map::new(),
        created_at: now,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::sample::{message, message_id};
    use super::*;
    use crate::protocol::ModelPrices;

    /// R312, R320
    #[test]
    fn as_stored() {
        let metadata = AnswerMetadata {
            model: Some("small".into()),
            usage: Usage { input_tokens: Some(7), cached_tokens: None, output_tokens: Some(3) },
            cost: ModelPrices { input: 3_000_000, output: 15_000_000, cached: None }.cost_of(Usage {
                input_tokens: Some(7),
                cached_tokens: None,
                output_tokens: Some(3),
            }),
            finish: Some(Finish::Length),
            ended: Some(AnswerEnd::Failed),
            error: Some("the provider failed".into()),
            reasoning: vec![Reasoning { text: "hm".into(), seal: Some("s".into()), hidden: None }],
            call_extras: BTreeMap::from([("a".into(), json!({"x": 1}))]),
            left_out: vec![message_id(2)],
        };
        insta::assert_json_snapshot!(metadata, @r#"
        {
          "model": "small",
          "usage": {
            "input_tokens": 7,
            "output_tokens": 3
          },
          "cost": 66000000,
          "finish": "length",
          "ended": "failed",
          "error": "the provider failed",
          "reasoning": [
            {
              "text": "hm",
              "seal": "s"
            }
          ],
          "call_extras": {
            "a": {
              "x": 1
            }
          },
          "left_out": [
            "0198c5a4-7c1e-7000-0002-000000000002"
          ]
        }
        "#);
        let stored = Message { metadata: metadata.clone().into_map(), ..message(1, None) };
        assert_eq!(AnswerMetadata::of(&stored), metadata);
        assert_eq!(left_out(&stored).collect::<Vec<_>>(), metadata.left_out);
        assert_eq!(AnswerMetadata::default().into_map(), Map::new());
        let strange = Message { metadata: Map::from_iter([("usage".into(), json!("much"))]), ..message(1, None) };
        assert_eq!(AnswerMetadata::of(&strange), AnswerMetadata::default());
    }
}
