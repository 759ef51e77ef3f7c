//! Chats are begun, listed and read.

use serde_json::{Value, json};

use super::{Device, text};
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::record::{CallStatus, Chat, Content, Message, Node, Position, Role, RowKey, RowRef, Table, ToolCall};
use crate::store::{Commit, Put};
use crate::time::Timestamp;

pub(super) fn message_id(number: u32) -> MessageId {
    MessageId::parse(format!("0198c5a4-7c1e-7000-9000-{number:012}")).expect("is a UUID")
}

pub(super) fn message(chat: &str, number: u32, parent: Option<u32>) -> Message {
    Message {
        id: message_id(number),
        chat_id: ChatId::parse(chat).expect("is a UUID"),
        parent_id: parent.map(message_id),
        role: Role::User,
        content: Content::Text(format!("message {number}")),
        tool_calls: vec![],
        tool_call_id: None,
        metadata: serde_json::Map::new(),
        created_at: Timestamp::from_millis(u64::from(number) * 1_000),
    }
}

/// Makes this device look at a message.
pub(super) fn look_at(device: &Device, chat: &str, number: u32) {
    let value = serde_json::to_value(Node::Message(message_id(number))).expect("is a text");
    device.apply(Commit::relaxed().put(&Position { place: format!("leaf/{chat}"), value }));
}

