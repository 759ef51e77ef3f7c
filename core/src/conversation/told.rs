//! What a model is told of a call that is over.

use serde_json::{Map, Value, json};

use crate::record::{CallStatus, ToolCall};

/// The content of a tool's message: the result, or `{"error": …}` (R188). Of a result that became a file, its beginning and the path
/// (R308).
#[must_use]
pub fn told(call: &ToolCall) -> String {
    let result = match &call.spilled {
        Some(spilled) => Some(json!({
            "truncated": true,
            "preview": spilled.preview,
            "path": spilled.path,
            "bytes": spilled.size,
            "media_type": spilled.media_type,
        })),
        None => call.result.clone(),
    };
    let error = match (call.status, &call.error) {
        (CallStatus::Success, _) => None,
        (CallStatus::Error, Some(error)) => Some(error.as_str()),
        (CallStatus::Error, None) => Some("it failed and did not say why"),
        (CallStatus::Pending | CallStatus::Running, _) => Some("it has not ended"),
    };
    if error.is_none() && call.notes.is_empty() {
        return result.unwrap_or(Value::Null).to_string();
    }
    let mut told = Map::new();
    told.extend(error.map(|error| ("error".to_owned(), error.into())));
    told.extend(result.map(|result| ("result".to_owned(), result)));
    if !call.notes.is_empty() {
        told.insert("notes".into(), call.notes.clone().into());
    }
    Value::Object(told).to_string()
}

/// Whether what a tool's message says is an error, for providers that want to know.
#[must_use]
pub fn is_failure(content: &str) -> bool {
    content.starts_with("{\"error\":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::BlobId;
    use crate::ids::{ChatId, ToolCallId};
    use crate::record::Spilled;
    use crate::time::Timestamp;

    fn call() -> ToolCall {
        ToolCall {
            id: ToolCallId::parse("0198c5a4-7c1e-7000-8000-0000000000e1").expect("is a UUID"),
            call_id: Some("a".into()),
            chat_id: ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"),
            message_id: None,
            tool_id: "mine:count".into(),
            package: None,
            args: json!({}),
            result: Some(json!({"rows": 1})),
            render_plan: None,
            status: CallStatus::Success,
            error: None,
            error_kind: None,
            started_at: Timestamp::from_millis(1),
            finished_at: Some(Timestamp::from_millis(2)),
            pre_manifest_id: None,
            post_manifest_id: None,
            traceback: None,
            output: None,
            displays: vec![],
            notes: vec![],
            spilled: None,
            result_files: Vec::new(),
        }
    }

    fn check(call: ToolCall, expected: &str) {
        assert_eq!(told(&call), expected);
        assert_eq!(is_failure(&told(&call)), call.status == CallStatus::Error);
    }

    /// R188, R308, C45, C46
    #[test]
    fn a_model_is_told_the_result_or_the_error() {
        let failed = ToolCall { status: CallStatus::Error, error: Some("no such file".into()), ..call() };
        check(call(), r#"{"rows":1}"#);
        check(ToolCall { result: None, ..failed.clone() }, r#"{"error":"no such file"}"#);
        check(failed, r#"{"error":"no such file","result":{"rows":1}}"#);
        check(
            ToolCall { notes: vec!["\"a\" could not be kept".into()], ..call() },
            r#"{"result":{"rows":1},"notes":["\"a\" could not be kept"]}"#,
        );
        let spilled = Spilled {
            path: ".satchel/results/x.json".into(),
            sha256: BlobId::of(b"x"),
            size: 70_000,
            media_type: "application/json".into(),
            preview: "{\n".into(),
        };
        check(
            ToolCall { result: None, spilled: Some(spilled), ..call() },
            r#"{"truncated":true,"preview":"{\n","path":".satchel/results/x.json","bytes":70000,"media_type":"application/json"}"#,
        );
    }
}
