//! What a call that goes well leaves behind.

use serde_json::json;

use super::{Device, files};
use crate::python::scripted::{came_back, gave};
use crate::python::{Description, OutputStream, PythonEnd};
use crate::record::{CallStatus, Chat, ErrorKind, ManifestSource, RowKey, Table, ToolMetrics};
use crate::store::Commit;
use crate::tool_run::{RunError, RunRequest, count_call};
use crate::workspace::{Changes, FileEntry, NewManifest, Trees, WorkspaceLimits, WorkspacePath, edit, read, save_edit};

/// R071, R072, R075, R076, R198: files laid out, called, captured, the state and the row in the store.
#[test]
fn a_call_changes_files_and_is_recorded() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": 1})), &[("a.txt", "one"), ("b/c.txt", "two")], &[]));
    let first = device.count("a.txt").call;
    assert_eq!(device.files(&first.pre_manifest_id), files(&[]));
    assert_eq!(device.files(&first.post_manifest_id), files(&[("a.txt", "one"), ("b/c.txt", "two")]));
    let made = device.manifest(&first.post_manifest_id);
    assert_eq!((made.source, made.parent_id), (ManifestSource::ToolRun, first.pre_manifest_id.clone()));
    assert_eq!(made.source_ref.as_deref(), Some(first.id.as_str()));
    assert_eq!(device.call(&first.id), first);

    device.python.then(came_back(gave(json!({"rows": 2})), &[("a.txt", "1")], &["b/c.txt"]));
    let second = device.count("a.txt").call;
    assert_eq!(second.pre_manifest_id, first.post_manifest_id);
    assert_eq!(device.shown(&second.chat_id), files(&[("a.txt", "1")]));
    let given = &device.python.calls.borrow()[1];
    assert_eq!(given.workspace.keys().collect::<Vec<_>>(), ["a.txt", "b/c.txt"]);
    let seen = (&given.entrypoint, &given.arguments, given.time_limit.as_secs(), &given.declared_hosts);
    assert_eq!(seen, (&"tools.count:run".into(), &json!({"path": "a.txt"}), 5, &vec!["api.example.com".into()]));
    assert_eq!(given.toolset_files.keys().collect::<Vec<_>>(), ["tools/count.py", "toolset.yaml"]);
    assert_eq!(given.wheels.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["attrs-1-py3-none-any.whl"]);
    assert_eq!(second.render_plan.expect("has a plan")["pinned"]["a.txt"], json!(device_hash("1")));
}

fn device_hash(text: &str) -> crate::digest::BlobId {
    crate::digest::BlobId::of(text.as_bytes())
}

/// R036, R076: no change, no other state.
#[test]
fn a_call_that_changes_nothing_makes_no_state() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[("a.txt", "one")], &[]));
    let first = device.count("a.txt").call;
    let manifests = device.rows(Table::WorkspaceManifests);
    device.python.then(came_back(gave(json!({})), &[("a.txt", "one")], &["gone.txt"]));
    let second = device.count("a.txt").call;
    assert_eq!((&second.pre_manifest_id, &second.post_manifest_id), (&first.post_manifest_id, &first.post_manifest_id));
    assert_eq!(device.rows(Table::WorkspaceManifests), manifests);
}

/// R238: one scratch chat for all calls without a chat; a deleted one is left in peace.
#[test]
fn calls_without_a_chat_share_the_scratch_chat() {
    let device = Device::new();
    for _ in 0..3 {
        device.python.then(came_back(gave(json!({})), &[], &[]));
    }
    let (first, second) = (device.count("a").call, device.count("a").call);
    assert_eq!(first.chat_id, second.chat_id);
    let chat: Chat = device.get(RowKey::one(first.chat_id.as_str())).expect("is there");
    assert_eq!(chat.title, "Scratch");
    device.apply(crate::conversation::soft_delete(&chat, crate::time::Timestamp::from_millis(9)));
    assert_ne!(device.count("a").call.chat_id, chat.id);
}

