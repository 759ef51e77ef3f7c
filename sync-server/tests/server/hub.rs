//! The hub: other programs use an account's equipped saved toolset by MCP at `/mcp`.

use axum::body::Body;
use axum::http::StatusCode;
use satchel_core::protocol::ServerEvent;
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture, request};
use crate::mcp_page::{KEY, Page, command};

/// What the app publishes: both tools of the stand-in, and a toolset of one of them.
pub(crate) fn publication(tools: &Value, equipped: Option<&str>) -> Value {
    let reference = |name: &str| {
        let received = tools.as_array().expect("a list").iter().find(|tool| tool["name"] == name).expect("is there");
        let id = satchel_core::mcp::ref_id("stand-in", received);
        json!({"namespaced_name": format!("stand-in.{name}"), "ref_id": id})
    };
    let published = |tool: &Value| {
        let name = tool["name"].as_str().expect("a name");
        json!({
            "id": format!("mcp:{KEY}:{name}"), "description": format!("Does {name}"), "received": tool,
            "provider": {"kind": "mcp", "server": KEY, "tool": name},
        })
    };
    let toolset = |name: &str, tool: &str| {
        json!({
            "name": name, "description": null, "version": null, "created_at": "2026-01-01T00:00:00.000Z",
            "modified_at": "2026-01-01T00:00:00.000Z", "tools": [reference(tool)], "notes": [], "allow_stale_refs": false,
        })
    };
    json!({
        "tools": tools.as_array().expect("a list").iter().map(published).collect::<Vec<_>>(),
        "toolsets": [toolset("review", "echo"), toolset("risky", "change")],
        "equipped": equipped,
    })
}

/// A program of the older era: it has a session.
pub(crate) struct Program<'a> {
    fixture: &'a Fixture,
    bearer: String,
    session: String,
}

impl<'a> Program<'a> {
    pub(crate) async fn open(fixture: &'a Fixture) -> Self {
        let mut program = Self { fixture, bearer: fixture.bearer(), session: String::new() };
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = program.post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        program.session = answer.header("mcp-session-id").to_owned();
        let said = program.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        assert_eq!(said.status, StatusCode::ACCEPTED, "{}", said.text());
        program
    }

    async fn post(&self, message: &Value) -> Answer {
        let mut headers = vec![
            ("authorization", self.bearer.as_str()),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        if !self.session.is_empty() {
            headers.push(("mcp-session-id", &self.session));
        }
        let body = Body::from(message.to_string());
        self.fixture.answer(request("POST", "/mcp", &headers).map(|_| body)).await
    }

    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        let text = answer.text();
        // A stream of one answer, or the answer itself.
        let data =
            text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).rfind(|data| !data.is_empty());
        let read: Value = serde_json::from_str(data.unwrap_or(text)).expect("JSON");
        read["result"].clone()
    }

    pub(crate) async fn names(&self) -> Vec<String> {
        let tools = self.ask("tools/list", json!({})).await["tools"].take();
        tools.as_array().expect("a list").iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

async fn publish(page: &Page<'_>, equipped: Option<&str>, taken: u64) {
    let tools = page.state().await["tools"].take();
    let body = json!({"publication": publication(&tools, equipped), "taken": taken});
    let answer = page.ask("PUT", "/api/v1/hub", body).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.text());
}

