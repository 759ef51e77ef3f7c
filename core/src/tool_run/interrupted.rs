//! Calls that a dead tab has left: they are ended, and never made again.

use crate::ids::ChatId;
use crate::record::{CallStatus, ErrorKind, ToolCall};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// The calls of a chat that are said to run. Whoever holds the chat's lock and runs none of them knows that they are dead.
pub async fn left_running(store: &impl Store, chat: &ChatId) -> Result<Vec<ToolCall>, StoreError> {
    let calls = store::list_where::<ToolCall>(store, "chat_id", chat.as_str()).await?;
    let runs = |call: &ToolCall| match call.status {
        CallStatus::Running => true,
        CallStatus::Pending | CallStatus::Success | CallStatus::Error => false,
    };
    Ok(calls.into_iter().flatten().filter(runs).collect())
}

/// Ends calls whose tab is gone. The files are those of before, and nothing is run again: what a tool may have done outside is not
/// known.
#[must_use]
pub fn interrupt(calls: &[ToolCall], now: Timestamp) -> Commit {
    let ended = |commit: Commit, call: &ToolCall| {
        let message = format!("interrupted: the tab it ran in was closed; {}", super::ending::DROPPED);
        let ended = ToolCall {
            status: CallStatus::Error,
            render_plan: Some(super::ending::error_plan(&message)),
            error: Some(message),
            error_kind: Some(ErrorKind::Interrupted),
            finished_at: Some(now),
            post_manifest_id: call.pre_manifest_id.clone(),
            ..call.clone()
        };
        commit.change(call, &ended)
    };
    calls.iter().fold(Commit::default(), ended)
}
