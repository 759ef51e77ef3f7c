//! One call of a tool, whatever runs it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PackageId, Record, RowKey, Table};
use crate::digest::BlobId;
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
    /// The code that ran: the package of its toolset, by hash. None where no package has it, and in rows of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<PackageId>,
    /// The arguments.
    pub args: Value,
    /// What it gave; not where it is [`ToolCall::spilled`].
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
    /// Where in its code it failed, with the toolset's own names of files (R077).
    #[serde(default)]
    pub traceback: Option<String>,
    /// What it wrote to its output, in order: a JSON list of `[stream, text]`.
    #[serde(default)]
    pub output: Option<BlobId>,
    /// What it showed, each as a JSON object of the same thing in several media types (R305).
    #[serde(default)]
    pub displays: Vec<BlobId>,
    /// What else the user has to know of it, in sentences: files that could not be kept, displays that were too large.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Where its result is, if that was too large for this row (R308); [`ToolCall::result`] is none then.
    #[serde(default)]
    pub spilled: Option<Spilled>,
    /// What its result has beside that and is no text, where it becomes files only with the other results of its round (R308).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub result_files: Vec<Spilled>,
}

/// A result that is kept as a file of the workspace, because it is large or no text (R308).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spilled {
    /// The file.
    pub path: String,
    /// Its bytes, which stay whatever becomes of the file.
    pub sha256: BlobId,
    /// How many.
    pub size: u64,
    /// What they are.
    pub media_type: String,
    /// How it begins, for the model.
    pub preview: String,
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

impl ToolCall {
    /// What of its result becomes files when its round is over.
    pub fn late_files(&self) -> impl Iterator<Item = &Spilled> {
        self.spilled.iter().chain(&self.result_files)
    }
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
            package: Some(PackageId::of(b"contents")),
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
            traceback: None,
            output: Some(BlobId::of(b"[]")),
            displays: vec![BlobId::of(b"{}")],
            notes: vec!["\"a.txt\" could not be kept: permission denied".into()],
            spilled: Some(Spilled {
                path: ".satchel/results/0198c5a4-7c1e-7000-8000-0000000000e1.json".into(),
                sha256: BlobId::of(b"{}"),
                size: 2,
                media_type: "application/json".into(),
                preview: "{}".into(),
            }),
            result_files: Vec::new(),
        };
        insta::assert_json_snapshot!(call, @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000e1",
          "call_id": "call_1",
          "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "message_id": "0198c5a4-7c1e-7000-8000-0000000000b2",
          "tool_id": "my-toolset:analyze_data",
          "package": "d1b2a59fbea7e20077af9f91b27e95e865061b270be03ff539ab3b73587882e8",
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
          "post_manifest_id": "0198c5a4-7c1e-7000-8000-0000000000f2",
          "traceback": null,
          "output": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
          "displays": [
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
          ],
          "notes": [
            "\"a.txt\" could not be kept: permission denied"
          ],
          "spilled": {
            "path": ".satchel/results/0198c5a4-7c1e-7000-8000-0000000000e1.json",
            "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
            "size": 2,
            "media_type": "application/json",
            "preview": "{}"
          }
        }
        "#);
    }

    /// Rows of before are read: what they lack was not there.
    #[test]
    fn a_row_without_the_later_fields_is_read() {
        let id = "0198c5a4-7c1e-7000-8000-0000000000e1";
        let row = json!({
            "id": id, "call_id": null, "chat_id": id, "message_id": null, "tool_id": "a:b", "args": {}, "result": null,
            "render_plan": null, "status": "running", "error": null, "error_kind": null,
            "started_at": "1970-01-01T00:00:01.000Z", "finished_at": null, "pre_manifest_id": null, "post_manifest_id": null,
        });
        let call: ToolCall = serde_json::from_value(row).expect("is read");
        assert_eq!((call.traceback, call.output, call.displays, call.notes), (None, None, vec![], vec![]));
        assert_eq!(call.package, None);
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
