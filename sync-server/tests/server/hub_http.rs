//! HTTP tools by the hub: other programs have them called by the server, with secrets that they never see.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::fixture::{Fixture, Setup};
use crate::http_tools::is_in_no_file;
use crate::hub::Program;
use crate::log::Log;
use crate::sockets::Upstream;

const SECRET: &str = "sk-canary-by-the-hub";

/// What the app publishes of a tool that asks a host for the weather: the tool, and a toolset with nothing else in it.
pub(crate) fn weather(host: &str, response: &Value) -> (Value, Value) {
    let received = json!({
        "name": "today",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "outputSchema": {"type": "object", "required": ["degrees"]},
    });
    let reference =
        json!({"namespaced_name": "weather.today", "ref_id": satchel_core::mcp::ref_id("weather", &received)});
    let definition = json!({
        "allowedHosts": [host], "maxRetries": 0, "maxCallsPerMinute": 3, "response": response,
        "request": {"urlTemplate": format!("http://{host}/${{city}}"), "headers": {"X-Key": "${WEATHER_KEY}"}},
    });
    let tool = json!({
        "id": "weather:today", "description": "Tells the weather", "received": received,
        "provider": {"kind": "http", "definition": definition, "time_limit_ms": 20_000},
    });
    let toolset = json!({
        "name": "outside", "description": null, "version": null, "created_at": "2026-01-01T00:00:00.000Z",
        "modified_at": "2026-01-01T00:00:00.000Z", "tools": [reference], "notes": [], "allow_stale_refs": false,
    });
    (tool, toolset)
}

/// A server that has the tool published and equipped, with more in its `satchel.toml`.
async fn with_weather(upstream: &Upstream, response: Value, more: &str) -> Fixture {
    let host = format!("127.0.0.1:{}", upstream.port());
    let config = format!("[outbound]\nprivate_hosts = [\"{host}\"]\n{more}");
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let (tool, toolset) = weather(&host, &response);
    let publication = json!({"tools": [tool], "toolsets": [toolset], "equipped": "outside"});
    let answer = fixture.ask("PUT", "/api/v1/hub", json!({"publication": publication, "taken": 0})).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.text());
    fixture
}

async fn enter_secret(fixture: &Fixture) {
    let answer = fixture.ask("PUT", "/api/v1/secrets/WEATHER_KEY", json!({"value": SECRET})).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
}

