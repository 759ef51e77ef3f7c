//! Calls of tools of MCP servers.

use serde_json::{Map, Value, json};

use super::{Device, at_once};
use crate::approval::{Answer, DefaultButton, Verdict};
use crate::catalog::{ServerStanding, Surroundings, Unavailable};
use crate::conversation::{ConversationLimits, NewReply, create, reply};
use crate::ids::{ChatId, MessageId};
use crate::mcp::{SeenLimits, ServerCallEnd, note_seen};
use crate::protocol::{Capability, McpCallResult, McpServerState, McpStatus, parse_server_key};
use crate::record::{CallStatus, ErrorKind, Pin, RowKey, Table, ToolCall};
use crate::time::Timestamp;
use crate::tool_run::{Finished, Permission, RunError, RunOutcome, RunRequest, keep_results};

const MANIFEST: &str = r#"
manifest_version: "1"
id: mine
name: Mine
version: 2.0.0
mcp_servers:
  - {id: files, url: "https://files.test/mcp"}
  - {id: disk, url: "https://disk.test/mcp"}
"#;
const READ: &str = "mcp:mine~files:read";

fn tool(name: &str) -> Value {
    json!({
        "name": name,
        "description": "Reads",
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        "outputSchema": {"type": "object", "properties": {"rows": {"type": "integer"}}},
        "annotations": {"readOnlyHint": true},
    })
}

fn device() -> Device {
    let key = |text: &str| parse_server_key(text).expect("is a key");
    let connected =
        |text: &str| (key(text), ServerStanding { status: McpStatus::Connected, reason: None, approval: None });
    let surroundings = Surroundings {
        capabilities: vec![Capability::Mcp],
        servers: [connected("mine~files"), connected("mine~disk")].into(),
        ..Surroundings::default()
    };
    let device = Device { surroundings, ..Device::new() };
    device.install(MANIFEST);
    for name in ["mine~disk", "mine~files"] {
        see(&device, name, tool("read"));
    }
    device
}

fn see(device: &Device, key: &str, tool: Value) {
    let state = McpServerState {
        key: parse_server_key(key).expect("is a key"),
        definition: serde_json::from_value(json!({"url": "https://x.test"})).expect("is a definition"),
        status: McpStatus::Connected,
        reason: None,
        approval: None,
        identity: None,
        tools: vec![tool],
        tools_version: 1,
    };
    let noted = at_once(note_seen(&device.store, &state, &SeenLimits::default(), Timestamp::from_millis(1)));
    device.apply(noted.expect("memory does not fail").expect("is new"));
}

fn request(device: &Device, permission: Permission) -> RunRequest {
    RunRequest { permission, ..device.request("files:read", json!({"path": "a.txt"})) }
}

/// A chat with an answer that asks for calls.
fn a_round(device: &Device) -> (ChatId, MessageId) {
    let chat = ChatId::parse(device.fresh()).expect("is a UUID");
    let new = NewReply {
        id: MessageId::parse(device.fresh()).expect("is a UUID"),
        parent_id: None,
        text: "x".into(),
        calls: vec![],
        metadata: Map::new(),
    };
    let answer = reply(&chat, new, Timestamp::from_millis(1));
    let begun = create(chat.clone(), None, ConversationLimits::default(), Timestamp::from_millis(1));
    device.apply(begun.expect("is fine").1.put(&answer));
    (chat, answer.id)
}

fn run(device: &Device) -> Finished {
    device.run(request(device, Permission::Once))
}

