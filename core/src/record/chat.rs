//! A conversation.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Record, RowKey, Table};
use crate::ids::{ChatId, MessageId};
use crate::model::ModelChoice;
use crate::time::Timestamp;

/// A row of `chats`. Which leaf is shown is not here: that is each device's own affair (C25).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    /// Its id.
    pub id: ChatId,
    /// Its title.
    pub title: String,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When something was last said in it.
    pub modified_at: Timestamp,
    /// The tools chosen for it, by toolset; none where nothing was ever chosen (R017).
    #[serde(rename = "enabledTools", default)]
    pub enabled_tools: Option<BTreeMap<String, Vec<String>>>,
    /// The saved toolset that limits which of them are offered; none where nothing limits them (C15, C16).
    #[serde(default)]
    pub equipped: Option<Equipped>,
    /// Whether its model is offered the tools that manage saved toolsets, and no others (R142).
    #[serde(default)]
    pub configuring: bool,
    /// The model that answers it, as its user chose; none where nobody did. One that this version does not know counts as none.
    #[serde(default, deserialize_with = "known_model")]
    pub model: Option<ModelChoice>,
    /// The rounds of tool calls that one answer may take; none where the usual number holds (R191).
    #[serde(default)]
    pub max_tool_iterations: Option<u32>,
    /// The node it was forked from.
    pub forked_from: Option<ForkOrigin>,
    /// When it was deleted; it can be brought back for a while.
    pub soft_deleted_at: Option<Timestamp>,
}

/// A saved toolset that a chat has equipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Equipped {
    /// Its name.
    pub name: String,
    /// What the chat had chosen before, to be chosen again when it is unequipped.
    #[serde(default)]
    pub before: Option<BTreeMap<String, Vec<String>>>,
    /// The tools of it that the chat has seen, by toolset: what of these is not chosen was taken out, and what comes to it later is chosen.
    /// None where it was equipped before this was kept; then nothing comes to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<BTreeMap<String, Vec<String>>>,
}

/// Where a fork began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrigin {
    /// The chat.
    pub chat_id: ChatId,
    /// The message in it.
    pub message_id: MessageId,
}

fn known_model<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ModelChoice>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.and_then(|text| ModelChoice::parse(&text).ok()))
}

impl Chat {
    /// A chat that begins now, and in which nothing was chosen yet.
    #[must_use]
    pub fn new(id: ChatId, title: impl Into<String>, now: Timestamp) -> Self {
        Self {
            id,
            title: title.into(),
            created_at: now,
            modified_at: now,
            enabled_tools: None,
            equipped: None,
            configuring: false,
            model: None,
            max_tool_iterations: None,
            forked_from: None,
            soft_deleted_at: None,
        }
    }
}

impl Record for Chat {
    const TABLE: Table = Table::Chats;

    fn key(&self) -> RowKey {
        RowKey::one(self.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat() -> Chat {
        let id = ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID");
        let chat = Chat::new(id, "Rows and columns", Timestamp::from_millis(1_000));
        Chat { modified_at: Timestamp::from_millis(2_000), ..chat }
    }

    /// R017
    #[test]
    fn as_stored() {
        let forked = Chat {
            enabled_tools: Some(BTreeMap::from([("my-toolset".into(), vec!["analyze_data".into()])])),
            equipped: Some(Equipped {
                name: "review".into(),
                before: Some(BTreeMap::new()),
                known: Some(BTreeMap::from([("my-toolset".into(), vec!["analyze_data".into()])])),
            }),
            configuring: true,
            model: ModelChoice::parse("page/small").ok(),
            max_tool_iterations: Some(2),
            forked_from: Some(ForkOrigin {
                chat_id: chat().id,
                message_id: MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b1").expect("is a UUID"),
            }),
            ..chat()
        };
        insta::assert_json_snapshot!(forked, @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "title": "Rows and columns",
          "created_at": "1970-01-01T00:00:01.000Z",
          "modified_at": "1970-01-01T00:00:02.000Z",
          "enabledTools": {
            "my-toolset": [
              "analyze_data"
            ]
          },
          "equipped": {
            "name": "review",
            "before": {},
            "known": {
              "my-toolset": [
                "analyze_data"
              ]
            }
          },
          "configuring": true,
          "model": "page/small",
          "max_tool_iterations": 2,
          "forked_from": {
            "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
            "message_id": "0198c5a4-7c1e-7000-8000-0000000000b1"
          },
          "soft_deleted_at": null
        }
        "#);
    }

    /// R017: nothing was ever chosen.
    #[test]
    fn a_chat_without_a_choice() {
        insta::assert_json_snapshot!(chat(), @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "title": "Rows and columns",
          "created_at": "1970-01-01T00:00:01.000Z",
          "modified_at": "1970-01-01T00:00:02.000Z",
          "enabledTools": null,
          "equipped": null,
          "configuring": false,
          "model": null,
          "max_tool_iterations": null,
          "forked_from": null,
          "soft_deleted_at": null
        }
        "#);
    }

    /// R317: a chat of an older version names no model, and one of a newer version perhaps a place that is not known here.
    #[test]
    fn a_model_that_is_not_known_is_none() {
        let mut stored = serde_json::to_value(chat()).expect("serialises");
        stored["model"] = "moon/tranquility/m1".into();
        assert_eq!(serde_json::from_value::<Chat>(stored.clone()).expect("reads"), chat());
        let fields = stored.as_object_mut().expect("is an object");
        fields.remove("model");
        fields.remove("equipped");
        fields.remove("configuring");
        fields.remove("max_tool_iterations");
        assert_eq!(serde_json::from_value::<Chat>(stored).expect("reads"), chat());
    }
}