/// The equipped tools are served and called; what manages is offered in configuration mode; what is changed waits for the app.
#[tokio::test]
async fn a_saved_toolset_is_served() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    publish(&page, Some("review"), 0).await;
    let program = Program::open(&fixture).await;
    assert_eq!(program.names().await, ["stand-in_echo", "enter-configuration-mode"]);
    let echoed = program.call("stand-in_echo", json!({"text": "hello"})).await;
    assert_eq!(echoed["content"][0]["text"], r#"{"text":"hello"}"#);
    let hidden = program.call("stand-in_change", json!({})).await;
    assert_eq!(hidden["isError"], true, "it is not in the toolset: {hidden}");

    program.call("enter-configuration-mode", json!({})).await;
    let managing = program.names().await;
    assert_eq!((managing.len(), managing[0].as_str()), (9, "list-available-tools"));
    let tools = json!([{"namespacedName": "stand-in.change"}]);
    let built = program.call("build-toolset", json!({"name": "other", "tools": tools, "autoEquip": true})).await;
    assert_eq!(built["structuredContent"]["meta"]["success"], true, "{built}");
    assert_eq!(program.names().await, ["stand-in_change", "enter-configuration-mode"]);
    while page.event().await != ServerEvent::HubChanged {}

    // The app takes it over, and publishes again.
    let state = page.ask("GET", "/api/v1/hub", Value::Null).await.json();
    let kinds: Vec<&str> =
        state["changes"].as_array().expect("a list").iter().filter_map(|change| change["change"].as_str()).collect();
    assert_eq!((kinds, &state["revision"]), (vec!["put", "equip"], &json!(2)));
    assert_eq!(state["changes"][0]["toolset"]["name"], "other");
    publish(&page, Some("review"), 2).await;
    assert_eq!(page.ask("GET", "/api/v1/hub", Value::Null).await.json()["changes"], json!([]));
    assert_eq!(program.names().await, ["stand-in_echo", "enter-configuration-mode"]);
}

/// Where nothing is equipped there is nothing to work with, and so it is configured.
#[tokio::test]
async fn without_a_toolset_it_is_configured() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let program = Program::open(&fixture).await;
    assert_eq!(program.names().await.len(), 9);
    publish(&page, None, 0).await;
    let equipped = program.call("equip-toolset", json!({"name": "review"})).await;
    assert_eq!(equipped["structuredContent"]["equipped"], "review", "{equipped}");
    assert_eq!(program.names().await, ["stand-in_echo", "enter-configuration-mode"]);
    assert_eq!(page.ask("DELETE", "/api/v1/hub", Value::Null).await.status, StatusCode::NO_CONTENT);
    assert_eq!(program.names().await.len(), 9);
}

/// C14: a tool that is not what was published is not served, however it is saved.
#[tokio::test]
async fn a_changed_tool_is_withheld() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    publish(&page, Some("risky"), 0).await;
    let program = Program::open(&fixture).await;
    assert_eq!(program.names().await, ["stand-in_change", "enter-configuration-mode"]);
    program.call("stand-in_change", json!({})).await;
    // Its server has announced another list.
    while page.state().await["tools"][1]["description"] != "changed" {
        page.event().await;
    }
    assert_eq!(program.names().await, ["enter-configuration-mode"]);
    let gone = program.call("stand-in_change", json!({})).await;
    assert_eq!(gone["isError"], true, "{gone}");
    program.call("enter-configuration-mode", json!({})).await;
    let active = program.call("get-active-toolset", json!({})).await;
    let warnings = active["structuredContent"]["warnings"].to_string();
    assert!(warnings.contains("Changed since Satchel published it"), "{warnings}");
}

/// F16: one account's hub is its own, and nobody comes in without a token or from another site.
#[tokio::test]
async fn it_is_guarded() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    publish(&page, Some("review"), 0).await;
    let other = fixture.second_account();
    let state = fixture.ask_as(&other, "GET", "/api/v1/hub", Value::Null).await.json();
    assert_eq!(state["published"], Value::Null);
    let post = |headers: &[(&str, &str)]| request("POST", "/mcp", headers).map(|_| Body::from("{}"));
    assert_eq!(fixture.answer(post(&[])).await.status, StatusCode::UNAUTHORIZED);
    let bearer = fixture.bearer();
    let foreign = [("authorization", bearer.as_str()), ("origin", "https://evil.example")];
    assert_eq!(fixture.answer(post(&foreign)).await.status, StatusCode::FORBIDDEN);
    let elsewhere = [("authorization", bearer.as_str()), ("host", "evil.example")];
    assert_eq!(fixture.answer(post(&elsewhere)).await.status, StatusCode::MISDIRECTED_REQUEST);
    // A session of one account is nothing to another.
    let program = Program::open(&fixture).await;
    let stranger =
        Program { fixture: &fixture, bearer: format!("Bearer {}", other.reveal()), session: program.session };
    let answer = stranger.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}", answer.text());
}