/// R197, C41, C14: nothing is sent before the user has agreed; from then on the tool is pinned.
#[test]
fn a_call_asks_first_and_pins() {
    let device = device();
    let RunOutcome::ApprovalNeeded(asked) = device.try_run(request(&device, Permission::Unasked)).expect("asks") else {
        unreachable!("it ran")
    };
    assert_eq!((asked.tool_id.to_string().as_str(), asked.default), (READ, DefaultButton::Once));
    assert_eq!(asked.hints.read_only, Some(true));
    assert!(device.servers.calls.borrow().is_empty());
    assert_eq!(device.get::<Pin>(RowKey::one(READ)), None);

    device.servers.answers(json!([{"type": "text", "text": "hello"}]), None);
    let answer = Answer { verdict: Verdict::Always, arguments: None, definition_hash: asked.definition_hash };
    let finished = device.run(request(&device, Permission::Answered(answer)));
    assert_eq!(finished.result, Some(json!({"text": "hello"})));
    assert_eq!(device.get::<Pin>(RowKey::one(READ)).map(|pin| pin.definition_hash), Some(asked.definition_hash));
    let sent = device.servers.calls.borrow()[0].clone();
    assert_eq!((sent.server.to_string().as_str(), sent.tool.as_str()), ("mine~files", "read"));
    assert_eq!(Value::Object(sent.arguments), json!({"path": "a.txt"}));
    // It need not ask again, as long as it stays what it is.
    device.servers.answers(json!([]), None);
    device.run(request(&device, Permission::Unasked));
    see(&device, "mine~files", json!({"name": "read", "inputSchema": {}}));
    let refused = device.try_run(request(&device, Permission::Once)).expect_err("it has changed");
    assert!(matches!(refused, RunError::Unavailable { reason: Unavailable::Changed, .. }), "{refused}");
    assert_eq!(device.servers.calls.borrow().len(), 2);
}

/// R198, C36: recorded like any other, with the files as they were.
#[test]
fn a_call_is_recorded_and_touches_no_files() {
    let device = device();
    device.servers.answers(json!([{"type": "text", "text": "{\"rows\":1}"}]), Some(json!({"rows": 1})));
    let call = run(&device).call;
    assert_eq!((call.tool_id.as_str(), call.status), (READ, CallStatus::Success));
    assert_eq!(call.result, Some(json!({"rows": 1})));
    assert!(call.pre_manifest_id.is_some());
    assert_eq!(call.pre_manifest_id, call.post_manifest_id);
}

/// R255, C46, C47: arguments are checked before anything is sent, results when they come.
#[test]
fn arguments_and_results_have_to_fit() {
    let device = device();
    let wrong = RunRequest { permission: Permission::Once, ..device.request("files:read", json!({"path": 7.5})) };
    let refused = device.run(wrong).call;
    assert_eq!(refused.error_kind, Some(ErrorKind::InvalidArgs));
    assert!(device.servers.calls.borrow().is_empty());
    device.servers.answers(json!([]), Some(json!({"rows": "many"})));
    let misfit = run(&device).call;
    assert_eq!((misfit.status, misfit.error_kind), (CallStatus::Error, Some(ErrorKind::Failed)));
}

/// R128, R308: bytes become files of the chat, of which the result says where they are.
#[test]
fn bytes_become_files_of_the_chat() {
    let device = device();
    device.servers.answers(json!([{"type": "image", "data": "Zm9v", "mimeType": "image/png"}]), None);
    let call = run(&device).call;
    let path = format!(".satchel/results/{}.png", call.id);
    assert_eq!(call.result, Some(json!({"files": [{"path": path, "media_type": "image/png", "bytes": 3}]})));
    assert_eq!(device.files(&call.post_manifest_id), super::files(&[(&path, "foo")]));
    assert_eq!(call.displays.len(), 1);
}

/// R308: a large result is a file too, and its row has the beginning of it.
#[test]
fn a_large_result_becomes_a_file() {
    let device = device();
    device.servers.answers(json!([{"type": "text", "text": "x".repeat(70_000)}]), None);
    let call = run(&device).call;
    assert_eq!(call.result, None);
    assert_eq!(call.spilled.map(|spilled| spilled.media_type).as_deref(), Some("application/json"));
}

