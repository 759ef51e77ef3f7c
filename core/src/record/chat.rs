//! A conversation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Record, RowKey, Table};
use crate::ids::{ChatId, MessageId};
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
    /// The node it was forked from.
    pub forked_from: Option<ForkOrigin>,
    /// When it was deleted; it can be brought back for a while.
    pub soft_deleted_at: Option<Timestamp>,
}

/// Where a fork began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrigin {
    /// The chat.
    pub chat_id: ChatId,
    /// The message in it.
    pub message_id: MessageId,
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
        Chat {
            id: ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"),
            title: "Rows and columns".into(),
            created_at: Timestamp::from_millis(1_000),
            modified_at: Timestamp::from_millis(2_000),
            enabled_tools: None,
            forked_from: None,
            soft_deleted_at: None,
        }
    }

    /// R017
    #[test]
    fn as_stored() {
        let forked = Chat {
            enabled_tools: Some(BTreeMap::from([("my-toolset".into(), vec!["analyze_data".into()])])),
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
          "forked_from": null,
          "soft_deleted_at": null
        }
        "#);
    }
}
