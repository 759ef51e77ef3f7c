//! Calls that wait for the user's answer. Their row says `pending` (C26) until the call is made or refused under the same id.

use serde_json::Value;

use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::record::{CallStatus, RowRef, ToolCall};
use crate::store::Commit;
use crate::time::Timestamp;

/// A call that the user is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// The id it will be made under.
    pub id: ToolCallId,
    /// The id that whoever wants it has given it.
    pub call_id: Option<String>,
    /// The chat.
    pub chat_id: ChatId,
    /// The message that asks for it.
    pub message_id: Option<MessageId>,
    /// The tool.
    pub tool_id: String,
    /// What it is to be called with, unless the user changes it.
    pub args: Value,
}

impl Pending {
    /// Its row.
    #[must_use]
    pub fn row(self, now: Timestamp) -> ToolCall {
        ToolCall {
            id: self.id,
            call_id: self.call_id,
            chat_id: self.chat_id,
            message_id: self.message_id,
            tool_id: self.tool_id,
            package: None,
            args: self.args,
            result: None,
            render_plan: None,
            status: CallStatus::Pending,
            error: None,
            error_kind: None,
            started_at: now,
            finished_at: None,
            pre_manifest_id: None,
            post_manifest_id: None,
            traceback: None,
            output: None,
            displays: Vec::new(),
            notes: Vec::new(),
            spilled: None,
            result_files: Vec::new(),
        }
    }
}

/// Whether a row is that of the call itself, which has waited for the user until now.
pub(super) fn has_waited(row: &ToolCall, call: &ToolCall) -> bool {
    match row.status {
        CallStatus::Pending => row.id == call.id,
        CallStatus::Running | CallStatus::Success | CallStatus::Error => false,
    }
}

/// Adds the row of a call that begins or is refused: a new one, or that which said so far that the user is asked.
pub(super) fn with_row(commit: Commit, waited: Option<&ToolCall>, call: &ToolCall) -> Commit {
    match waited {
        Some(waited) => commit.change(waited, call),
        None => commit.expect(RowRef::of(call), None).put(call),
    }
}
