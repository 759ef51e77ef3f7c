//! What the end of a call means: its result or its failure, and what of its files is kept.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::http::AnyValue;
use super::limits::{beginning, end};
use super::{RunLimits, Spill};
use crate::builtin::{self, Done};
use crate::counted::counted;
use crate::ids::ToolCallId;
use crate::mcp::{CallReading, ServerCallEnd};
use crate::python::{CallFailure, CallOutcome, Ending, OutputStream, PythonEnd, UnreadFile};
use crate::record::{ErrorKind, Tool};
use crate::render::{PlanRenderer, RenderPlan};
use crate::schema::Schema;
use crate::store::{Blob, StoreError};
use crate::workspace::{Changes, FileEntry, WorkspacePath};

/// What was made of an end. The cage may run anybody's code, so that nothing here is taken on trust: every path is parsed, every text
/// is bounded, every content is hashed.
#[derive(Default)]
pub(super) struct Ended {
    pub(super) result: Option<Value>,
    pub(super) failure: Option<Failure>,
    /// What to do to the files.
    pub(super) changes: Changes,
    /// The contents that the changes name.
    pub(super) contents: Vec<Blob>,
    /// What of its result is no text and becomes files.
    pub(super) files: Vec<Spill>,
    pub(super) output: Option<Blob>,
    pub(super) displays: Vec<Blob>,
    pub(super) notes: Vec<String>,
}

/// Why a call has no result, or one that does not count.
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    pub(super) traceback: Option<String>,
}

/// What is said where the changes of a call are not kept.
pub(super) const DROPPED: &str = "what it had changed was dropped";

/// What is said where they are kept although it failed (R077).
pub(super) const KEPT: &str = "what it had changed in the workspace before it failed is kept";

/// The plan of a call that failed.
pub(super) fn error_plan(message: &str) -> Value {
    let plan = RenderPlan {
        renderer: PlanRenderer::Error,
        config: json!({"message": message}),
        pinned: BTreeMap::new(),
        note: None,
    };
    serde_json::to_value(plan).expect("a plan has text keys and no failing serialiser")
}

impl Ended {
    pub(super) fn of(end: PythonEnd, tool: &Tool, limits: &RunLimits) -> Self {
        let PythonEnd { ending, output, displays } = end;
        let mut notes = Vec::new();
        let output = output_blob(output, limits);
        let displays = display_blobs(displays, limits, &mut notes);
        let nothing = |kind, message: String| {
            let failure = Failure { kind, message: format!("{message}; {DROPPED}"), traceback: None };
            Self { failure: Some(failure), ..Self::default() }
        };
        let ended = match ending {
            Ending::Returned { outcome, changed, removed, unread } => {
                let (result, failure) = judge(outcome, tool, limits, AnyValue::No);
                let (changes, contents) = changes_of(changed, removed, unread, limits, &mut notes);
                if failure.is_some() && !changes.is_empty() {
                    notes.push(KEPT.into());
                }
                Self { result, failure, changes, contents, ..Self::default() }
            }
            Ending::Stopped => nothing(ErrorKind::Cancelled, "the call was stopped".into()),
            Ending::TimedOut => {
                let seconds = limits.time_of(tool.timeout_seconds).as_secs();
                nothing(
                    ErrorKind::Timeout,
                    format!(
                        "it took longer than {seconds} s and was stopped; the limit is \"time of a tool\" in Settings"
                    ),
                )
            }
            Ending::Died { message } => {
                nothing(ErrorKind::Failed, beginning(&message, limits.message_bytes).trim_end_matches('.').to_owned())
            }
        };
        Self { output, displays, notes, ..ended }
    }

    /// What was made of the end of a built-in tool. It is our own code: its paths and contents are what they are said to be.
    pub(super) fn of_builtin(end: Result<Done, builtin::Failure>, limits: &RunLimits) -> Self {
        let (result, failure, changes, contents) = match end {
            Ok(Done { result, changes, contents }) => (Some(result), None, changes, contents),
            Err(failure) => {
                let message = beginning(&failure.to_string(), limits.message_bytes).to_owned();
                let failure = Failure { kind: failure.kind(), message, traceback: None };
                (None, Some(failure), Changes::default(), Vec::new())
            }
        };
        Self { result, failure, changes, contents, ..Self::default() }
    }

