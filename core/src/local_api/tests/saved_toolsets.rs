//! Saved toolsets by the local API.

use serde_json::{Value, json};

use super::{Device, text};
use crate::local_api::reading::{AvailableRead, EquippedRead, ImportedRead, SavedListRead, SavedRead};

const BASE: &str = "/local/saved-toolsets";

fn say(device: &Device, method: &str, path: &str, body: &Value) -> super::Asked {
    device.ask(method, &format!("{BASE}{path}"), body.to_string().as_bytes())
}

fn build(device: &Device, name: &str, tools: &[&str]) -> super::Asked {
    let tools: Vec<Value> = tools.iter().map(|name| json!({"namespacedName": name})).collect();
    say(device, "POST", "", &json!({"name": name, "description": "For me", "tools": tools}))
}

fn list(device: &Device, query: &str) -> SavedListRead {
    serde_json::from_value(device.get(&format!("{BASE}{query}"))).expect("a screen can read it")
}

/// R132, R136–R142: everything that the tools do can be done here, and the screens can read what comes.
#[test]
fn one_is_built_listed_equipped_and_deleted() {
    let device = Device::with_toolset();
    let chat = device.chat();
    let available: AvailableRead = serde_json::from_value(device.get(&format!("{BASE}/available"))).expect("reads");
    let servers: Vec<&str> = available.tools_by_server.iter().map(|server| server.server_name.as_str()).collect();
    assert_eq!(servers, ["builtin", "my-toolset"], "the search that is built in has no key");
    build(&device, "mine", &["my-toolset.count", "builtin.read_file"]).is(201);
    let body = json!({"name": "mine", "chat_id": chat});
    let equipped: EquippedRead = serde_json::from_value(say(&device, "POST", "/equip", &body).is(200)).expect("reads");
    assert_eq!(equipped, EquippedRead::default());
    let of_chat = format!("?chat_id={chat}");
    assert_eq!(list(&device, &of_chat).equipped.as_deref(), Some("mine"));
    assert_eq!(list(&device, "").equipped.as_deref(), Some("mine"), "the next chat begins with it");
    let stored = device.get(&format!("/local/chats/{chat}"));
    assert_eq!(stored["enabledTools"], json!({"builtin": ["read_file"], "my-toolset": ["count"]}));
    let active = device.get(&format!("{BASE}/active{of_chat}"));
    assert_eq!(active["toolSummary"]["currentlyExposed"], 2);

    say(&device, "POST", "/mine/allow-stale-refs", &json!({"enabled": true})).is(200);
    let note = json!({"toolRef": {"namespacedName": "my-toolset.count"}, "notes": [{"name": "use", "note": "often"}]});
    let noted: SavedRead = serde_json::from_value(say(&device, "POST", "/mine/notes", &note).is(200)).expect("reads");
    assert!(noted.allow_stale_refs);
    assert_eq!(noted.tool_notes[0].notes[0].note, "often");
    let left = json!({"tools": [{"namespacedName": "my-toolset.count", "refId": noted.tools[0].ref_id}]});
    assert_eq!(say(&device, "PUT", "/mine", &left).is(200)["toolCount"], 1);
    say(&device, "POST", "/mine/renew", &json!({})).is(200);

    say(&device, "POST", "/unequip", &json!({"chat_id": chat})).is(200);
    assert_eq!(device.get(&format!("/local/chats/{chat}"))["enabledTools"], Value::Null);
    device.ask("DELETE", &format!("{BASE}/mine"), b"").is(204);
    assert_eq!(list(&device, ""), SavedListRead::default());
}

/// R154, R157, R158
#[test]
fn files_go_in_and_out() {
    let device = Device::with_toolset();
    let made = say(&device, "POST", "/generate", &json!({})).is(201);
    assert_eq!((text(&made["name"]).as_str(), made["toolCount"].as_u64()), ("default", Some(13)));
    let exported = device.ask("GET", &format!("{BASE}/export?name=default&shape=config"), b"");
    let file: Value = exported.is(200);
    assert_eq!(file["toolsets"]["default"]["tools"][0]["namespacedName"], "builtin.list_files");
    assert_eq!(exported.0.header("content-disposition"), Some("attachment; filename=\"default.json\""));
    let other = Device::with_toolset();
    let answer = other.ask("POST", &format!("{BASE}/import"), file.to_string().as_bytes()).is(201);
    let imported: ImportedRead = serde_json::from_value(answer).expect("reads");
    assert_eq!((imported.imported, imported.remarks), (vec!["default".to_owned()], Vec::<String>::new()));
    assert_eq!(list(&other, "").toolsets[0].warnings, [""; 0]);
}

/// R135
#[test]
fn what_is_refused_says_why() {
    let device = Device::with_toolset();
    let about = build(&device, "No", &["my-toolset.count"]).refuses(
        400,
        "bad_request",
        "a saved toolset's name has 2 to 50 lower-case letters, digits and \"-\"; \"No\" does not fit",
    );
    assert_eq!(about.as_deref(), Some("name"));
    build(&device, "mine", &["my-toolset.gone"]).refuses(
        400,
        "bad_request",
        "nothing was saved: Tool not found: my-toolset.gone",
    );
    build(&device, "mine", &["my-toolset.count"]).is(201);
    let again = "there is already a saved toolset \"mine\"; choose another name, or delete that one first";
    build(&device, "mine", &["my-toolset.count"]).refuses(409, "conflict", again);
    let none = "there is no saved toolset \"gone\"; list-saved-toolsets shows which there are";
    say(&device, "POST", "/equip", &json!({"name": "gone"})).refuses(404, "not_found", none);
    say(&device, "POST", "/unequip", &json!({})).is(409);
    device.ask("POST", &format!("{BASE}/import"), b"[]").is(400);
    device.ask("GET", &format!("{BASE}/export?shape=round"), b"").is(400);
}

/// R142
#[test]
fn configuration_mode_is_a_switch_of_a_chat() {
    let device = Device::new();
    let chat = device.chat();
    let path = format!("/local/chats/{chat}/configuration-mode");
    device.ask("POST", &path, br#"{"enabled": true}"#).is(200);
    assert_eq!(device.get(&format!("/local/chats/{chat}"))["configuring"], true);
    device.ask("POST", &path, br#"{"enabled": false}"#).is(200);
    assert_eq!(device.get(&format!("/local/chats/{chat}"))["configuring"], false);
}
