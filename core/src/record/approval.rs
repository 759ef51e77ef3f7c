//! A remembered approval: a tool that need not ask, in one chat or anywhere, for as long as it stays what it was (R307).

use serde::{Deserialize, Serialize};

use super::{Record, RowKey, Table};
use crate::catalog::ToolId;
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::time::Timestamp;

/// A row of `approvals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The tool.
    pub tool_id: ToolId,
    /// The one chat it holds in; everywhere if none is named.
    pub chat_id: Option<ChatId>,
    /// The pinned definition it was given for.
    pub definition_hash: BlobId,
    /// When.
    pub approved_at: Timestamp,
}

impl Record for Approval {
    const TABLE: Table = Table::Approvals;

    fn key(&self) -> RowKey {
        // An id of a chat is a UUID, so that this word is none.
        RowKey::of([&self.tool_id.to_string(), self.chat_id.as_ref().map_or("always", ChatId::as_str)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approval(chat_id: Option<ChatId>) -> Approval {
        Approval {
            tool_id: ToolId::parse("write_file").expect("is a tool id"),
            chat_id,
            definition_hash: BlobId::of(b"definition"),
            approved_at: Timestamp::from_millis(1_700_000_000_000),
        }
    }

    #[test]
    fn as_stored() {
        insta::assert_json_snapshot!(approval(None), @r#"
        {
          "tool_id": "write_file",
          "chat_id": null,
          "definition_hash": "4c4ed1afbfdaa1e4c3bf7bbb82d730cecb7e384da91eea4f3cc093fd545524d6",
          "approved_at": "2023-11-14T22:13:20.000Z"
        }
        "#);
    }

    #[test]
    fn one_for_a_chat_and_one_for_all_are_two_rows() {
        let chat = ChatId::parse("0198c5a4-7c1e-7000-8000-000000000001").expect("is an id");
        assert_ne!(approval(Some(chat)).key(), approval(None).key());
    }
}
