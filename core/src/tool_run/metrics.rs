//! How often a tool was called and how it went (R257). Counted after the answer, so that no call waits for it.

use crate::catalog::ToolId;
use crate::record::{CallStatus, RowKey, ToolCall, ToolMetrics};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// Counts a call that is over. To be run once for each, after whoever asked has the answer; what is lost when the tab closes in between
/// is one count.
pub async fn count_call(store: &impl Store, call: &ToolCall, now: Timestamp) -> Result<(), StoreError> {
    let Ok(tool_id) = ToolId::parse(&call.tool_id) else { return Ok(()) };
    let before: Option<ToolMetrics> = match store::get(store, RowKey::one(&call.tool_id)).await {
        // A count that cannot be read begins anew.
        Err(StoreError::Unreadable { .. }) => None,
        other => other?,
    };
    let finished = call.finished_at.unwrap_or(call.started_at);
    let millis = finished.as_millis().saturating_sub(call.started_at.as_millis());
    let failed = match call.status {
        CallStatus::Error => 1,
        CallStatus::Pending | CallStatus::Running | CallStatus::Success => 0,
    };
    let before = before.unwrap_or(ToolMetrics {
        tool_id,
        calls: 0,
        errors: 0,
        total_millis: 0,
        longest_millis: 0,
        last_called_at: None,
        recent: Vec::new(),
    });
    let after = ToolMetrics {
        calls: before.calls.saturating_add(1),
        errors: before.errors.saturating_add(failed),
        total_millis: before.total_millis.saturating_add(millis),
        longest_millis: before.longest_millis.max(millis),
        last_called_at: before.last_called_at.max(Some(call.started_at)),
        recent: before.recent,
        tool_id: before.tool_id,
    };
    store.apply(Commit::relaxed().put(&after), now).await?;
    Ok(())
}