/// R128: whatever ends a call badly is said in its row.
#[test]
fn bad_ends_are_recorded() {
    let device = device();
    let check = |end: ServerCallEnd, kind: ErrorKind, message: &str| {
        device.servers.then(end);
        let call = run(&device).call;
        assert_eq!((call.error_kind, call.error.as_deref()), (Some(kind), Some(message)));
    };
    let said = McpCallResult {
        content: vec![json!({"type": "text", "text": "no such file"})],
        structured_content: None,
        is_error: true,
    };
    check(ServerCallEnd::Answered(said), ErrorKind::Failed, "no such file");
    check(ServerCallEnd::Failed("it has ended".into()), ErrorKind::Failed, "it has ended");
    check(
        ServerCallEnd::Stopped,
        ErrorKind::Cancelled,
        "the call was stopped; what it has done until then is not known",
    );
    let late = "it took longer than 60 s and was stopped; the limit is \"time of a tool\" in Settings";
    check(ServerCallEnd::TimedOut, ErrorKind::Timeout, late);
}

/// C08: of two servers with tools of one name, the plain one is the first's.
#[test]
fn tools_of_one_name_are_told_apart() {
    let device = device();
    let called = |name: &str| {
        device.servers.answers(json!([]), None);
        let request = RunRequest { permission: Permission::Once, ..device.request(name, json!({"path": "a"})) };
        device.run(request).call.tool_id
    };
    assert_eq!(called("read"), "mcp:mine~disk:read");
    assert_eq!(called("disk:read"), "mcp:mine~disk:read");
    assert_eq!(called("files:read"), READ);
    // C09: by its whole id too, of today or of old, and recorded by that of today.
    assert_eq!(called(READ), READ);
    assert_eq!(called("mcp:files:read"), READ);
}

/// R176: a server that is away is not asked.
#[test]
fn a_server_that_is_away_is_not_asked() {
    let mut device = device();
    device.surroundings.servers.clear();
    let refused = device.try_run(request(&device, Permission::Once)).expect_err("is away");
    assert_eq!(refused.to_string(), format!("{READ} cannot be used: Not connected: it has not been reached yet"));
}

/// R308: what the calls of a round give that is no text becomes files after the round, as one state, not one a call.
#[test]
fn bytes_of_a_round_become_files_together() {
    let device = device();
    let (chat, answer) = a_round(&device);
    let picture = json!([{"type": "image", "data": "Zm9v", "mimeType": "image/png"}]);
    let calls: Vec<ToolCall> = (0..2)
        .map(|_| {
            device.servers.answers(picture.clone(), None);
            let request = request(&device, Permission::Once);
            device.run(RunRequest { chat: Some(chat.clone()), message: Some(answer.clone()), ..request }).call
        })
        .collect();
    let states = device.rows(Table::WorkspaceManifests);
    for call in &calls {
        assert_eq!(call.pre_manifest_id, call.post_manifest_id, "the call itself changes no files");
        let path = format!(".satchel/results/{}.png", call.id);
        assert_eq!(call.result, Some(json!({"files": [{"path": path, "media_type": "image/png", "bytes": 3}]})));
    }
    let new = || {
        let id = crate::ids::ManifestId::parse(device.fresh()).expect("is a UUID");
        Ok(crate::workspace::NewManifest { id, created_at: Timestamp::from_millis(9) })
    };
    let limits = crate::workspace::WorkspaceLimits::default();
    at_once(keep_results(&device.store, &chat, &answer, &calls, &limits, &new)).expect("there is room");
    assert_eq!(device.rows(Table::WorkspaceManifests), states + 1, "one state for the round");
    let paths = calls.iter().map(|call| format!(".satchel/results/{}.png", call.id)).collect::<Vec<_>>();
    assert_eq!(device.shown(&chat), super::files(&[(&paths[0], "foo"), (&paths[1], "foo")]));
}

/// C35: a call of a round runs beside others, because it cannot touch the files; one by hand waits for its turn.
#[test]
fn calls_of_a_round_run_beside_others() {
    let device = device();
    let (chat, answer) = a_round(&device);
    let taken = |message: Option<MessageId>| {
        device.turns.taken.borrow_mut().clear();
        device.servers.answers(json!([]), None);
        device.run(RunRequest { chat: Some(chat.clone()), message, ..request(&device, Permission::Once) });
        device.turns.taken.borrow()[0].clone()
    };
    assert_eq!(taken(Some(answer)), format!("run beside others in {chat}"));
    assert_eq!(taken(None), format!("run in {chat}"));
}
