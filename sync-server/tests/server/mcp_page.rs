//! A page that uses MCP servers: it publishes them, listens to events, calls tools and fills in forms.

use axum::body::{Body, BodyDataStream};
use axum::http::StatusCode;
use futures_util::StreamExt as _;
use satchel_core::protocol::{McpDefinition, ServerEvent};
use satchel_server::access_token::AccessToken;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::fixture::{Answer, Fixture, request};
use crate::sockets::soon;

/// The key that the tests publish under.
pub(crate) const KEY: &str = "tests~stand-in";

/// A page and its events.
pub(crate) struct Page<'a> {
    pub(crate) fixture: &'a Fixture,
    token: AccessToken,
    client: &'static str,
    events: BodyDataStream,
}

/// The path of the stand-in's program.
pub(crate) fn stand_in() -> &'static str {
    env!("CARGO_BIN_EXE_mcp-stand-in")
}

/// The stand-in as a command.
pub(crate) fn command(arguments: &[&str]) -> Value {
    json!({"command": stand_in(), "args": arguments})
}

impl<'a> Page<'a> {
    /// Opens a page of the first account.
    pub(crate) async fn open(fixture: &'a Fixture, client: &'static str) -> Self {
        Self::open_as(fixture, fixture.token.clone(), client).await
    }

    /// Opens a page of the account of a token.
    pub(crate) async fn open_as(fixture: &'a Fixture, token: AccessToken, client: &'static str) -> Self {
        let bearer = format!("Bearer {}", token.reveal());
        let asked = request("GET", &format!("/api/v1/events?client={client}"), &[("authorization", &bearer)]);
        let answer = fixture.router.clone().oneshot(asked).await.expect("a router always answers");
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        let mut page = Self { fixture, token, client, events: Body::into_data_stream(answer.into_body()) };
        assert_eq!(page.event().await, ServerEvent::Ready);
        page
    }

    pub(crate) async fn ask(&self, method: &str, path: &str, body: Value) -> Answer {
        self.fixture.ask_as(&self.token, method, path, body).await
    }

    /// Publishes a definition; the answer.
    pub(crate) async fn publish(&self, definition: Value) -> Value {
        let answer = self.ask("PUT", &format!("/api/v1/mcp/servers/{KEY}"), definition).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.json()
    }

    /// Publishes a command that the operator has approved, and waits until it is connected.
    pub(crate) async fn connect(&mut self, definition: Value) {
        self.approve(&definition).await;
        self.publish(definition).await;
        self.until_status("connected").await;
    }

    /// As the operator does it.
    pub(crate) async fn approve(&self, definition: &Value) {
        let definition: McpDefinition = serde_json::from_value(definition.clone()).expect("a definition");
        self.fixture.state.database().approve_mcp(&definition).await.expect("approves");
    }

    pub(crate) async fn state(&self) -> Value {
        self.ask("GET", &format!("/api/v1/mcp/servers/{KEY}"), Value::Null).await.json()
    }

    /// A call's answer.
    pub(crate) async fn call(&self, call_id: &str, tool: &str, arguments: Value) -> Answer {
        let body = json!({"client": self.client, "call_id": call_id, "tool": tool, "arguments": arguments});
        self.ask("POST", &format!("/api/v1/mcp/servers/{KEY}/calls"), body).await
    }

    /// The text that a call gave.
    pub(crate) async fn text_of(&self, call_id: &str, tool: &str, arguments: Value) -> String {
        let answer = soon("the answer of a call", self.call(call_id, tool, arguments)).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.json()["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Answers a form.
    pub(crate) async fn fill_in(&self, call_id: &str, request_id: &str, answer: Value) -> Answer {
        let mut body = json!({"client": self.client, "request_id": request_id});
        body.as_object_mut().expect("an object").extend(answer.as_object().expect("an object").clone());
        self.ask("POST", &format!("/api/v1/mcp/calls/{call_id}/input"), body).await
    }

    /// The next event; heartbeats are none.
    pub(crate) async fn event(&mut self) -> ServerEvent {
        loop {
            let piece = soon("an event", self.events.next()).await.expect("the stream goes on").expect("reads");
            let text = std::str::from_utf8(&piece).expect("text");
            if let Some(data) = text.strip_prefix("data: ").and_then(|rest| rest.strip_suffix("\n\n")) {
                return serde_json::from_str(data).expect("an event");
            }
            assert_eq!(text, ":\n\n");
        }
    }

    /// The form that a call shows.
    pub(crate) async fn form(&mut self) -> Value {
        loop {
            if let event @ ServerEvent::McpInput(_) = self.event().await {
                return serde_json::to_value(event).expect("writes");
            }
        }
    }

    /// Waits until the server cannot be used for another reason than that nobody has approved it yet; the reason.
    pub(crate) async fn until_failed(&mut self) -> String {
        loop {
            let told = self.until_status("error").await;
            let reason = told["reason"].as_str().expect("an error has a reason").to_owned();
            if reason != "waiting for the operator's approval" {
                return reason;
            }
        }
    }

    /// Waits until the server is doing so, and gives what is told with it.
    pub(crate) async fn until_status(&mut self, status: &str) -> Value {
        loop {
            let event = serde_json::to_value(self.event().await).expect("writes");
            if event["type"] == "mcp_server" && event["status"] == status {
                return event;
            }
        }
    }
}