/// Answers the next request with this body; its head.
async fn answer_with(upstream: &Upstream, media_type: &str, body: &str) -> String {
    let mut call = upstream.call().await;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nConnection: close\r\n");
    call.send(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
    call.head
}

/// R091, R262, F20: the tool is offered once its key is there; the host gets the key, and the program neither that nor its echo.
#[tokio::test]
async fn an_http_tool_is_served_with_a_key_of_the_vault() {
    let upstream = Upstream::start().await;
    let fixture = with_weather(&upstream, Value::Null, "").await;
    let program = Program::open(&fixture).await;
    assert_eq!(program.names().await, ["enter-configuration-mode"]);
    let active = program.call("get-active-toolset", json!({})).await;
    assert_eq!(active["isError"], true, "it is offered in configuration mode only: {active}");
    enter_secret(&fixture).await;
    assert_eq!(program.names().await, ["weather_today", "enter-configuration-mode"]);
    let listed = program.ask("tools/list", json!({})).await["tools"][0].take();
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let expected = json!({"name": "weather_today", "description": "Tells the weather", "inputSchema": schema});
    assert_eq!(listed, expected);

    let echo = format!("{{\"degrees\": 7, \"you\": \"{SECRET}\"}}");
    let there = answer_with(&upstream, "application/json", &echo);
    let (result, head) = tokio::join!(program.call("weather_today", json!({"city": "a b"})), there);
    assert!(head.starts_with("GET /a%20b HTTP/1.1\r\n") && head.to_lowercase().contains(&format!("x-key: {SECRET}")));
    assert_eq!(result["structuredContent"], json!({"degrees": 7, "you": "${WEATHER_KEY}"}));
    assert_eq!(result["content"][0]["text"], r#"{"degrees":7,"you":"${WEATHER_KEY}"}"#);
    assert_eq!(result["isError"], false);
}

/// R099, R255, R256: arguments and results have to fit, and a tool is called no more often than it says.
#[tokio::test]
async fn what_does_not_fit_is_told() {
    let upstream = Upstream::start().await;
    let fixture = with_weather(&upstream, Value::Null, "").await;
    enter_secret(&fixture).await;
    let program = Program::open(&fixture).await;
    let said = |result: &Value| (result["isError"] == true, result["content"][0]["text"].as_str().map(str::to_owned));
    let (is_error, text) = said(&program.call("weather_today", json!({"city": 5})).await);
    assert!(is_error && text.is_some_and(|text| text.starts_with("the arguments are not valid: ")));
    for (body, expected) in [
        ("{\"warm\": 1}", "the result does not match the tool's output_schema: "),
        ("{", "the response claims to be JSON"),
    ] {
        let there = answer_with(&upstream, "application/json", body);
        let (result, _) = tokio::join!(program.call("weather_today", json!({"city": "x"})), there);
        let (is_error, text) = said(&result);
        assert!(is_error && text.is_some_and(|text| text.starts_with(expected)), "{result}");
    }
    let there = answer_with(&upstream, "application/json", "{\"degrees\": 7}");
    let (result, _) = tokio::join!(program.call("weather_today", json!({"city": "x"})), there);
    assert_eq!(result["isError"], false, "{result}");
    let (is_error, text) = said(&program.call("weather_today", json!({"city": "x"})).await);
    assert!(
        is_error && text.is_some_and(|text| text.starts_with("it is limited to 3 calls per minute; the next call"))
    );
}

/// Bytes are told as bytes.
#[tokio::test]
async fn a_picture_is_a_picture() {
    let upstream = Upstream::start().await;
    let fixture = with_weather(&upstream, json!({"bodyOutputMode": "image"}), "").await;
    enter_secret(&fixture).await;
    let program = Program::open(&fixture).await;
    let there = answer_with(&upstream, "image/png", "PNG");
    let (result, _) = tokio::join!(program.call("weather_today", json!({"city": "x"})), there);
    assert_eq!(result["content"], json!([{"type": "image", "data": "UE5H", "mimeType": "image/png"}]));
}

/// C48: what the operator does not allow is not served, whatever an app publishes.
#[tokio::test]
async fn the_operator_has_the_last_word() {
    let upstream = Upstream::start().await;
    let fixture = with_weather(&upstream, Value::Null, "[policy]\ndisabled_toolsets = [\"weather\"]\n").await;
    enter_secret(&fixture).await;
    let program = Program::open(&fixture).await;
    assert_eq!(program.names().await, ["enter-configuration-mode"]);
    program.call("enter-configuration-mode", json!({})).await;
    let active = program.call("get-active-toolset", json!({})).await.to_string();
    assert!(active.contains("Disabled by administrator"), "{active}");
}

/// R095, F20, I8: a key that was used by the app and by another program, and that the host shouts back, is in no answer, no log and no file.
#[tokio::test]
async fn a_key_is_found_nowhere_but_at_its_host() {
    let log = Log::start();
    let upstream = Upstream::start().await;
    let fixture = with_weather(&upstream, Value::Null, "").await;
    enter_secret(&fixture).await;
    let program = Program::open(&fixture).await;
    let mut shown = String::new();
    let echo = |status: &str| {
        let body = format!("{{\"degrees\": \"{SECRET}\"}}");
        let head = format!("HTTP/1.1 {status}\r\nX-Echo: {SECRET}\r\nContent-Type: text/{SECRET}\r\nConnection: close");
        format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    for status in ["200 OK", "500 Broken"] {
        let there = async { upstream.call().await.send(&echo(status)).await };
        let (result, ()) = tokio::join!(program.call("weather_today", json!({"city": "x"})), there);
        shown += &result.to_string();
    }
    let definition =
        fixture.ask("GET", "/api/v1/hub", Value::Null).await.json()["published"]["tools"][0]["provider"].take();
    let body = json!({"definition": definition["definition"], "declared": ["city"], "arguments": {"city": "x"}, "time_limit_ms": 9_000});
    let there = async { upstream.call().await.send(&echo("400 ${WEATHER_KEY}")).await };
    let (answer, ()) = tokio::join!(fixture.ask("POST", "/api/v1/http-tools/call", body), there);
    shown += &String::from_utf8_lossy(&answer.body);
    for path in ["/api/v1/hub", "/api/v1/secrets", "/api/v1/policy"] {
        shown += fixture.ask("GET", path, Value::Null).await.text();
    }
    assert!(shown.contains("${WEATHER_KEY}") && !shown.contains(SECRET), "{shown}");
    assert!(!log.text().contains(SECRET), "a key was logged");
    is_in_no_file(&fixture, SECRET);
}
