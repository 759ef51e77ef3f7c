//! The toolset that is built in, by the same addresses as all others.

use serde_json::{Value, json};

use super::executing::execute;
use super::toolsets::IMPORT;
use super::{Device, manifest};
use crate::builtin::TOOLS;
use crate::python::scripted::ScriptedPython;

const BUILTIN: &str = "/local/toolsets/builtin";

/// R084, R085, R086, R235: listed, read and described like every toolset and tool.
#[test]
fn it_is_listed_and_read() {
    let device = Device::new();
    let listed = device.get("/local/toolsets")["toolsets"].take();
    let (id, source, count) = (&listed[0]["id"], &listed[0]["source_type"], &listed[0]["tool_count"]);
    assert_eq!((id, source, count), (&json!("builtin"), &json!("builtin"), &json!(TOOLS.len())));
    let details = device.get(BUILTIN);
    assert_eq!((&details["toolset"]["is_built_in"], &details["toolset"]["available"]), (&json!(true), &json!(true)));
    assert_eq!((&details["files"], &details["mcp_servers"]), (&json!([]), &json!([])));

    let tools = device.get("/local/tools?bundleIDs=builtin")["tools"].take();
    let tools = tools.as_array().expect("is a list");
    assert_eq!(tools.len(), TOOLS.len());
    for tool in tools {
        assert_eq!((&tool["toolset_id"], &tool["type"]), (&json!("builtin"), &json!("builtin")));
        assert!(tool["tokens"].as_u64().is_some_and(|tokens| tokens > 20), "{tool}");
        let by_uid = format!("/local/tools/{}", super::text(&tool["uid"]));
        assert_eq!(device.get(&by_uid)["tool_id"], tool["tool_id"]);
    }
    let read = device.get("/local/tools/read_file");
    assert_eq!(read["render_config"], json!({"renderer": "code", "config": {"file": "$return.path"}}));
    device.ask("GET", "/local/tools/no_such", b"").is(404);
}

/// R086: called like every tool, with its own id in the record.
#[test]
fn its_tools_are_executed() {
    let (device, python) = (Device::new(), ScriptedPython::default());
    let chat = device.chat();
    let body = |id: &str, params: Value| json!({"tool_call_id": id, "params": params, "chat_id": chat}).to_string();
    let written = body("1", json!({"path": "a.txt", "content": "one\n"}));
    let (asked, recorded) = execute(&device, &python, &format!("{BUILTIN}/execute/write_file"), &written);
    let result = json!({"path": "a.txt", "created": true, "changed": true, "size": 4, "lines": 1});
    assert_eq!(asked.is(200), json!({"tool_call_id": "1", "result": result}));
    assert_eq!((recorded.len(), recorded[0].tool_id.as_str()), (1, "write_file"));
    let file = device.ask("GET", &format!("/local/chats/{chat}/workspace/files/a.txt"), b"").0;
    assert_eq!(file.body, b"one\n");
    let wrong = body("2", json!({"path": "b.txt"}));
    let (asked, _) = execute(&device, &python, &format!("{BUILTIN}/execute/read_file"), &wrong);
    let error = "there is no file \"b.txt\" in this workspace; is \"a.txt\" meant?";
    assert_eq!(asked.is(200), json!({"tool_call_id": "2", "error": error}));
    let absent = body("3", json!({}));
    let (asked, _) = execute(&device, &python, &format!("{BUILTIN}/execute/no_such"), &absent);
    asked.refuses(404, "not_found", "the toolset builtin has no tool \"no_such\"");
}

/// R087, R088: it is switched, whole and by the tool, and nothing else can be done to it.
#[test]
fn nothing_but_its_switches_can_be_changed() {
    let device = Device::new();
    let before = device.get(BUILTIN);
    let message = "builtin is built in and cannot be uninstalled; switch it off instead";
    device.ask("DELETE", BUILTIN, b"").refuses(409, "built_in", message);
    let message = "builtin is built in and is in no file; there is nothing to export";
    device.ask("GET", &format!("{BUILTIN}/export"), b"").refuses(409, "built_in", message);
    for method in ["PUT", "PATCH"] {
        device.ask(method, BUILTIN, b"{}").is(405);
        device.ask(method, &format!("{BUILTIN}/tools/read_file/enable"), b"{}").is(405);
    }
    device.ask("POST", IMPORT, manifest("builtin", &["t"]).as_bytes()).is(422);
    device.ask("POST", &format!("{BUILTIN}/restore"), b"").is(200);
    assert_eq!(device.get(BUILTIN), before);

    let url = format!("{BUILTIN}/tools/write_file/enable");
    assert_eq!(device.ask("POST", &url, br#"{"enabled": false}"#).is(200)["enabled"], json!(false));
    let off = device.ask("POST", &format!("{BUILTIN}/enable"), br#"{"enabled": false}"#).is(200);
    assert_eq!((&off["enabled"], &off["available"]), (&json!(false), &json!(false)));
    assert_eq!(device.get("/local/tools")["tools"], json!([]));
    device.ask("POST", &format!("{BUILTIN}/enable"), br#"{"enabled": true}"#).is(200);
    let tools = device.get("/local/tools")["tools"].as_array().expect("is a list").len();
    assert_eq!(tools, TOOLS.len() - 1);
}