#[test]
fn a_chat_is_begun_and_listed() {
    let device = Device::new();
    assert_eq!(device.get("/local/chats"), json!({"chats": []}));
    let first = device.ask("POST", "/local/chats", br#"{"title": " Rows "}"#).is(201);
    insta::assert_json_snapshot!(first, @r#"
    {
      "id": "0198c5a4-7c1e-7000-8000-000000000001",
      "title": "Rows",
      "created_at": "1970-01-01T00:00:01.000Z",
      "modified_at": "1970-01-01T00:00:01.000Z",
      "enabledTools": null,
      "equipped": null,
      "configuring": false,
      "model": null,
      "max_tool_iterations": null,
      "forked_from": null,
      "soft_deleted_at": null
    }
    "#);
    device.now.set(2_000);
    let second = device.ask("POST", "/local/chats", b"").is(201);
    assert_eq!(second["title"], "New chat");
    assert_eq!(device.get("/local/chats"), json!({"chats": [second, first]}));
}

/// R017, R172
#[test]
fn a_chat_is_begun_with_its_tools() {
    let device = Device::new();
    let body = br#"{"enabledTools": {"mine": ["two", "one"], "none": []}}"#;
    let chat = device.ask("POST", "/local/chats", body).is(201);
    assert_eq!(chat["enabledTools"], json!({"mine": ["one", "two"]}));
    assert_eq!(device.get("/local/chats"), json!({"chats": [chat]}));
}

#[test]
fn what_is_no_chat_is_refused() {
    let device = Device::new();
    let check = |body: &[u8], path: Option<&str>, message: &str| {
        assert_eq!(device.ask("POST", "/local/chats", body).refuses(400, "bad_request", message).as_deref(), path);
    };
    check(br#"{"title": " "}"#, Some("title"), "a chat needs a title");
    let long = format!(r#"{{"title": "{}"}}"#, "x".repeat(201));
    check(long.as_bytes(), Some("title"), "a title has at most 200 characters, and this one has 201");
    let form = "the body must be JSON like {\"title\": \"A title\"}";
    check(b"[]", None, &format!("{form}: invalid type: sequence, expected a map at line 1 column 0"));
    check(br#"{"name": "x"}"#, None, &format!("{form}: unknown field `name`, expected `title` or `enabledTools`"));
    assert_eq!(device.get("/local/chats"), json!({"chats": []}));
}

/// R195, R309: all branches, each message with its parent and its files, and the calls.
#[test]
fn a_chat_has_its_tree_and_its_calls() {
    let device = Device::new();
    let chat = device.chat();
    let call = ToolCall {
        id: ToolCallId::parse("0198c5a4-7c1e-7000-a000-000000000001").expect("is a UUID"),
        call_id: Some("call_1".into()),
        chat_id: ChatId::parse(chat.clone()).expect("is a UUID"),
        message_id: Some(message_id(2)),
        tool_id: "my-toolset:count".into(),
        package: None,
        args: json!({"path": "a.txt"}),
        result: Some(json!({"lines": 1})),
        render_plan: None,
        status: CallStatus::Success,
        error: None,
        error_kind: None,
        started_at: Timestamp::from_millis(2_500),
        finished_at: Some(Timestamp::from_millis(2_600)),
        pre_manifest_id: None,
        post_manifest_id: None,
        traceback: None,
        output: None,
        displays: Vec::new(),
        notes: Vec::new(),
        spilled: None,
        result_files: Vec::new(),
    };
    let rows = Commit::default()
        .put(&message(&chat, 1, None))
        .put(&message(&chat, 3, Some(1)))
        .put(&message(&chat, 2, Some(1)))
        .put(&call);
    device.apply(rows);
    look_at(&device, &chat, 2);
    device.ask("PUT", &format!("/local/chats/{chat}/workspace/files/a.txt"), b"a\n").is(200);
    insta::assert_json_snapshot!(device.get(&format!("/local/chats/{chat}")), @r#"
    {
      "id": "0198c5a4-7c1e-7000-8000-000000000001",
      "title": "New chat",
      "created_at": "1970-01-01T00:00:01.000Z",
      "modified_at": "1970-01-01T00:00:01.000Z",
      "enabledTools": null,
      "equipped": null,
      "configuring": false,
      "model": null,
      "max_tool_iterations": null,
      "forked_from": null,
      "soft_deleted_at": null,
      "active_leaf": "0198c5a4-7c1e-7000-9000-000000000002",
      "messages": [
        {
          "id": "0198c5a4-7c1e-7000-9000-000000000001",
          "chat_id": "0198c5a4-7c1e-7000-8000-000000000001",
          "parent_id": null,
          "role": "user",
          "content": "message 1",
          "created_at": "1970-01-01T00:00:01.000Z",
          "manifest_id": null
        },
        {
          "id": "0198c5a4-7c1e-7000-9000-000000000002",
          "chat_id": "0198c5a4-7c1e-7000-8000-000000000001",
          "parent_id": "0198c5a4-7c1e-7000-9000-000000000001",
          "role": "user",
          "content": "message 2",
          "created_at": "1970-01-01T00:00:02.000Z",
          "manifest_id": "0198c5a4-7c1e-7000-8000-000000000002"
        },
        {
          "id": "0198c5a4-7c1e-7000-9000-000000000003",
          "chat_id": "0198c5a4-7c1e-7000-8000-000000000001",
          "parent_id": "0198c5a4-7c1e-7000-9000-000000000001",
          "role": "user",
          "content": "message 3",
          "created_at": "1970-01-01T00:00:03.000Z",
          "manifest_id": null
        }
      ],
      "tool_calls": [
        {
          "id": "0198c5a4-7c1e-7000-a000-000000000001",
          "call_id": "call_1",
          "chat_id": "0198c5a4-7c1e-7000-8000-000000000001",
          "message_id": "0198c5a4-7c1e-7000-9000-000000000002",
          "tool_id": "my-toolset:count",
          "args": {
            "path": "a.txt"
          },
          "result": {
            "lines": 1
          },
          "render_plan": null,
          "status": "success",
          "error": null,
          "error_kind": null,
          "started_at": "1970-01-01T00:00:02.500Z",
          "finished_at": "1970-01-01T00:00:02.600Z",
          "pre_manifest_id": null,
          "post_manifest_id": null,
          "traceback": null,
          "output": null,
          "displays": [],
          "notes": [],
          "spilled": null
        }
      ]
    }
    "#);
}

/// R317: broken rows are told, and hide nothing.
#[test]
fn broken_rows_are_told() {
    let device = Device::new();
    let chat = device.chat();
    let torn = |table, fields: Value| {
        let row = RowRef { table, key: RowKey::one("torn") };
        let fields = fields.as_object().expect("is an object").clone();
        device.apply(Commit { puts: vec![Put { row, fields, must_exist: false }], ..Commit::default() });
    };
    torn(Table::Chats, json!({"title": "Torn"}));
    torn(Table::Messages, json!({"chat_id": chat}));
    torn(Table::ToolCalls, json!({"chat_id": chat}));
    device.apply(Commit::default().put(&message(&chat, 2, Some(1))));
    let list = device.get("/local/chats");
    assert_eq!(list["chats"].as_array().map(Vec::len), Some(1));
    assert_eq!(list["broken"], json!(["the stored row chats/torn cannot be read"]));
    let details = device.get(&format!("/local/chats/{chat}"));
    assert_eq!(details["messages"].as_array().map(Vec::len), Some(1));
    let expected = json!([
        "the stored row messages/torn cannot be read",
        format!(
            "the message {} replies to {}, which is not in this chat; it is shown as a first message",
            message_id(2),
            message_id(1)
        ),
        "the stored row tool_calls/torn cannot be read",
    ]);
    assert_eq!(details["broken"], expected);
}

#[test]
fn a_chat_that_is_not_there_is_not_found() {
    let device = Device::new();
    let chat = device.chat();
    let none = "0198c5a4-7c1e-7000-8000-0000000000ff";
    let message = format!("there is no chat {none}");
    for below in ["", "/workspace", "/workspace/files/a", "/messages/root/manifest"] {
        device.ask("GET", &format!("/local/chats/{none}{below}"), b"").refuses(404, "not_found", &message);
    }
    let asked = device.ask("GET", "/local/chats/x", b"");
    let path = asked.refuses(400, "bad_request", "not a chat id, which is a UUID in lower case: \"x\"");
    assert_eq!(path.as_deref(), Some("id"));

    let id = ChatId::parse(chat.clone()).expect("is a UUID");
    let row: Chat = serde_json::from_value(device.get("/local/chats")["chats"][0].take()).expect("is a chat");
    assert_eq!(row.id, id);
    device.apply(crate::conversation::soft_delete(&row, Timestamp::from_millis(3_000)));
    assert_eq!(device.get("/local/chats"), json!({"chats": []}));
    device.ask("GET", &format!("/local/chats/{}", text(&json!(chat))), b"").is(404);
}
