//! Calls that are recorded without having been made: whoever wanted one was told why not, and the user can see it (R193, R198).

use serde_json::Value;

use super::Pending;
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
        let Self { id, call_id, chat_id, message_id, tool_id, args, kind, error } = self;
        unmade(Pending { id, call_id, chat_id, message_id, tool_id, args }.row(now), kind, error, now)
    }
}

/// A call that was to be made, as it is once it will not be.
#[must_use]
pub fn unmade(call: ToolCall, kind: ErrorKind, error: String, now: Timestamp) -> ToolCall {
    ToolCall {
        status: CallStatus::Error,
        render_plan: Some(error_plan(&error)),
        error: Some(error),
        error_kind: Some(kind),
        started_at: now,
        finished_at: Some(now),
        ..call
    }
}