    /// What was made of managing saved toolsets. That something was refused is an answer like any other.
    pub(super) fn of_managing(end: Result<Value, StoreError>, limits: &RunLimits) -> Self {
        let (result, failure) = match end {
            Ok(answer) => (Some(answer), None),
            Err(error) => {
                let message = beginning(&error.to_string(), limits.message_bytes).to_owned();
                (None, Some(Failure { kind: ErrorKind::Failed, message, traceback: None }))
            }
        };
        Self { result, failure, ..Self::default() }
    }

    /// What was made of the end of a call of an MCP server. What is no text becomes files (R308); else nothing about the files changes.
    pub(super) fn of_server(end: ServerCallEnd, id: &ToolCallId, tool: &Tool, limits: &RunLimits) -> Self {
        let failed = |kind, message: &str| {
            let message = beginning(message, limits.message_bytes).to_owned();
            Self { failure: Some(Failure { kind, message, traceback: None }), ..Self::default() }
        };
        let given = match end {
            ServerCallEnd::Answered(given) => given,
            ServerCallEnd::Failed(message) => return failed(ErrorKind::Failed, &message),
            ServerCallEnd::Stopped => {
                return failed(ErrorKind::Cancelled, "the call was stopped; what it has done until then is not known");
            }
            ServerCallEnd::TimedOut => {
                let seconds = limits.time_of(tool.timeout_seconds).as_secs();
                let message = format!(
                    "it took longer than {seconds} s and was stopped; the limit is \"time of a tool\" in Settings"
                );
                return failed(ErrorKind::Timeout, &message);
            }
        };
        let read = CallReading::of(given, limits.display_bytes);
        let parts = read.files.iter().enumerate();
        let parts: Vec<Spill> =
            parts.map(|(at, file)| Spill::of_part(id, at, file.media_type.clone(), file.bytes.clone())).collect();
        let read = read.with_files(&parts.iter().map(|part| part.row.path.clone()).collect::<Vec<_>>());
        let CallReading { result, is_structured, failure, displays, files: _, mut notes } = read;
        if let Some(message) = failure {
            return Self { notes, ..failed(ErrorKind::Failed, &message) };
        }
        let value = Value::Object(result);
        // Only a structured result has a schema to fit; one that does not is kept, and is a failure (C46).
        let (result, failure) = match is_structured {
            true => judge(CallOutcome::Result { value }, tool, limits, AnyValue::No),
            false => (Some(value), None),
        };
        let displays = display_blobs(displays, limits, &mut notes);
        Self { result, failure, files: parts, displays, notes, ..Self::default() }
    }
}

/// The result or the failure of a call that came to its end. A result that does not fit its schema is kept, and is a failure (C46).
pub(super) fn judge(
    outcome: CallOutcome,
    tool: &Tool,
    limits: &RunLimits,
    any: AnyValue,
) -> (Option<Value>, Option<Failure>) {
    let failed = |kind, message: &str, traceback: &str| {
        let message = beginning(message, limits.message_bytes).to_owned();
        let traceback = Some(self::end(traceback, limits.traceback_bytes).to_owned()).filter(|text| !text.is_empty());
        Some(Failure { kind, message, traceback })
    };
    match outcome {
        CallOutcome::Error { failure, message, traceback } => {
            let kind = match failure {
                CallFailure::BadArguments => ErrorKind::InvalidArgs,
                CallFailure::NotFound | CallFailure::Exception | CallFailure::BadResult | CallFailure::TooManyFiles => {
                    ErrorKind::Failed
                }
            };
            (None, failed(kind, &message, &traceback))
        }
        CallOutcome::Result { value } if any == AnyValue::No && !value.is_object() => {
            let message = format!("the tool must return a dict, and returned {}", name_of(&value));
            (None, failed(ErrorKind::Failed, &message, ""))
        }
        CallOutcome::Result { value } => {
            let Some(schema) = &tool.output_schema else { return (Some(value), None) };
            let wrong = match Schema::read(schema, &limits.schema) {
                Err(fault) => Some(format!("the tool's output_schema cannot be used: {fault}")),
                Ok(schema) => schema
                    .check(&value)
                    .err()
                    .map(|misfits| format!("the result does not match the tool's output_schema: {misfits}")),
            };
            let failure = wrong.and_then(|message| failed(ErrorKind::Failed, &message, ""));
            (Some(value), failure)
        }
    }
}

