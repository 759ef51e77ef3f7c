//! Calls that fail, are stopped, die or are left behind.

use serde_json::{Value, json};

use super::{Device, at_once, files};
use crate::python::scripted::{came_back, ended, gave, raised};
use crate::python::{CallOutcome, Ending, PythonEnd, UnreadFile};
use crate::record::{CallStatus, ErrorKind, Table, ToolCall};
use crate::store::Blob;
use crate::time::Timestamp;
use crate::tool_run::{RunLimits, RunRequest, chats_left_running, interrupt_left};
use crate::workspace::WorkspaceLimits;

fn failed(call: &ToolCall) -> (CallStatus, Option<ErrorKind>, &str) {
    (call.status, call.error_kind, call.error.as_deref().expect("says why"))
}

/// R077: the message and the traceback are kept, and so are the files.
#[test]
fn an_exception_keeps_the_files() {
    let device = Device::new();
    device.python.then(came_back(raised("ValueError: no"), &[("half.txt", "h")], &[]));
    let call = device.count("half.txt").call;
    assert_eq!(failed(&call), (CallStatus::Error, Some(ErrorKind::Failed), "ValueError: no"));
    assert!(call.traceback.as_deref().is_some_and(|text| text.contains("File \"tools/count.py\", line 1")));
    assert_eq!(device.shown(&call.chat_id), files(&[("half.txt", "h")]));
    assert_eq!(call.notes, ["what it had changed in the workspace before it failed is kept"]);
    assert_eq!(call.render_plan, Some(json!({"renderer": "error", "config": {"message": "ValueError: no"}})));
    assert_eq!((call.result, call.post_manifest_id == call.pre_manifest_id), (None, false));
}

/// R079, R304: dropped, and said.
#[test]
fn a_call_that_was_ended_leaves_no_files() {
    let check = |ending: Ending, kind: ErrorKind, message: &str| {
        let device = Device::new();
        device.python.then(ended(ending)).then(came_back(gave(json!({})), &[], &[]));
        let call = device.count("a").call;
        assert_eq!(failed(&call), (CallStatus::Error, Some(kind), message));
        assert_eq!(call.pre_manifest_id, call.post_manifest_id);
        assert_eq!(device.count("a").call.status, CallStatus::Success);
    };
    check(Ending::Stopped, ErrorKind::Cancelled, "the call was stopped; what it had changed was dropped");
    let message = "it took longer than 5 s and was stopped; the limit is \"time of a tool\" in Settings; what it had changed was dropped";
    check(Ending::TimedOut, ErrorKind::Timeout, message);
    let died = Ending::Died { message: "Python ran out of memory.".into() };
    check(died, ErrorKind::Failed, "Python ran out of memory; what it had changed was dropped");
}

/// R073
#[test]
fn only_a_dict_is_a_result() {
    let check = |value: Value, expected: &str| {
        let device = Device::new();
        device.python.then(came_back(gave(value), &[], &[]));
        assert_eq!(device.count("a").call.error.as_deref(), Some(expected));
    };
    check(json!([1]), "the tool must return a dict, and returned a list");
    check(json!(null), "the tool must return a dict, and returned None");
}

/// R256, C46: an error, and the result is kept.
#[test]
fn a_result_that_does_not_fit_is_kept_and_an_error() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": "1"})), &[], &[]));
    let call = device.count("a").call;
    let message =
        "the result does not match the tool's output_schema: /rows must be a whole number, and is the text \"1\"";
    assert_eq!(failed(&call), (CallStatus::Error, Some(ErrorKind::Failed), message));
    assert_eq!(call.result, Some(json!({"rows": "1"})));
}

/// What the cage says is not trusted: a bad path is no way out, and is told like a file that could not be read.
#[test]
fn files_that_cannot_be_kept_are_told() {
    let device = Device::new();
    let unread = (0..25).map(|at| UnreadFile { path: format!("u{at}"), reason: "permission denied".into() }).collect();
    let changed = [("../out", "x"), ("good", "y"), ("__pycache__/a.pyc", "z")];
    let changed = changed.map(|(path, text)| (path.to_owned(), Blob::new(text.as_bytes().to_vec()))).into();
    let outcome = CallOutcome::Result { value: json!({}) };
    device.python.then(ended(Ending::Returned { outcome, changed, removed: vec!["/etc".into()], unread }));
    let call = device.count("good").call;
    assert_eq!(device.shown(&call.chat_id), files(&[("good", "y")]));
    assert_eq!(call.notes.len(), 21);
    assert_eq!(call.notes[0], "\"u0\" could not be kept: permission denied");
    assert_eq!(call.notes[20], "6 more files could not be kept");
    assert_eq!(call.status, CallStatus::Success);
}

/// R324: over a limit nothing of the files is kept, the result is, and the error says which limit.
#[test]
fn files_over_a_limit_are_dropped_whole() {
    let mut device = Device::new();
    let workspace = WorkspaceLimits { files: 1, ..WorkspaceLimits::default() };
    device.limits = RunLimits { workspace, ..RunLimits::default() };
    device.python.then(came_back(gave(json!({"rows": 1})), &[("a", "1"), ("b", "2")], &[]));
    let call = device.count("a").call;
    assert_eq!(
        call.error.as_deref(),
        Some(
            "the workspace would have 2 files and may have 1; delete files or raise \"files of a workspace\" in Settings; \
             what it had changed was dropped"
        )
    );
    assert_eq!((device.shown(&call.chat_id), call.result), (files(&[]), Some(json!({"rows": 1}))));
}

