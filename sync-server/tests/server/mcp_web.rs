//! MCP servers on the web: both eras, and the older pair of addresses; what they may not do with us.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::fixture::{Fixture, Setup};
use crate::mcp_page::Page;
use crate::sockets::Running;

/// A server on loopback, and what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Web {
    is_modern: bool,
    seen: Arc<Mutex<Vec<(String, HeaderMap)>>>,
    /// Where answers go in the older way.
    listener: Arc<Mutex<Option<mpsc::UnboundedSender<String>>>>,
}

impl Web {
    pub(crate) async fn start(is_modern: bool) -> (Self, Running) {
        let web = Self { is_modern, ..Self::default() };
        let app = Router::new()
            .route("/mcp", post(speak).get(async || StatusCode::METHOD_NOT_ALLOWED))
            .route("/elsewhere", post(async || (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/mcp")])))
            .route("/sse", get(listen))
            .route("/messages", post(speak_in_the_older_way))
            .with_state(web.clone());
        let running = Running::start(app, None).await;
        (web, running)
    }

    /// How often it was asked anything.
    pub(crate) fn asked(&self) -> usize {
        self.seen.lock().expect("whole").len()
    }

    /// The answer to a message; none to a notification.
    fn answer(&self, message: &Value) -> Option<Value> {
        let method = message["method"].as_str().unwrap_or_default();
        let result = match method {
            "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "server/discover" if self.is_modern => {
                json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"})
            }
            "tools/list" => json!({"tools": [{"name": "echo", "zeta": 1, "inputSchema": {"type": "object"}}],
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
            "tools/call" => json!({"content": [{"type": "text", "text": message["params"]["arguments"].to_string()}],
                "resultType": "complete"}),
            _ if message["id"].is_null() => return None,
            _ => {
                return Some(
                    json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}),
                );
            }
        };
        Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    fn see(&self, method: &Value, headers: HeaderMap) {
        let method = method.as_str().unwrap_or_default().to_owned();
        self.seen.lock().expect("whole").push((method, headers));
    }

    fn header(&self, method: &str, name: &str) -> Option<String> {
        let seen = self.seen.lock().expect("whole");
        let (_, headers) = seen.iter().rfind(|(seen, _)| seen == method)?;
        headers.get(name).map(|value| value.to_str().expect("text").to_owned())
    }
}

async fn speak(State(web): State<Web>, headers: HeaderMap, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).expect("JSON");
    web.see(&message["method"], headers);
    let Some(answer) = web.answer(&message) else { return StatusCode::ACCEPTED.into_response() };
    let session = [("mcp-session-id", "session-1")];
    if message["method"] == "tools/call" {
        let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params":
            {"progressToken": message["params"]["_meta"]["progressToken"], "progress": 1, "total": 1}});
        let events = format!(": hello\r\n\r\ndata: {progress}\r\n\r\nevent: message\r\ndata: {answer}\r\n\r\n");
        return ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response();
    }
    let body = ([(header::CONTENT_TYPE, "application/json")], answer.to_string());
    if web.is_modern { body.into_response() } else { (session, body).into_response() }
}

async fn listen(State(web): State<Web>) -> Response {
    let (sender, receiver) = mpsc::unbounded_channel();
    sender.send("event: endpoint\ndata: /messages?session=1\n\n".to_owned()).expect("is listened to");
    *web.listener.lock().expect("whole") = Some(sender);
    let events = stream::unfold(receiver, |mut receiver| async move {
        let event = receiver.recv().await?;
        Some((Ok::<_, Infallible>(event), receiver))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events.boxed())).into_response()
}

async fn speak_in_the_older_way(State(web): State<Web>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let message: Value = serde_json::from_slice(&body).expect("JSON");
    web.see(&message["method"], headers);
    if let Some(answer) = web.answer(&message) {
        let listener = web.listener.lock().expect("whole");
        listener
            .as_ref()
            .expect("somebody listens")
            .send(format!("event: message\ndata: {answer}\n\n"))
            .expect("is listened to");
    }
    StatusCode::ACCEPTED
}

