//! Calls of tools by the local API.

use std::cell::RefCell;
use std::future::ready;
use std::pin::Pin;

use serde_json::json;

use super::super::{AskUser, Request, ToolHost, World, answer};
use super::{Asked, Device, MANIFEST, at_once, zip};
use crate::approval::{Answer, ApprovalRequest, Verdict};
use crate::catalog::ToolsetId;
use crate::network;
use crate::python::scripted::{ScriptedPython, came_back, gave, raised};
use crate::record::ToolCall;
use crate::store::Store as _;
use crate::time::Timestamp;
use crate::tool_run::counted_turns::CountedTurns;

const COUNT: &str = "/local/toolsets/my-toolset/execute/count";

/// Asks a device on which this Python runs; gives the calls that are to be counted too.
pub(super) fn execute(device: &Device, python: &ScriptedPython, url: &str, body: &str) -> (Asked, Vec<ToolCall>) {
    execute_asking(device, python, None, url, body)
}

/// The same where a user can be asked.
fn execute_asking(
    device: &Device,
    python: &ScriptedPython,
    user: Option<&dyn AskUser>,
    url: &str,
    body: &str,
) -> (Asked, Vec<ToolCall>) {
    let calls = RefCell::new(Vec::new());
    let request = Request { method: "POST".into(), path: url.into(), query: String::new(), body: body.into() };
    let asked = at_once(device.in_world(async |world| {
        let clock = || Timestamp::from_millis(device.now.get());
        let recorded = |call: &ToolCall| calls.borrow_mut().push(call.clone());
        let turns = CountedTurns::default();
        let tools = Some(ToolHost {
            python,
            servers: &crate::mcp::NoServers,
            http: &device.http,
            turns: &turns,
            clock: &clock,
            ask: user,
            recorded: &recorded,
        });
        answer(&device.store, &World { tools, ..*world }, request).await
    }));
    (Asked(asked), calls.into_inner())
}

/// R238: result or error, under the caller's own id.
#[test]
fn a_call_answers_with_result_or_error() {
    let (device, python) = (Device::with_toolset(), ScriptedPython::default());
    python.then(came_back(gave(json!({"lines": 2})), &[("a.txt", "x")], &[]));
    let body = r#"{"tool_call_id": "call_1", "params": {"path": "a.txt"}}"#;
    let (asked, recorded) = execute(&device, &python, COUNT, body);
    assert_eq!(asked.is(200), json!({"tool_call_id": "call_1", "result": {"lines": 2}}));
    let chat = recorded[0].chat_id.to_string();
    let files = device.get(&format!("/local/chats/{chat}/workspace"));
    assert_eq!(files["files"][0]["path"], json!("a.txt"));
    assert_eq!(device.get(&format!("/local/chats/{chat}"))["tool_calls"][0]["call_id"], json!("call_1"));

    let (again, counted) = execute(&device, &python, COUNT, body);
    assert_eq!((again.is(200)["result"].clone(), counted.len()), (json!({"lines": 2}), 0));

    python.then(came_back(raised("ValueError: no"), &[], &[]));
    let (asked, _) = execute(&device, &python, COUNT, &body.replace("call_1", "call_2"));
    assert_eq!(asked.is(200), json!({"tool_call_id": "call_2", "error": "ValueError: no"}));
}

/// R255, C47: 400, the path, and a record.
#[test]
fn arguments_that_do_not_fit_are_400() {
    let (device, python) = (Device::with_toolset(), ScriptedPython::default());
    let body = r#"{"tool_call_id": "1", "params": {"path": [1]}}"#;
    let (asked, recorded) = execute(&device, &python, COUNT, body);
    let message = "the arguments are not valid: /path must be a text, and is a list";
    assert_eq!(asked.refuses(400, "invalid_args", message).as_deref(), Some("/path"));
    assert_eq!(recorded.len(), 1);
    assert!(python.calls.borrow().is_empty());
}