/// Nothing the user did while the tool ran is lost, and nothing the tool did.
#[test]
fn an_edit_during_the_call_stays() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[("a.txt", "one"), ("both.txt", "old")], &[]));
    let first = device.count("a").call;
    let store = device.store.clone();
    let chat = first.chat_id.clone();
    *device.python.meanwhile.borrow_mut() = Some(Box::new(move || edit_file(&store, &chat, "user.txt", "mine")));
    device.python.then(came_back(gave(json!({})), &[("tool.txt", "its")], &["a.txt"]));
    let second = device.count("a").call;
    assert_eq!(device.shown(&first.chat_id), files(&[("both.txt", "old"), ("tool.txt", "its"), ("user.txt", "mine")]));
    assert_eq!(device.files(&second.pre_manifest_id), files(&[("a.txt", "one"), ("both.txt", "old")]));
    assert_eq!(second.notes, ["files were edited while the tool ran; what it changed was put on top of that"]);
    let parent = device.manifest(&second.post_manifest_id).parent_id;
    assert_eq!(device.manifest(&parent).source, ManifestSource::Edit);
}

pub(super) fn edit_file(store: &crate::store::MemoryStore, chat: &crate::ids::ChatId, path: &str, text: &str) {
    use super::at_once;
    use crate::store::{Blob, Store as _};
    let open = at_once(crate::conversation::OpenChat::open(store, chat)).expect("memory").expect("is there");
    let place = at_once(open.place_at(store, &open.leaf)).expect("memory does not fail");
    let root = place.base.as_ref().expect("has files").manifest.root;
    let blob = Blob::new(text.as_bytes().to_vec());
    let path = WorkspacePath::parse(path).expect("is a path");
    let changes = Changes::default().put(path, FileEntry { sha256: blob.id(), size: text.len() as u64 });
    let limits = WorkspaceLimits::default();
    let snapshot = at_once(read(store, &mut Trees::default(), |trees| edit(trees, root, &changes, &limits)));
    let id = crate::ids::ManifestId::parse("0198c5a4-7c1e-7000-9000-000000000001").expect("is a UUID");
    let new = NewManifest { id, created_at: crate::time::Timestamp::from_millis(7) };
    let made = save_edit(&place, None, snapshot.expect("fits"), vec![blob], new).expect("changes something");
    at_once(store.apply(made.commit, crate::time::Timestamp::from_millis(7))).expect("fits");
}

/// R255, C47: recorded, not run, and the path is told.
#[test]
fn arguments_that_do_not_fit_are_recorded_and_not_run() {
    let device = Device::new();
    let finished = device.run(device.request("count", json!({"path": 3})));
    let call = device.call(&finished.call.id);
    assert_eq!((call.status, call.error_kind), (CallStatus::Error, Some(ErrorKind::InvalidArgs)));
    assert_eq!(call.error.as_deref(), Some("the arguments are not valid: /path must be a text, and is the number 3"));
    assert_eq!(finished.misfits.expect("are told").path(), "/path");
    assert!(device.python.calls.borrow().is_empty());
}

/// A number that came as a text is one.
#[test]
fn arguments_are_made_to_fit() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[], &[]));
    let call = device.run(device.request("count", json!({"path": "3", "limit": "3"}))).call;
    assert_eq!(call.args, json!({"path": "3", "limit": 3}));
    assert_eq!(device.python.calls.borrow()[0].arguments, call.args);
}

/// C34: a function is asked once what it takes, and what it says counts.
#[test]
fn a_tool_without_a_schema_is_asked_once() {
    let device = Device::new();
    let input_schema = json!({"type": "object", "required": ["n"]});
    *device.python.description.borrow_mut() = Some(Description { description: "Counts".into(), input_schema });
    device.python.then(came_back(gave(json!({})), &[], &[])).then(came_back(gave(json!({})), &[], &[]));
    for _ in 0..2 {
        assert_eq!(device.run(device.request("undescribed", json!({"n": 1}))).call.status, CallStatus::Success);
    }
    let refused = device.run(device.request("undescribed", json!({})));
    assert_eq!(refused.misfits.expect("are told").path(), "/n");
    assert_eq!(*device.python.described.borrow(), ["tools.count:other"]);
}

/// What keeps a function from saying what it takes is told by the call itself.
#[test]
fn a_tool_that_cannot_say_what_it_takes_is_called() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[], &[]));
    let request = || RunRequest { call_id: Some("1".into()), ..device.request("undescribed", json!(null)) };
    assert_eq!(device.run(request()).call.args, json!({}));
    assert!(device.run(request()).repeated);
}

