//! A call of a tool of type http: what is to be done, how often that may be, and what was made of its end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::arguments::Refused;
use super::clearance::Halt;
use super::ending::{Ended, Failure, display_blobs, judge};
use super::limits::beginning;
use super::{RunLimits, Spill};
use crate::base64;
use crate::catalog::EffectiveTool;
use crate::http_tool::{
    HttpCall, HttpEnd, HttpFault, HttpLimits, HttpTool, Output, ResponseRule, TooSoon, argument_names, count_call,
    read_output,
};
use crate::ids::{ChatId, ToolCallId};
use crate::python::CallOutcome;
use crate::record::{ErrorKind, RowKey, Tool, ToolMetrics, Toolset};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// What is to be done, without the arguments.
pub(super) fn errand(
    toolset: &Toolset,
    tool: &EffectiveTool<'_>,
    id: &ToolCallId,
    chat: &ChatId,
    limits: &RunLimits,
) -> Result<Box<HttpCall>, HttpFault> {
    let definition = tool.declared.http.clone().unwrap_or_default();
    let arguments = argument_names(tool.declared.input_schema.as_ref());
    let read = HttpTool::read(&definition, &arguments, &HttpLimits::default())?;
    Ok(Box::new(HttpCall {
        id: id.clone(),
        tool_id: tool.declared.tool_id.clone(),
        toolset: toolset.id.clone(),
        toolset_name: toolset.name.clone(),
        source: toolset.source_type,
        chat: chat.clone(),
        tool: read,
        definition,
        declared: arguments.into_iter().map(str::to_owned).collect(),
        arguments: Map::new(),
        time_limit: limits.time_of(tool.declared.timeout_seconds),
    }))
}

/// Counts a call of a tool that may be called only so often (R099): the commit that remembers it, or why it may not be made now.
pub(super) async fn count(store: &impl Store, call: &HttpCall, now: Timestamp) -> Result<Commit, Halt> {
    let Some(most) = call.tool.max_calls_per_minute else { return Ok(Commit::default()) };
    let found = match store::get::<ToolMetrics>(store, RowKey::one(call.tool_id.to_string())).await {
        // A count that cannot be read begins anew.
        Err(StoreError::Unreadable { .. }) => None,
        other => other?,
    };
    let mut metrics = found.unwrap_or_else(|| ToolMetrics {
        tool_id: call.tool_id.clone(),
        calls: 0,
        errors: 0,
        total_millis: 0,
        longest_millis: 0,
        last_called_at: None,
        recent: Vec::new(),
    });
    if let Err(TooSoon { seconds }) = count_call(&mut metrics.recent, most, now) {
        return Err(Halt::Refused(Refused::TooOften { tool: call.tool_id.clone(), most, seconds }));
    }
    Ok(Commit::default().put(&metrics))
}

impl Ended {
    /// What was made of the end of a call. What is a file or a picture goes into the chat's files (R308); a value may be of any type.
    pub(super) fn of_http(end: HttpEnd, rule: &ResponseRule, id: &ToolCallId, tool: &Tool, limits: &RunLimits) -> Self {
        let nothing = |result, failure| Self { result, failure, ..Self::default() };
        let failed = |kind, message: &str| {
            let message = beginning(message, limits.message_bytes).to_owned();
            nothing(None, Some(Failure { kind, message, traceback: None }))
        };
        let answer = match end {
            HttpEnd::Answered(answer) => answer,
            HttpEnd::Empty => return nothing(Some(Value::Null), None),
            HttpEnd::Failed(message) => return failed(ErrorKind::Failed, &message),
            HttpEnd::Stopped => {
                return failed(ErrorKind::Cancelled, "the call was stopped; what it has done until then is not known");
            }
            HttpEnd::TimedOut => {
                let seconds = limits.time_of(tool.timeout_seconds).as_secs();
                let message = format!(
                    "it took longer than {seconds} s and was stopped; the limit is \"time of a tool\" in Settings"
                );
                return failed(ErrorKind::Timeout, &message);
            }
        };
        match read_output(answer, rule) {
            Err(fault) => failed(ErrorKind::Failed, &fault.to_string()),
            Ok(Output::Value(value)) => {
                let (result, failure) = judge(CallOutcome::Result { value }, tool, limits, AnyValue::Yes);
                nothing(result, failure)
            }
            Ok(Output::File { media_type, bytes, is_image }) => {
                let mut notes = Vec::new();
                let shown = is_image.then(|| BTreeMap::from([(media_type.clone(), base64::encode(&bytes))]));
                let displays = display_blobs(shown.into_iter().collect(), limits, &mut notes);
                let part = Spill::of_part(id, 0, media_type.clone(), bytes);
                let result = json!({"path": part.row.path, "media_type": media_type, "size": part.row.size});
                Self { files: vec![part], displays, notes, ..nothing(Some(result), None) }
            }
        }
    }
}

/// Whether a result may be something else than a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnyValue {
    /// It may.
    Yes,
    /// It may not.
    No,
}
