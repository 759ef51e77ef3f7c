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
    let error = "there is no file \"b.txt\" in this workspace; did you mean \"a.txt\"?";
    assert_eq!(asked.is(200), json!({"tool_call_id": "2", "error": error}));
    let absent = body("3", json!({}));
    let (asked, _) = execute(&device, &python, &format!("{BUILTIN}/execute/no_such"), &absent);
    asked.refuses(404, "not_found", "the toolset builtin has no tool \"no_such\"");
}

/// R087, R088: it is switched, whole and by the tool, and nothing else can be done to it.
#[test]
fn nothing_but_its_switches_can_be_changed() {
    let device = Device::new();
    device.ask("POST", "/local/toolsets/builtin-exa-web-search/enable", br#"{"enabled": false}"#).is(200);
    let before = device.get(BUILTIN);
    let message = "builtin is built in and cannot be uninstalled; switch it off instead";
    device.ask("DELETE", BUILTIN, b"").refuses(409, "built_in", message);
    let message = "builtin is built in; there is nothing to export";
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

/// C52: a copy is a toolset of the user's own: it runs, is changed, exported and removed like any other, and the original stays as it is.
#[test]
fn a_copy_is_the_users_own() {
    let (device, python) = (Device::new(), ScriptedPython::default());
    device.ask("POST", &format!("{BUILTIN}/tools/delete_file/enable"), br#"{"enabled": false}"#).is(200);
    let before = device.get(BUILTIN);
    let made = device.ask("POST", &format!("{BUILTIN}/duplicate"), b"").is(201);
    assert_eq!((&made["toolset_id"], &made["warnings"]), (&json!("builtin-copy"), &json!([])));
    assert_eq!(device.get(BUILTIN), before);
    let copy = device.get("/local/toolsets/builtin-copy");
    let (source, built_in) = (&copy["toolset"]["source_type"], &copy["toolset"]["is_built_in"]);
    assert_eq!((source, built_in, &copy["toolset"]["available"]), (&json!("created"), &json!(false), &json!(true)));

    // Each tool of the copy says and takes what the original does, is shown in the same way, and is as it is switched there.
    let told = |tool: &Value| {
        let keys = ["name", "description", "type", "input_schema", "output_schema", "tags", "enabled", "renderer"];
        keys.map(|key| tool[key].clone())
    };
    for tool in &TOOLS {
        let original = device.get(&format!("/local/tools/{}", tool.name));
        let copied = device.get(&format!("/local/tools/builtin-copy:{}", tool.name));
        assert_eq!(told(&copied), told(&original), "{}", tool.name);
        assert_eq!(copied["render_config"], original["render_config"], "{}", tool.name);
        assert_eq!(copied["enabled"], json!(tool.name != "delete_file"), "{}", tool.name);
    }
    let chat = device.chat();
    let asked = json!({"tool_call_id": "1", "params": {"path": "a.txt", "content": "one\n"}, "chat_id": chat});
    let (asked, recorded) =
        execute(&device, &python, "/local/toolsets/builtin-copy/execute/write_file", &asked.to_string());
    assert_eq!(asked.is(200)["result"]["created"], json!(true));
    assert_eq!(recorded[0].tool_id.as_str(), "builtin-copy:write_file");

    // Out of here and in again elsewhere it is the same package.
    let exported = device.ask("GET", "/local/toolsets/builtin-copy/export", b"").0;
    let other = Device::new();
    let imported = other.ask("POST", IMPORT, &exported.body).is(201);
    assert_eq!((&imported["toolset_id"], &imported["package"]), (&json!("builtin-copy"), &made["package"]));

    // The next one takes the next id, also while the first can be brought back; a copy is not copied.
    device.ask("DELETE", "/local/toolsets/builtin-copy", b"").is(204);
    let second = device.ask("POST", &format!("{BUILTIN}/duplicate"), b"").is(201);
    assert_eq!(second["toolset_id"], json!("builtin-copy-2"));
    let message = "builtin-copy-2 can be changed as it is; only what is built in is duplicated";
    device.ask("POST", "/local/toolsets/builtin-copy-2/duplicate", b"").refuses(409, "conflict", message);
}
