//! Calls that the user makes in a conversation, without a model.

use serde_json::json;

use super::recording::edit_file;
use super::{Device, at_once, files};
use crate::approval::{Answer, Verdict};
use crate::catalog::Selection;
use crate::conversation::OpenChat;
use crate::ids::{ChatId, MessageId};
use crate::python::Ending;
use crate::python::scripted::{came_back, ended, gave, raised};
use crate::record::{CallStatus, Chat, Content, ErrorKind, Message, Node, Role, RowKey, Table};
use crate::time::Timestamp;
use crate::tool_run::{Permission, RunOutcome, RunRequest, Spoken, interrupt_left, is_invoked_by_user};

fn chat() -> ChatId {
    ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID")
}

fn spoken(device: &Device, tool: &str, arguments: serde_json::Value) -> RunRequest {
    let message = || MessageId::parse(device.fresh()).expect("is a UUID");
    let spoken = Some(Spoken { question: message(), answer: message(), begins_with: Selection::default() });
    let call_id = Some(device.fresh());
    RunRequest { chat: Some(chat()), call_id, spoken, ..device.request(tool, arguments) }
}

fn open(device: &Device) -> OpenChat {
    at_once(OpenChat::open(&device.store, &chat())).expect("memory does not fail").expect("is there")
}

fn path(open: &OpenChat) -> Vec<Message> {
    open.tree.path(&open.leaf).into_iter().cloned().collect()
}

/// R179, R189: a question and an answer, as a model's call would leave them, and the row belongs to the question.
#[test]
fn a_call_of_the_users_is_written_as_a_models_would_be() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": 2})), &[("a.txt", "one")], &[]));
    let call = device.run(spoken(&device, "count", json!({"path": "a.txt"}))).call;
    let said = path(&open(&device));
    let [question, answer] = said.as_slice() else { unreachable!("{said:?}") };
    assert_eq!((question.role, &question.content), (Role::Assistant, &Content::Text(String::new())));
    assert!(is_invoked_by_user(question));
    let [asked] = question.tool_calls.as_slice() else { unreachable!("{question:?}") };
    let function = (asked.function.name.as_str(), asked.function.arguments.as_str());
    assert_eq!(function, ("toolset__mine__count", r#"{"path":"a.txt"}"#));
    assert_eq!((answer.role, &answer.content), (Role::Tool, &Content::Text(r#"{"rows":2}"#.into())));
    assert_eq!((&answer.tool_call_id, &call.call_id), (&Some(asked.id.clone()), &Some(asked.id.clone())));
    assert_eq!((&answer.parent_id, &call.message_id), (&Some(question.id.clone()), &Some(question.id.clone())));
}

/// R179: the chat begins with the call, is named after the tool, and goes on from where it is.
#[test]
fn a_call_begins_its_chat_and_the_next_goes_on() {
    let device = Device::new();
    for (path, text) in [("a.txt", "one"), ("b.txt", "two")] {
        device.python.then(came_back(gave(json!({})), &[(path, text)], &[]));
        device.run(spoken(&device, "count", json!({"path": path})));
    }
    let row: Chat = device.get(RowKey::one(chat().as_str())).expect("is there");
    assert_eq!(row.title, "count");
    assert_eq!(path(&open(&device)).len(), 4);
    assert_eq!(device.shown(&chat()), files(&[("a.txt", "one"), ("b.txt", "two")]));
}

/// R173: a chat that begins with a call begins with the tools that were last chosen, and one that is there keeps its own.
#[test]
fn a_chat_that_begins_with_a_call_inherits_the_selection() {
    let device = Device::new();
    let chosen = || -> Option<_> { device.get::<Chat>(RowKey::one(chat().as_str()))?.enabled_tools };
    for last in [r#"{"mine": ["count"]}"#, r#"{"mine": ["other"]}"#] {
        device.python.then(came_back(gave(json!({})), &[], &[]));
        let mut request = spoken(&device, "count", json!({"path": "a"}));
        let begins_with = Selection::of_last(Some(last));
        request.spoken = request.spoken.map(|spoken| Spoken { begins_with, ..spoken });
        device.run(request);
        assert_eq!(chosen(), Some([("mine".to_owned(), vec!["count".to_owned()])].into()));
    }
}

/// C25, R076: each call has the files it has left, and the next begins with them.
#[test]
fn the_files_after_a_call_are_those_of_its_messages() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[("a.txt", "one")], &[]));
    device.run(spoken(&device, "count", json!({"path": "a"})));
    device.python.then(came_back(gave(json!({})), &[("a.txt", "two")], &[]));
    let second = device.run(spoken(&device, "count", json!({"path": "a"}))).call;
    device.python.then(came_back(gave(json!({})), &[], &[]));
    device.run(spoken(&device, "count", json!({"path": "a"})));
    let open = open(&device);
    let said = path(&open);
    let at = |message: &Message| open.heads.manifest_at(&open.tree, &Node::Message(message.id.clone())).cloned();
    let states: Vec<_> = said.iter().map(|message| device.files(&at(message))).collect();
    let (one, two) = (files(&[("a.txt", "one")]), files(&[("a.txt", "two")]));
    assert_eq!(states, [one.clone(), one.clone(), two.clone(), two.clone(), two.clone(), two]);
    assert_eq!((device.files(&second.pre_manifest_id), at(&said[3])), (one, second.post_manifest_id));
}

/// Nothing the user did to the files while the tool ran is lost.
#[test]
fn an_edit_during_the_call_is_in_the_answer() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[("a.txt", "one")], &[]));
    device.run(spoken(&device, "count", json!({"path": "a"})));
    let store = device.store.clone();
    *device.python.meanwhile.borrow_mut() = Some(Box::new(move || edit_file(&store, &chat(), "user.txt", "mine")));
    device.python.then(came_back(gave(json!({})), &[("tool.txt", "its")], &[]));
    device.run(spoken(&device, "count", json!({"path": "a"})));
    assert_eq!(device.shown(&chat()), files(&[("a.txt", "one"), ("tool.txt", "its"), ("user.txt", "mine")]));
}