/// R305: output and displays are kept with the call.
#[test]
fn output_and_displays_are_kept() {
    let device = Device::new();
    let output = [(OutputStream::Stdout, "a"), (OutputStream::Stdout, "b\n"), (OutputStream::Stderr, "c")];
    let output = output.map(|(stream, text)| (stream, text.to_owned())).to_vec();
    let displays = vec![[("text/html".to_owned(), "<b>1</b>".to_owned())].into()];
    device.python.then(PythonEnd { output, displays, ..came_back(gave(json!({})), &[], &[]) });
    let call = device.count("a").call;
    let text = |id| {
        let bytes = super::at_once(crate::store::Store::blob(&device.store, id)).expect("memory").expect("is stored");
        String::from_utf8(bytes).expect("is a text")
    };
    assert_eq!(text(call.output.expect("is kept")), r#"[["stdout","ab\n"],["stderr","c"]]"#);
    assert_eq!(call.displays.into_iter().map(text).collect::<Vec<_>>(), [r#"{"text/html":"<b>1</b>"}"#]);
}

/// R308: a large result is a file of the same state, and the answer still has all of it.
#[test]
fn a_large_result_becomes_a_file() {
    let device = Device::new();
    let large = json!({"text": "x".repeat(70_000)});
    device.python.then(came_back(gave(large.clone()), &[("a", "1")], &[]));
    let request = RunRequest { call_id: Some("call_1".into()), ..device.request("count", json!({"path": "a"})) };
    let finished = device.run(request.clone());
    assert_eq!((finished.result.as_ref(), &finished.call.result), (Some(&large), &None));
    let spilled = finished.call.spilled.clone().expect("is a file");
    assert_eq!(spilled.preview.len(), 2_048);
    let shown = device.files(&finished.call.post_manifest_id);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown[&spilled.path]).expect("is JSON"), large);
    assert_eq!(shown["a"], "1");
    let again = device.run(RunRequest { id: device.request("count", json!({})).id, ..request });
    assert_eq!((again.result, again.repeated), (Some(large), true));
}

/// The same id, tool and arguments: the answer of then. Another call under that id is refused.
#[test]
fn a_repeated_request_is_not_run_again() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": 1})), &[], &[]));
    let request = |arguments| RunRequest { call_id: Some("call_1".into()), ..device.request("count", arguments) };
    let first = device.run(request(json!({"path": "a", "limit": "1"})));
    let again = device.run(request(json!({"path": "a", "limit": "1"})));
    assert_eq!((again.call, again.result, again.repeated), (first.call, first.result, true));
    let other = device.try_run(request(json!({"path": "b"}))).expect_err("is refused");
    assert!(matches!(other, RunError::CallIdTaken(_)), "{other}");
}

/// R257
#[test]
fn calls_are_counted_after_the_answer() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[], &[]));
    let good = device.count("a").call;
    let key = || RowKey::one("mine:count");
    assert_eq!(device.get::<ToolMetrics>(key()), None);
    let bad = device.run(device.request("count", json!({}))).call;
    for call in [&good, &bad] {
        super::at_once(count_call(&device.store, call, crate::time::Timestamp::from_millis(1))).expect("memory");
    }
    let counted = device.get::<ToolMetrics>(key()).expect("is counted");
    assert_eq!((counted.calls, counted.errors, counted.last_called_at), (2, 1, Some(bad.started_at)));
    assert!(counted.total_millis > 0);
    device.apply(Commit::default());
}

/// R167, R193: what cannot be run says why, and nothing is recorded.
#[test]
fn what_cannot_be_run_says_why() {
    let device = Device::new();
    let check = |request: RunRequest, expected: &str| {
        assert_eq!(device.try_run(request).expect_err("is refused").to_string(), expected);
    };
    check(device.request("none", json!({})), "the toolset mine has no tool \"none\"");
    let other = RunRequest { toolset: "other".into(), ..device.request("count", json!({})) };
    check(other, "no toolset \"other\" is installed");
    let chat = crate::ids::ChatId::parse("0198c5a4-7c1e-7000-9000-000000000001").expect("is a UUID");
    let nowhere = RunRequest { chat: Some(chat.clone()), ..device.request("count", json!({})) };
    check(nowhere, &format!("there is no chat {chat}"));
    let toolset = device.get(RowKey::one("mine")).expect("is there");
    device.apply(crate::catalog::set_enabled(&toolset, false));
    check(device.request("count", json!({})), "mine:count cannot be used: Disabled in settings");
    assert_eq!(device.rows(Table::ToolCalls), 0);
}
