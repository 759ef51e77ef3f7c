//! The real MCP servers of `tests/mcp`, which `cargo xtask test` sets up: what people run, with the libraries that they are written with. A feature of
//! the package brings these tests in, because only that command knows that the servers are there.

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::mcp_page::Page;

/// The folder that the set-up makes.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp")
}

/// A server of the npm packages.
fn node(package: &str, arguments: &[&str]) -> Value {
    let program = folder().join(format!("node_modules/@modelcontextprotocol/{package}/dist/index.js"));
    let arguments: Vec<Value> =
        std::iter::once(json!(program)).chain(arguments.iter().map(|text| json!(text))).collect();
    json!({"command": "node", "args": arguments})
}

/// A server of the Python packages.
fn python(module: &str, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["-m", module].iter().chain(arguments).copied().collect();
    json!({"command": "python3", "args": arguments, "env": {"PYTHONPATH": folder().join("python"), "PYTHONDONTWRITEBYTECODE": "1"}})
}

/// Connects a server and sees that it has these tools.
async fn connected<'a>(fixture: &'a Fixture, definition: Value, tools: &[&str]) -> Page<'a> {
    let mut page = Page::open(fixture, "page").await;
    page.connect(definition).await;
    let state = page.state().await;
    let names: Vec<&str> =
        state["tools"].as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    for tool in tools {
        assert!(names.contains(tool), "{tool} is not among {names:?}");
    }
    page
}

/// R128
#[tokio::test]
async fn everything() {
    let fixture = Fixture::start().await;
    let page = connected(&fixture, node("server-everything", &[]), &["echo", "get-tiny-image"]).await;
    assert_eq!(page.text_of("a", "echo", json!({"message": "hello"})).await, "Echo: hello");
    let image = page.call("b", "get-tiny-image", json!({})).await.json();
    let kinds: Vec<&str> =
        image["content"].as_array().expect("a list").iter().filter_map(|block| block["type"].as_str()).collect();
    assert!(kinds.contains(&"image"), "{kinds:?}");
    let refused = page.call("c", "no such tool", json!({})).await;
    assert!(refused.status != StatusCode::OK || refused.json()["is_error"] == true, "{}", refused.text());
}

/// R128
#[tokio::test]
async fn files() {
    let fixture = Fixture::start().await;
    let shared = tempfile::tempdir().expect("a folder");
    let shared = shared.path().canonicalize().expect("is there");
    std::fs::write(shared.join("note.txt"), "a note").expect("writes");
    let page =
        connected(&fixture, node("server-filesystem", &[shared.to_str().expect("text")]), &["read_text_file"]).await;
    let note = page.text_of("a", "read_text_file", json!({"path": shared.join("note.txt")})).await;
    assert_eq!(note, "a note");
    let outside = page.call("b", "read_text_file", json!({"path": "/etc/hostname"})).await.json();
    assert_eq!(outside["is_error"], true, "{outside}");
}

/// R128
#[tokio::test]
async fn memory() {
    let fixture = Fixture::start().await;
    let home = tempfile::tempdir().expect("a folder");
    let mut definition = node("server-memory", &[]);
    definition["env"] = json!({"MEMORY_FILE_PATH": home.path().join("memory.json")});
    let page = connected(&fixture, definition, &["create_entities", "read_graph"]).await;
    let entity = json!({"name": "Ada", "entityType": "person", "observations": ["writes programs"]});
    assert!(page.text_of("a", "create_entities", json!({"entities": [entity]})).await.contains("Ada"));
    let graph = page.call("b", "read_graph", json!({})).await.json();
    assert_eq!(graph["structured_content"]["entities"][0]["name"], "Ada", "{graph}");
}

/// R128
#[tokio::test]
async fn time() {
    let fixture = Fixture::start().await;
    let page = connected(&fixture, python("mcp_server_time", &["--local-timezone", "UTC"]), &["convert_time"]).await;
    let arguments = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    assert!(page.text_of("a", "convert_time", arguments).await.contains("T21:00:00+09:00"));
}

/// R128
#[tokio::test]
async fn git() {
    let fixture = Fixture::start().await;
    let repository = tempfile::tempdir().expect("a folder");
    let made = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(repository.path())
        .status()
        .expect("runs");
    assert!(made.success());
    std::fs::write(repository.path().join("note.txt"), "a note").expect("writes");
    let path = repository.path().to_str().expect("text");
    let page = connected(&fixture, python("mcp_server_git", &["--repository", path]), &["git_status"]).await;
    assert!(page.text_of("a", "git_status", json!({"repo_path": path})).await.contains("note.txt"));
}