/// A result that fits nowhere is an error, and costs the files nothing.
#[test]
fn a_result_beyond_all_limits_is_an_error() {
    let mut device = Device::new();
    let workspace = WorkspaceLimits { file_bytes: 10, ..WorkspaceLimits::default() };
    device.limits = RunLimits { workspace, result_bytes: 10, ..RunLimits::default() };
    device.python.then(came_back(gave(json!({"text": "0123456789"})), &[("a", "1")], &[]));
    let call = device.count("a").call;
    let message = "the result has 26 bytes, and the limit is 10; write it to files instead";
    assert_eq!(failed(&call), (CallStatus::Error, Some(ErrorKind::Failed), message));
    assert_eq!((device.shown(&call.chat_id), call.result, call.spilled), (files(&[("a", "1")]), None, None));
}

/// Texts of a cage are bounded here too.
#[test]
fn texts_are_bounded() {
    let mut device = Device::new();
    device.limits =
        RunLimits { output_bytes: 5, message_bytes: 3, traceback_bytes: 4, displays: 1, ..RunLimits::default() };
    let shown = || [("text/plain".to_owned(), "x".to_owned())].into();
    let output = vec![(crate::python::OutputStream::Stdout, "1234567".to_owned())];
    let end = came_back(raised("abcdef"), &[], &[]);
    device.python.then(PythonEnd { output, displays: vec![shown(), shown()], ..end });
    let call = device.count("a").call;
    assert_eq!((call.error.as_deref(), call.traceback.as_deref()), (Some("abc"), Some("def\n")));
    assert_eq!(call.displays.len(), 1);
    assert_eq!(call.notes, ["some of what it displayed was too much or too large to be kept (1)"]);
    let bytes = at_once(crate::store::Store::blob(&device.store, call.output.expect("is kept"))).expect("memory");
    assert_eq!(bytes.as_deref(), Some(&br#"[["stdout","12345"]]"#[..]));
}

/// A chat that is deleted while its tool runs keeps the record and gets no files.
#[test]
fn a_chat_deleted_during_the_call_gets_no_files() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[], &[]));
    let first = device.count("a").call;
    let chat = device.get(crate::record::RowKey::one(first.chat_id.as_str())).expect("is there");
    let store = device.store.clone();
    *device.python.meanwhile.borrow_mut() = Some(Box::new(move || {
        let commit = crate::conversation::soft_delete(&chat, Timestamp::from_millis(1));
        at_once(crate::store::Store::apply(&store, commit, Timestamp::from_millis(1))).expect("fits");
    }));
    device.python.then(came_back(gave(json!({})), &[("a", "1")], &[]));
    let call = device.count("a").call;
    let message = "the chat was deleted while the tool ran; what it had changed was dropped";
    assert_eq!((call.error.as_deref(), device.call(&call.id)), (Some(message), call.clone()));
}

/// A dead tab's call is ended and never made again.
#[test]
fn a_call_that_a_dead_tab_left_is_interrupted() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[("a", "1")], &[]));
    let done = device.count("a").call;
    let left = left_running(&device, "c1", &done);
    assert_eq!(at_once(chats_left_running(&device.store)).expect("reads"), [done.chat_id.clone()].into());
    let ended = at_once(interrupt_left(&device.store, &done.chat_id, Timestamp::from_millis(99))).expect("is stored");
    assert_eq!(ended, [device.call(&left.id)]);
    assert_eq!(at_once(chats_left_running(&device.store)).expect("reads"), [].into());
    let ended = device.call(&left.id);
    let message = "interrupted: the tab it ran in was closed; what it had changed was dropped";
    assert_eq!(failed(&ended), (CallStatus::Error, Some(ErrorKind::Interrupted), message));
    assert_eq!(device.call(&done.id), done);
    assert_eq!(device.python.calls.borrow().len(), 1);
    assert_eq!(device.rows(Table::ToolCalls), 2);
}

/// R315: who asks for it again under its id hears that it was interrupted; it is not made a second time.
#[test]
fn a_call_that_was_left_is_not_made_again() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[], &[]));
    let done = device.count("a").call;
    left_running(&device, "c1", &done);
    let again = device.run(RunRequest { call_id: Some("c1".into()), ..device.request("count", json!({"path": "a"})) });
    assert_eq!((again.call.error_kind, again.repeated), (Some(ErrorKind::Interrupted), true));
    assert_eq!(device.python.calls.borrow().len(), 1);
}

/// A call like another one, whose tab has gone.
fn left_running(device: &Device, call_id: &str, like: &ToolCall) -> ToolCall {
    let id = crate::ids::ToolCallId::parse(device.fresh()).expect("is a UUID");
    let call_id = Some(call_id.to_owned());
    let left = ToolCall { id, call_id, status: CallStatus::Running, finished_at: None, result: None, ..like.clone() };
    device.apply(crate::store::Commit::default().put(&left).put(&crate::tool_run::interrupted::mark(&left, None)));
    left
}