/// What Python calls a value that is no dict.
fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "None",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a str",
        Value::Array(_) => "a list",
        Value::Object(_) => "a dict",
    }
}

fn changes_of(
    changed: BTreeMap<String, Blob>,
    removed: Vec<String>,
    unread: Vec<UnreadFile>,
    limits: &RunLimits,
    notes: &mut Vec<String>,
) -> (Changes, Vec<Blob>) {
    let mut lost: Vec<String> = unread.into_iter().map(|file| lost_file(&file.path, &file.reason, limits)).collect();
    let (mut changes, mut contents) = (Changes::default(), Vec::new());
    for path in removed {
        // Only what is in the workspace can be taken out of it, and everything in there has a good path.
        if let Ok(path) = WorkspacePath::parse(path) {
            changes = changes.delete(path);
        }
    }
    for (path, blob) in changed {
        match WorkspacePath::parse(path.clone()) {
            Err(error) => lost.push(lost_file(&path, &error.to_string(), limits)),
            Ok(path) if path.is_left_out() => {}
            Ok(path) => {
                let file = FileEntry { sha256: blob.id(), size: blob.bytes().len() as u64 };
                changes = changes.put(path, file);
                contents.push(blob);
            }
        }
    }
    let more = lost.len().saturating_sub(limits.notes);
    lost.truncate(limits.notes);
    notes.append(&mut lost);
    if more > 0 {
        notes.push(format!("{} could not be kept", counted(more, "more file")));
    }
    (changes, contents)
}

fn lost_file(path: &str, reason: &str, limits: &RunLimits) -> String {
    let shown: String = path.chars().take(200).collect();
    format!("{shown:?} could not be kept: {}", beginning(reason, limits.message_bytes))
}

/// The output as it is stored, neighbours of one stream joined. More than the limit does not come from an honest cage.
fn output_blob(output: Vec<(OutputStream, String)>, limits: &RunLimits) -> Option<Blob> {
    let mut joined: Vec<(OutputStream, String)> = Vec::new();
    let mut left = usize::try_from(limits.output_bytes).unwrap_or(usize::MAX);
    for (stream, text) in output {
        let kept = beginning(&text, left);
        left -= kept.len();
        match joined.last_mut() {
            Some((last, so_far)) if *last == stream => so_far.push_str(kept),
            Some(_) | None => joined.push((stream, kept.to_owned())),
        }
    }
    joined.retain(|(_, text)| !text.is_empty());
    (!joined.is_empty()).then(|| json_blob(&joined))
}

pub(super) fn display_blobs(
    displays: Vec<BTreeMap<String, String>>,
    limits: &RunLimits,
    notes: &mut Vec<String>,
) -> Vec<Blob> {
    let (mut kept, mut bytes, mut dropped) = (Vec::new(), 0, 0);
    for display in displays {
        let blob = json_blob(&display);
        if kept.len() >= limits.displays || bytes + blob.bytes().len() > limits.display_bytes {
            dropped += 1;
            continue;
        }
        bytes += blob.bytes().len();
        kept.push(blob);
    }
    if dropped > 0 {
        notes.push(format!("some of what it displayed was too much or too large to be kept ({dropped})"));
    }
    kept
}

fn json_blob(value: &impl serde::Serialize) -> Blob {
    Blob::new(serde_json::to_vec(value).expect("texts always serialise"))
}