/// R188: an error is an answer, whatever kind it is.
#[test]
fn every_end_is_answered() {
    let device = Device::new();
    let answer = |request: RunRequest| {
        let status = device.run(request).call.status;
        let last = path(&open(&device)).pop().expect("has messages");
        assert_eq!((status, last.role), (CallStatus::Error, Role::Tool));
        last.content.text()
    };
    device.python.then(came_back(raised("no such column"), &[], &[]));
    assert_eq!(answer(spoken(&device, "count", json!({"path": "a"}))), r#"{"error":"no such column"}"#);
    device.python.then(ended(Ending::Stopped));
    let stopped = r#"{"error":"the call was stopped; what it had changed was dropped"}"#;
    assert_eq!(answer(spoken(&device, "count", json!({"path": "a"}))), stopped);
    assert_eq!(
        answer(spoken(&device, "count", json!({}))),
        r#"{"error":"the arguments are not valid: /path is missing"}"#
    );
    assert_eq!(path(&open(&device)).len(), 6);
}

/// R307: until the user has answered nothing is written; a no is part of the conversation.
#[test]
fn a_call_that_asks_is_written_after_the_answer() {
    let device = Device::new();
    let request = spoken(&device, "ask", json!({"n": 1}));
    let asked = device.try_run(request.clone()).expect("it is asked for");
    let RunOutcome::ApprovalNeeded(asked) = asked else { unreachable!("{asked:?}") };
    assert_eq!((device.rows(Table::Chats), device.rows(Table::Messages)), (0, 0));
    let verdict = Verdict::Deny { reason: Some("not now".into()) };
    let answer = Answer { verdict, arguments: None, definition_hash: asked.definition_hash };
    let denied = device.run(RunRequest { permission: Permission::Answered(answer), ..request }).call;
    assert_eq!(denied.error_kind, Some(ErrorKind::Denied));
    let said = path(&open(&device));
    assert_eq!(said.len(), 2);
    assert!(said[1].content.text().contains("not now"), "{said:?}");
}

/// R308: what is too large for a model is told by its file and its beginning.
#[test]
fn a_large_result_is_told_by_its_file() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({"text": "x".repeat(70_000)})), &[], &[]));
    let call = device.run(spoken(&device, "count", json!({"path": "a"}))).call;
    let last = path(&open(&device)).pop().expect("has messages");
    let told: serde_json::Value = serde_json::from_str(&last.content.text()).expect("is JSON");
    let spilled = call.spilled.expect("is a file");
    assert_eq!((&told["path"], &told["preview"]), (&json!(spilled.path), &json!(spilled.preview)));
}

/// R315: a call whose tab went while it ran is answered too, when it is ended.
#[test]
fn a_call_that_was_left_is_answered() {
    let device = Device::new();
    let store = device.store.clone();
    *device.python.meanwhile.borrow_mut() = Some(Box::new(move || {
        at_once(interrupt_left(&store, &chat(), Timestamp::from_millis(99))).expect("memory does not fail");
        // The tab is gone: nothing of what comes after counts.
        panic!("the tab is gone");
    }));
    let request = spoken(&device, "count", json!({"path": "a"}));
    let gone = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| device.try_run(request)));
    assert!(gone.is_err());
    let said = path(&open(&device));
    assert_eq!(said.iter().map(|message| message.role).collect::<Vec<_>>(), [Role::Assistant, Role::Tool]);
    assert!(said[1].content.text().starts_with(r#"{"error":"interrupted"#), "{said:?}");
}
