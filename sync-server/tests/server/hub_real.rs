//! The hub with the official SDKs as its clients: that of Python in both eras, that of TypeScript in the older one. `cargo xtask test` sets them up.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::hub::publication;
use crate::hub_http::weather;
use crate::mcp_page::{KEY, stand_in};
use crate::program::{Folder, Server};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp")
}

/// A host that tells everybody the same weather, if they have the key; where it is.
fn host() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
    let address = listener.local_addr().expect("is bound").to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("reads");
                head.extend(byte);
            }
            let is_known = String::from_utf8_lossy(&head).to_lowercase().contains("x-key: k-canary");
            let (status, body) = if is_known { ("200 OK", r#"{"degrees":7}"#) } else { ("401 No", "{}") };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n");
            write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").expect("sends");
        }
    });
    address
}

/// A server whose account has the stand-in connected, an HTTP tool, and a saved toolset of both equipped.
fn server(folder: &Folder) -> Server {
    std::fs::create_dir_all(folder.path()).expect("makes");
    let host = host();
    let settings = format!("[outbound]\nprivate_hosts = [\"{host}\"]\n");
    std::fs::write(folder.path().join("satchel.toml"), settings).expect("writes");
    let config = folder.path().join("servers.json");
    let definition = json!({"command": stand_in(), "args": []});
    std::fs::write(&config, json!({"mcpServers": {"stand-in": definition}}).to_string()).expect("writes");
    let server = Server::start(folder, &["--mcp-config", config.to_str().expect("text")]);
    server.put(&format!("/api/v1/mcp/servers/{KEY}"), &definition.to_string());
    let tools = loop {
        let answer = server.get(&format!("/api/v1/mcp/servers/{KEY}"), &server.token);
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        let start = body.find('{').expect("JSON");
        let end = body.rfind('}').expect("JSON");
        let mut state: Value = serde_json::from_str(&body[start..=end]).expect("JSON");
        if state["status"] == "connected" {
            break state["tools"].take();
        }
    };
    server.put_secret("WEATHER_KEY", "k-canary");
    let mut published = publication(&tools, Some("review"));
    let (tool, mut outside) = weather(&host, &Value::Null);
    published["tools"].as_array_mut().expect("a list").push(tool);
    let reference = outside["tools"][0].take();
    published["toolsets"][0]["tools"].as_array_mut().expect("a list").push(reference);
    server.put("/api/v1/hub", &json!({"publication": published, "taken": 0}).to_string());
    server
}

/// Runs a client to its end: what it saw.
fn saw(mut client: Command, server: &Server, mode: &str) -> Value {
    let asked = json!({"url": format!("http://127.0.0.1:{}/mcp", server.port), "token": server.token, "mode": mode});
    let output = client.arg(asked.to_string()).output().expect("runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}{errors}", String::from_utf8_lossy(&output.stdout)))
}

fn python() -> Command {
    let mut python = Command::new("python3");
    python
        .arg(folder().join("hub_client.py"))
        .env("PYTHONPATH", folder().join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

fn check_python(mode: &str, version: &str) -> Value {
    let folder = Folder::new();
    let saw = saw(python(), &server(&folder), mode);
    assert_eq!(saw["version"], version);
    assert_eq!(saw["begins"], json!(["stand-in_echo", "weather_today", "enter-configuration-mode"]));
    assert_eq!(saw["echoed"], r#"{"text":"hello"}"#);
    assert_eq!(saw["weather"], json!({"degrees": 7}));
    assert_eq!(saw["entered"]["success"], true);
    assert_eq!(saw["configuring"].as_array().map(Vec::len), Some(9));
    assert_eq!(
        (&saw["equipped"], &saw["after"]),
        (&json!("review"), &json!(["stand-in_echo", "weather_today", "enter-configuration-mode"]))
    );
    saw
}

/// Changes of the list are announced to who asks for them.
#[test]
fn the_python_sdk_in_the_newer_era() {
    let saw = check_python("auto", "2026-07-28");
    assert_eq!(saw["announced"], "ToolsListChanged");
}

#[test]
fn the_python_sdk_in_the_older_era() {
    check_python("legacy", "2025-11-25");
}

/// Changes of the list are announced.
#[test]
fn the_typescript_sdk() {
    let data = Folder::new();
    let server = server(&data);
    let mut node = Command::new("node");
    node.arg(folder().join("hub_client.mjs"));
    let saw = saw(node, &server, "legacy");
    assert_eq!(saw["begins"], json!(["stand-in_echo", "weather_today", "enter-configuration-mode"]));
    assert_eq!(saw["echoed"], r#"{"text":"hello"}"#);
    assert_eq!(saw["weather"], json!({"degrees": 7}));
    assert_eq!(saw["entered"]["success"], true);
    assert_eq!(saw["configuring"].as_array().map(Vec::len), Some(9));
    assert_eq!(saw["built"], json!({"success": true, "toolsetName": "other", "autoEquipped": true}));
    assert_eq!(saw["equipped"], json!(["stand-in_change", "enter-configuration-mode"]));
    assert_eq!(saw["refused"], true);
}
