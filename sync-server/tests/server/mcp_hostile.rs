//! MCP servers that misbehave: whatever they do, the call ends, the others go on, and nothing grows without bound.

use std::io::{BufRead as _, BufReader};

use axum::http::StatusCode;
use satchel_core::protocol::ProblemCode;
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture, Setup};
use crate::log::Log;
use crate::mcp_page::{Page, command, stand_in};
use crate::sockets::soon;

fn impatient() -> Setup {
    let config = "[limits]\nmcp_call_seconds = 1\nmcp_start_seconds = 1\nmcp_message_bytes = 2097152\n".to_owned();
    Setup { config, ..Setup::default() }
}

fn refused(answer: &Answer, status: StatusCode, code: ProblemCode, expected: &str) {
    assert_eq!((answer.status, answer.problem()), (status, code), "{}", answer.text());
    assert!(answer.text().contains(expected), "{}", answer.text());
}

#[tokio::test]
async fn one_that_never_introduces_itself_is_given_up() {
    let fixture = Fixture::set_up(impatient()).await;
    let mut page = Page::open(&fixture, "page").await;
    let definition = command(&["--silent"]);
    page.approve(&definition).await;
    page.publish(definition).await;
    let reason = page.until_failed().await;
    assert!(reason.contains("within 1 seconds"), "{reason}");
}

#[tokio::test]
async fn one_that_hangs_is_given_up_and_the_others_go_on() {
    let fixture = Fixture::set_up(impatient()).await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let (hung, echoed) = tokio::join!(page.call("a", "hang", json!({})), page.text_of("b", "echo", json!({"x": 1})));
    refused(&hung, StatusCode::GATEWAY_TIMEOUT, ProblemCode::TimedOut, "nothing came from the tool for 1 seconds");
    assert_eq!(echoed, r#"{"x":1}"#);
}

#[tokio::test]
async fn one_that_answers_late_or_twice_is_not_taken_for_another() {
    let fixture = Fixture::set_up(impatient()).await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let late = page.call("a", "late", json!({})).await;
    assert_eq!(late.problem(), ProblemCode::TimedOut);
    assert_eq!(page.text_of("a", "after", json!({})).await, "after", "the late answer is nobody's");
    assert_eq!(page.text_of("b", "twice", json!({})).await, "first");
    assert_eq!(page.text_of("c", "echo", json!({"x": 1})).await, r#"{"x":1}"#, "the second answer is nobody's");
}

#[tokio::test]
async fn one_that_floods_its_error_output_is_not_held_up() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    assert_eq!(page.text_of("a", "flood", json!({})).await, "flooded");
}

#[tokio::test]
async fn a_result_of_50_megabytes_is_refused_and_the_session_goes_on() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let (huge, echoed) =
        tokio::join!(page.call("a", "huge", json!({"megabytes": 50})), page.text_of("b", "echo", json!({"x": 1})));
    refused(&huge, StatusCode::BAD_GATEWAY, ProblemCode::BadAnswer, "larger than 16777216 bytes");
    assert_eq!(echoed, r#"{"x":1}"#);
    assert_eq!(page.text_of("c", "huge", json!({"megabytes": 1})).await.len(), 1024 * 1024);
    assert_eq!(page.state().await["status"], "connected");
}

#[tokio::test]
async fn one_that_dies_in_the_middle_of_a_call_is_started_again() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let died = soon("the end of a call", page.call("a", "die", json!({}))).await;
    refused(&died, StatusCode::BAD_GATEWAY, ProblemCode::BadAnswer, "the connection to the MCP server broke");
    let reason = page.until_failed().await;
    assert!(reason.contains("this is the end"), "{reason}");
    page.until_status("connected").await;
    assert_eq!(page.text_of("a", "echo", json!({})).await, "{}");
}

#[tokio::test]
async fn one_that_asks_for_ever_is_cut_off() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let mut listener = Page::open(&fixture, "page").await;
    let person = async {
        for answered in 0_u32.. {
            let form = listener.form().await;
            let filled =
                listener.fill_in("a", form["request_id"].as_str().expect("an id"), json!({"action": "cancel"})).await;
            assert_eq!(filled.status, StatusCode::NO_CONTENT);
            assert!(answered < 16, "more forms than a call may show");
        }
    };
    let cut_off = tokio::select! {
        answer = page.call("a", "ask for ever", json!({})) => answer,
        () = person => panic!("it asked until the end of time"),
    };
    refused(&cut_off, StatusCode::BAD_GATEWAY, ProblemCode::BadAnswer, "more input than a call may");
    assert_eq!(page.text_of("b", "echo", Value::Object(Default::default())).await, "{}");
}

/// C39: what a command has started ends with it.
#[cfg(unix)]
#[tokio::test]
async fn what_a_command_has_started_ends_with_it() {
    let fixture = Fixture::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("runs");
    assert!(made.success());
    let mut page = Page::open(&fixture, "page").await;
    // A grandchild that holds the pipe open for as long as it lives, and does not care for its input.
    let script = format!("(exec > {pipe:?}; echo up; sleep 1000) & exec {:?}", stand_in());
    page.approve(&json!({"command": "sh", "args": ["-c", script]})).await;
    page.publish(json!({"command": "sh", "args": ["-c", script]})).await;
    let (is_up, up) = tokio::sync::oneshot::channel();
    let reader = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(std::fs::File::open(pipe).expect("opens")).lines();
        is_up.send(lines.next()).expect("is waited for");
        lines.count()
    });
    let first = soon("the grandchild to come up", up).await.expect("is told").expect("a line").expect("reads");
    assert_eq!(first, "up");
    page.until_status("connected").await;
    fixture.state.mcp().stop().await;
    assert_eq!(soon("the grandchild to end", reader).await.expect("reads"), 0);
}

/// F20, I8, R129: a secret that an MCP server is given, and that it complains about, is in no answer, no event, no log and no file.
#[tokio::test]
async fn a_secret_is_found_nowhere_but_with_the_server_it_is_for() {
    const SECRET: &str = "sk-mcp-canary-5f1e";
    let log = Log::start();
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    let mut shown = page.ask("PUT", "/api/v1/secrets/MCP_CANARY", json!({"value": SECRET})).await.text().to_owned();
    let given =
        |more: &str| json!({"command": stand_in(), "args": [more, "${MCP_CANARY}"], "env": {"KEY": "${MCP_CANARY}"}});

    page.connect(given("--none")).await;
    let environment = page.call("c", "environment", json!({})).await;
    assert!(environment.text().contains(SECRET), "the server that it is for has it");
    shown += &page.state().await.to_string();

    // One that ends with the secret on its lips.
    let definition = given("--die");
    page.approve(&definition).await;
    page.publish(definition).await;
    let reason = page.until_failed().await;
    assert!(reason.contains("the key ${MCP_CANARY} is wrong"), "{reason}");
    shown += &reason;
    shown += page.call("c", "echo", json!({})).await.text();
    shown += page.ask("GET", "/api/v1/mcp/servers", Value::Null).await.text();
    shown += page.ask("GET", "/api/v1/secrets", Value::Null).await.text();
    assert!(!shown.contains(SECRET), "{shown}");
    assert!(!log.text().contains(SECRET), "a secret was logged");

    fixture.state.mcp().stop().await;
    let mut read = 0;
    for entry in std::fs::read_dir(fixture.folder.database_path().parent().expect("a folder")).expect("lists") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("reads");
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "{} has it in clear", path.display());
        read += bytes.len();
    }
    assert!(read > 4096, "the database is there");
}
