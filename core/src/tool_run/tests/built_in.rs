//! Built-in tools go the same way as all others, without Python.

use serde_json::{Value, json};

use super::{Device, files};
use crate::record::{CallStatus, ErrorKind, RowKey, ToolMetrics};
use crate::tool_run::{RunError, RunRequest, count_call};

fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

/// R084, R198, C35: recorded with times, status, plan and both states; what it changed is one state; Python is never asked.
#[test]
fn a_call_is_recorded_with_what_it_changed() {
    let device = Device::new();
    let done = device.built_in("write_file", write("notes/a.md", "# A\n"));
    let call = done.call;
    assert_eq!((call.tool_id.as_str(), call.status), ("write_file", CallStatus::Success));
    assert_eq!(
        done.result,
        Some(json!({"path": "notes/a.md", "created": true, "changed": true, "size": 4, "lines": 1}))
    );
    assert!(call.started_at < call.finished_at.expect("is over"));
    assert_eq!(device.files(&call.pre_manifest_id), files(&[]));
    assert_eq!(device.files(&call.post_manifest_id), files(&[("notes/a.md", "# A\n")]));
    let plan = call.render_plan.expect("has a plan");
    assert_eq!((&plan["renderer"], &plan["config"]["file"]), (&json!("code"), &json!("notes/a.md")));

    // The next begins from there.
    let read = device.built_in("read_file", json!({"path": "notes/a.md"}));
    assert_eq!(read.result.expect("is read")["content"], json!("# A\n"));
    // C36: what changes nothing makes no state.
    assert_eq!(read.call.pre_manifest_id, call.post_manifest_id);
    assert_eq!(read.call.post_manifest_id, read.call.pre_manifest_id);
    assert!(device.python.calls.borrow().is_empty() && device.python.described.borrow().is_empty());
}

/// R308: a long result becomes a file, as for every tool.
#[test]
fn a_large_result_becomes_a_file() {
    let mut device = Device::new();
    device.limits.result_bytes = 100;
    device.built_in("write_file", write("a.txt", &"x".repeat(200)));
    let read = device.built_in("read_file", json!({"path": "a.txt"})).call;
    assert_eq!(read.result, None);
    let spilled = read.spilled.expect("is a file");
    assert!(device.shown(&read.chat_id).contains_key(&spilled.path));
}

/// What goes wrong is an error of the call, and changes nothing.
#[test]
fn a_failure_is_recorded_and_changes_nothing() {
    let device = Device::new();
    device.built_in("write_file", write("a.txt", "x"));
    let check = |tool: &str, arguments: Value, kind: ErrorKind, message: &str| {
        let call = device.built_in(tool, arguments).call;
        assert_eq!(
            (call.status, call.error_kind, call.error.as_deref()),
            (CallStatus::Error, Some(kind), Some(message))
        );
        assert_eq!(device.shown(&call.chat_id), files(&[("a.txt", "x")]));
    };
    check(
        "read_file",
        json!({"path": "b.txt"}),
        ErrorKind::Failed,
        "there is no file \"b.txt\" in this workspace; did you mean \"a.txt\"?",
    );
    check(
        "read_file",
        json!({"path": "a.txt", "lines": 1}),
        ErrorKind::InvalidArgs,
        "the arguments are not valid: /lines is not known here; known are path, start_line, end_line, line_numbers",
    );
    let path = "\"../a\" contains \"..\", which may lead out of the workspace; write the folders by name";
    check("write_file", write("../a", ""), ErrorKind::InvalidArgs, path);
    let message =
        "\"a.txt\" would be a file and a folder at once; rename or delete one of them; what it had changed was dropped";
    check("write_file", write("a.txt/b", ""), ErrorKind::Failed, message);
}

/// R086, R257: counted as others are, and off when it is switched off.
#[test]
fn it_is_counted_and_can_be_switched_off() {
    let device = Device::new();
    let call = device.built_in("list_files", json!({})).call;
    super::at_once(count_call(&device.store, &call, call.started_at)).expect("is counted");
    let counted: ToolMetrics = device.get(RowKey::one("list_files")).expect("is counted");
    assert_eq!((counted.calls, counted.errors), (1, 0));
    let installed = super::at_once(crate::catalog::InstalledToolset::find(&device.store, "builtin"));
    let installed = installed.expect("reads").expect("is always there");
    device.apply(crate::catalog::set_tool_enabled(&installed, "list_files", false));
    let request = RunRequest { toolset: "builtin".into(), ..device.request("list_files", json!({})) };
    let refused = device.try_run(request).expect_err("is off");
    assert_eq!(refused.to_string(), "list_files cannot be used: Disabled in settings");
    assert!(matches!(refused, RunError::Unavailable { .. }));
}
