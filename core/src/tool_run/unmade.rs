//! Calls that are recorded without having been made: whoever wanted one was told why not, and the user can see it (R193, R198).

use serde_json::Value;

use super::ending::error_plan;
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::record::{CallStatus, ErrorKind, ToolCall};
use crate::time::Timestamp;

/// A call that is not made.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmade {
    /// Its id, fresh.
    pub id: ToolCallId,
    /// The id that whoever asked has given it.
    pub call_id: Option<String>,
    /// The chat.
    pub chat_id: ChatId,
    /// The message that asked.
    pub message_id: Option<MessageId>,
    /// The tool, as far as it is known which.
    pub tool_id: String,
    /// What it was to be called with, as far as it could be read.
    pub args: Value,
    /// What kind of failure this is.
    pub kind: ErrorKind,
    /// Why it is not made, for the user and the model.
    pub error: String,
}

impl Unmade {
    /// Its row.
    #[must_use]
    pub fn row(self, now: Timestamp) -> ToolCall {
        ToolCall {
            id: self.id,
            call_id: self.call_id,
            chat_id: self.chat_id,
            message_id: self.message_id,
            tool_id: self.tool_id,
            args: self.args,
            result: None,
            render_plan: Some(error_plan(&self.error)),
            status: CallStatus::Error,
            error: Some(self.error),
            error_kind: Some(self.kind),
            started_at: now,
            finished_at: Some(now),
            pre_manifest_id: None,
            post_manifest_id: None,
            traceback: None,
            output: None,
            displays: Vec::new(),
            notes: Vec::new(),
            spilled: None,
        }
    }
}