/// A Satchel server whose operator lets it reach a server on loopback.
async fn fixture(running: &Running) -> Fixture {
    let config = format!("[outbound]\nprivate_hosts = [\"{}\"]\n", running.address);
    Fixture::set_up(Setup { config, ..Setup::default() }).await
}

/// R128, R129, C40
#[tokio::test]
async fn servers_of_either_era_and_of_the_older_kind_are_reached() {
    for (is_modern, path, transport, version) in [
        (true, "mcp", "streamable-http", "2026-07-28"),
        (false, "mcp", "streamable-http", "2025-06-18"),
        (false, "sse", "sse", "2025-06-18"),
    ] {
        let (web, running) = Web::start(is_modern).await;
        let fixture = fixture(&running).await;
        let mut page = Page::open(&fixture, "page").await;
        page.ask("PUT", "/api/v1/secrets/TOKEN", json!({"value": "s3cret"})).await;
        let url = format!("http://{}/{path}", running.address);
        page.publish(json!({"url": url, "transport": transport, "headers": {"X-Key": "k ${TOKEN}"}})).await;
        page.until_status("connected").await;
        let state = page.state().await;
        assert_eq!(state["identity"]["protocol_version"], version, "{path}");
        assert_eq!(state["tools"][0].to_string(), r#"{"name":"echo","zeta":1,"inputSchema":{"type":"object"}}"#);
        assert_eq!(state["approval"], Value::Null, "an address needs no approval");
        assert_eq!(page.text_of("c", "echo", json!({"b": 1, "a": 2})).await, r#"{"b":1,"a":2}"#);
        assert_eq!(web.header("tools/call", "x-key").as_deref(), Some("k s3cret"));
        assert_eq!(web.header("tools/call", "authorization"), None, "the page's own token stays here");
        assert!(!state.to_string().contains("s3cret"));
        if path == "mcp" {
            let progress = serde_json::to_value(page.event().await).expect("writes");
            assert_eq!((&progress["type"], &progress["call_id"]), (&json!("mcp_progress"), &json!("c")));
        }
        let session = (!is_modern && path == "mcp").then(|| "session-1".to_owned());
        assert_eq!(web.header("tools/call", "mcp-session-id"), session);
    }
}

/// R262: private addresses are the operator's to allow, and nobody is sent elsewhere.
#[tokio::test]
async fn what_may_not_be_reached_is_said_in_the_status() {
    let (web, running) = Web::start(true).await;
    let closed = Fixture::start().await;
    let mut page = Page::open(&closed, "page").await;
    for url in
        [format!("http://{}/mcp", running.address), "http://mcp.example.com/mcp".to_owned(), "ftp://x".to_owned()]
    {
        page.publish(json!({"url": url})).await;
        let told = page.until_status("error").await;
        let reason = told["reason"].as_str().expect("a reason");
        assert!(["private_hosts", "cannot be read"].iter().any(|word| reason.contains(word)), "{reason}");
    }
    assert_eq!(web.asked(), 0, "nothing was sent");

    let open = fixture(&running).await;
    let mut page = Page::open(&open, "page").await;
    page.publish(json!({"url": format!("http://{}/elsewhere", running.address)})).await;
    let told = page.until_status("error").await;
    assert!(told["reason"].as_str().is_some_and(|reason| reason.contains("which is not followed")), "{told}");
    assert_eq!(web.asked(), 0, "it was not followed");
}

/// C39: what the operator's file has may be private without being listed.
#[tokio::test]
async fn the_operators_own_address_is_reached() {
    let (_, running) = Web::start(true).await;
    let definition = json!({"url": format!("http://{}/mcp", running.address)});
    let mcp_file = json!({"mcpServers": {"web": definition}}).to_string();
    let fixture = Fixture::set_up(Setup { mcp_file, ..Setup::default() }).await;
    let mut page = Page::open(&fixture, "page").await;
    page.publish(definition).await;
    page.until_status("connected").await;
}