/// R197: a tool that asks is run only with the word of whoever asks.
#[test]
fn a_tool_that_asks_needs_approval() {
    let (device, python) = (Device::with_toolset(), ScriptedPython::default());
    let url = "/local/toolsets/my-toolset/execute/ask";
    let (asked, recorded) = execute(&device, &python, url, r#"{"tool_call_id": "1"}"#);
    let message = "Ask them of My Toolset asks before it runs; show its arguments to the user, then ask again with \
                   \"approved\": true";
    assert_eq!(asked.refuses(409, "approval_required", message).as_deref(), Some("my-toolset:ask"));
    assert!(recorded.is_empty());
    python.then(came_back(gave(json!({})), &[], &[]));
    let (asked, _) = execute(&device, &python, url, r#"{"tool_call_id": "1", "approved": true}"#);
    asked.is(200);
}

/// A user who always answers the same.
struct User(Verdict);

impl AskUser for User {
    fn ask(&self, request: ApprovalRequest) -> Pin<Box<dyn Future<Output = Option<Answer>> + '_>> {
        let ApprovalRequest { definition_hash, .. } = request;
        Box::pin(ready(Some(Answer { verdict: self.0.clone(), arguments: None, definition_hash })))
    }
}

/// R197, R307: where the request wants it, the user is asked; a yes can be remembered and taken back.
#[test]
fn the_user_is_asked_where_there_is_one() {
    let (device, python) = (Device::with_toolset(), ScriptedPython::default());
    let url = "/local/toolsets/my-toolset/execute/ask";
    let body = |id: &str| format!(r#"{{"tool_call_id": "{id}", "ask": true}}"#);
    let no = User(Verdict::Deny { reason: Some("not now".into()) });
    let (asked, _) = execute_asking(&device, &python, Some(&no), url, &body("1"));
    assert_eq!(asked.is(200)["error"], json!("the user did not allow this call: not now"));
    execute(&device, &python, url, &body("2")).0.is(409);

    python.then(came_back(gave(json!({})), &[], &[]));
    execute_asking(&device, &python, Some(&User(Verdict::Always)), url, &body("3")).0.is(200);
    let remembered = json!([{"tool_id": "my-toolset:ask", "chats": 0, "everywhere": true, "holds": true}]);
    assert_eq!(device.get("/local/toolsets/my-toolset")["remembered"], remembered);
    python.then(came_back(gave(json!({})), &[], &[]));
    execute(&device, &python, url, r#"{"tool_call_id": "4"}"#).0.is(200);

    device.ask("DELETE", "/local/toolsets/my-toolset/approvals/ask", b"").is(204);
    assert_eq!(device.get("/local/toolsets/my-toolset")["remembered"], json!([]));
    execute(&device, &python, url, r#"{"tool_call_id": "5"}"#).0.is(409);
}

/// C14: a tool's details say what it was when it was first used, and what has changed once it has become another one.
#[test]
fn details_say_what_a_tool_was() {
    let (device, python) = (Device::with_toolset(), ScriptedPython::default());
    let pin = || device.get("/local/tools/my-toolset:ask")["pin"].take();
    assert_eq!(pin(), json!({"standing": "new"}));
    python.then(came_back(gave(json!({})), &[], &[]));
    let (url, body) = ("/local/toolsets/my-toolset/execute/ask", r#"{"tool_call_id": "1", "ask": true}"#);
    execute_asking(&device, &python, Some(&User(Verdict::Always)), url, body).0.is(200);
    let approved = pin();
    let hash = approved["definition_hash"].clone();
    let expected = json!({"standing": "same", "definition_hash": hash, "pinned_at": "1970-01-01T00:00:01.000Z"});
    assert_eq!((hash.as_str().map(str::len), approved), (Some(64), expected));

    let changed = MANIFEST.replace("version: 1.0.0", "version: 1.1.0").replace("name: Ask\n", "name: Ask twice\n");
    device.ask("POST", "/local/toolsets/import", &zip(&changed)).is(201);
    let since = pin();
    assert_eq!((&since["definition_hash"], &since["standing"]), (&hash, &json!("changed")));
    let renamed = json!({"path": "name", "before": "Ask", "after": "Ask twice"});
    assert!(since["changes"].as_array().is_some_and(|changes| changes.contains(&renamed)), "{since}");
    execute(&device, &python, url, r#"{"tool_call_id": "2", "approved": true}"#).0.is(409);
}

/// R303: what was granted is shown and can be taken back, and by this way nothing is granted.
#[test]
fn a_granted_host_is_withdrawn() {
    let device = Device::with_toolset();
    let id = ToolsetId::parse("my-toolset").expect("is a name");
    at_once(
        device
            .store
            .apply(network::grant(&id, "api.example.com", Timestamp::from_millis(1)), Timestamp::from_millis(1)),
    )
    .expect("is stored");
    let hosts = |device: &Device| device.get("/local/toolsets/my-toolset")["hosts"].clone();
    assert_eq!(hosts(&device), json!([{"host": "api.example.com", "granted": true}]));
    let url = "/local/toolsets/my-toolset/hosts/api.example.com";
    device.ask("DELETE", url, b"").is(204);
    assert_eq!(hosts(&device), json!([]));
    let message = "\"api.example.com\" was not granted to my-toolset";
    device.ask("DELETE", url, b"").refuses(404, "not_found", message);
}

#[test]
fn what_is_not_there_or_off_is_refused() {
    let (device, python) = (Device::with_toolset(), ScriptedPython::default());
    let check = |url: &str, body: &str, status, code: &str, message: &str| {
        execute(&device, &python, url, body).0.refuses(status, code, message);
    };
    let body = r#"{"tool_call_id": "1", "params": {"path": "a"}}"#;
    let toolset = "/local/toolsets/my-toolset/execute";
    check("/local/toolsets/x/execute/y", body, 404, "not_found", "no toolset \"x\" is installed");
    check(&format!("{toolset}/y"), body, 404, "not_found", "the toolset my-toolset has no tool \"y\"");
    let id = "0198c5a4-7c1e-7000-8000-0000000000ff";
    let elsewhere = format!(r#"{{"tool_call_id": "1", "params": {{"path": "a"}}, "chat_id": "{id}"}}"#);
    check(COUNT, &elsewhere, 404, "not_found", &format!("there is no chat {id}"));
    check(COUNT, r#"{"tool_call_id": ""}"#, 400, "bad_request", "a tool_call_id has 1 to 200 bytes");
    execute(&device, &python, COUNT, r#"{"params": {}}"#).0.is(400);
    device.ask("POST", "/local/toolsets/my-toolset/enable", br#"{"enabled": false}"#).is(200);
    check(COUNT, body, 409, "unavailable", "my-toolset:count cannot be used: Disabled in settings");
    device.ask("DELETE", "/local/toolsets/my-toolset", b"").is(204);
    execute(&device, &python, COUNT, body).0.is(404);
}

/// Where nobody runs tools there is an answer that says so.
#[test]
fn where_no_tools_run_it_says_so() {
    let device = Device::with_toolset();
    let message = "tools cannot be run here; open Satchel in a tab and ask there";
    let body = br#"{"tool_call_id": "1", "params": {}}"#;
    device.ask("POST", COUNT, body).refuses(501, "not_available", message);
}

/// R179: a call as messages, in a chat that begins with it; without a chat there is nothing to say it in.
#[test]
fn a_call_can_be_part_of_the_conversation() {
    let (device, python) = (Device::with_toolset(), ScriptedPython::default());
    python.then(came_back(gave(json!({"lines": 2})), &[("a.txt", "x")], &[]));
    let chat = "0198c5a4-7c1e-7000-8000-0000000000c9";
    let body =
        |chat: &str| format!(r#"{{"tool_call_id": "one", "params": {{"path": "a.txt"}}, "as_message": true{chat}}}"#);
    let (asked, _) = execute(&device, &python, COUNT, &body(&format!(r#", "chat_id": "{chat}""#)));
    assert_eq!(asked.is(200)["result"], json!({"lines": 2}));
    let details = device.get(&format!("/local/chats/{chat}"));
    let roles: Vec<_> =
        details["messages"].as_array().expect("is a list").iter().map(|one| one["role"].clone()).collect();
    assert_eq!((details["title"].clone(), roles), (json!("Count"), vec![json!("assistant"), json!("tool")]));
    assert_eq!(details["tool_calls"][0]["message_id"], details["messages"][0]["id"]);
    let (refused, _) = execute(&device, &python, COUNT, &body(""));
    let message = "a call can be a message only in a chat; name it by \"chat_id\", or give a fresh id to begin one";
    assert_eq!(refused.refuses(400, "bad_request", message).as_deref(), Some("chat_id"));
}
