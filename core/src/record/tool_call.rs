//! One call of a tool, whatever runs it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};
use crate::ids::{ChatId, ManifestId, MessageId, ToolCallId};
use crate::time::Timestamp;

/// A row of `tool_calls`. Once it is finished it never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Our id.
    pub id: ToolCallId,
    /// The model's id, which may repeat.
    pub call_id: Option<String>,
    /// The chat.
    pub chat_id: ChatId,
    /// The message that asked for it; none for a call made directly.
    pub message_id: Option<MessageId>,
    /// The tool, by the id it had then; it may be gone since.
    pub tool_id: String,
    /// The arguments.
    pub args: Value,
    /// What it gave.
    pub result: Option<Value>,
    /// How the result is shown.
    pub render_plan: Option<Value>,
    /// How far it is.
    pub status: CallStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// What kind of failure it was.
    pub error_kind: Option<ErrorKind>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// The files before.
    pub pre_manifest_id: Option<ManifestId>,
    /// The files after.
    pub post_manifest_id: Option<ManifestId>,
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It waits, perhaps for an approval.
    Pending,
    /// It runs.
    Running,
    /// It gave a result.
    Success,
    /// It did not.
    Error,
}

/// What kind of failure ended a call (C26, C47).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The arguments do not fit the schema; it did not run.
    InvalidArgs,
    /// The user said no.
    Denied,
    /// The user stopped it.
    Cancelled,
    /// It took too long.
    Timeout,
    /// The tab it ran in was closed.
    Interrupted,
    /// It failed by itself.
    Failed,
}

impl Record for ToolCall {
    const TABLE: Table = Table::ToolCalls;

    fn key(&self) -> RowKey {
        RowKey::one(self.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R015
    #[test]
    fn as_stored() {
        let manifest =
            |last| ManifestId::parse(format!("0198c5a4-7c1e-7000-8000-0000000000{last}")).expect("is a UUID");
        let call = ToolCall {
            id: ToolCallId::parse("0198c5a4-7c1e-7000-8000-0000000000e1").expect("is a UUID"),
            call_id: Some("call_1".into()),
            chat_id: ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"),
            message_id: Some(MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b2").expect("is a UUID")),
            tool_id: "my-toolset:analyze_data".into(),
            args: json!({"n": 1}),
            result: Some(json!({"rows": 100})),
            render_plan: Some(json!({"config": {}, "renderer": "json"})),
            status: CallStatus::Success,
            error: None,
            error_kind: None,
            started_at: Timestamp::from_millis(1_000),
            finished_at: Some(Timestamp::from_millis(2_000)),
            pre_manifest_id: Some(manifest("f1")),
            post_manifest_id: Some(manifest("f2")),
        };
        insta::assert_json_snapshot!(call, @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000e1",
          "call_id": "call_1",
          "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "message_id": "0198c5a4-7c1e-7000-8000-0000000000b2",
          "tool_id": "my-toolset:analyze_data",
          "args": {
            "n": 1
          },
          "result": {
            "rows": 100
          },
          "render_plan": {
            "config": {},
            "renderer": "json"
          },
          "status": "success",
          "error": null,
          "error_kind": null,
          "started_at": "1970-01-01T00:00:01.000Z",
          "finished_at": "1970-01-01T00:00:02.000Z",
          "pre_manifest_id": "0198c5a4-7c1e-7000-8000-0000000000f1",
          "post_manifest_id": "0198c5a4-7c1e-7000-8000-0000000000f2"
        }
        "#);
    }

    /// R015, C26
    #[test]
    fn every_status_and_failure_has_its_word() {
        use ErrorKind::{Cancelled, Denied, Failed, Interrupted, InvalidArgs, Timeout};
        let statuses = [CallStatus::Pending, CallStatus::Running, CallStatus::Success, CallStatus::Error];
        assert_eq!(
            serde_json::to_value(statuses).expect("serialises"),
            json!(["pending", "running", "success", "error"])
        );
        let kinds = [InvalidArgs, Denied, Cancelled, Timeout, Interrupted, Failed];
        let words = json!(["invalid_args", "denied", "cancelled", "timeout", "interrupted", "failed"]);
        assert_eq!(serde_json::to_value(kinds).expect("serialises"), words);
    }
}
