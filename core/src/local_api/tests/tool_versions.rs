//! Another version of a tool in the place of one (R227): an edit keeps what it does not touch, and whoever uses the tool goes on with it.

use serde_json::{Value, json};

use super::{Asked, Device, at_once, text};
use crate::catalog::InstalledToolset;
use crate::record::{Chat, RowKey};
use crate::store;

const BUNDLE: &str = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b1";

fn put(device: &Device, url: &str, body: &Value) -> Asked {
    device.ask("PUT", url, body.to_string().as_bytes())
}

fn post(device: &Device, url: &str, body: &Value) -> Asked {
    device.ask("POST", url, body.to_string().as_bytes())
}

fn version(version: &str) -> String {
    format!("{BUNDLE}/tools/forecast/version/{version}")
}

fn forecast() -> Value {
    json!({
        "type": "http",
        "displayName": "Forecast",
        "description": "Says what the sky will do",
        "tags": ["sky"],
        "requiresConfirmation": true,
        "timeoutSeconds": 7,
        "argSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "outputSchema": {"type": "object", "required": ["degrees"]},
        "httpImpl": {
            "allowedHosts": ["a.test"],
            "request": {"urlTemplate": "https://a.test/${city}"},
            "maxCallsPerMinute": 3,
        },
    })
}

fn with_tool() -> Device {
    let device = Device::new();
    put(&device, BUNDLE, &json!({"slug": "weather"})).is(201);
    put(&device, &version("1"), &forecast()).is(201);
    device
}

fn wider() -> Value {
    json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    })
}

/// R227, R243: what the body leaves out is as it was, and the version before is switched off.
#[test]
fn an_edit_keeps_what_it_does_not_say() {
    let device = with_tool();
    let about = json!({"name_override": "Sky", "requires_confirmation": true, "enabled": true});
    put(&device, "/local/toolsets/weather/overrides/forecast", &about).is(200);
    let edit = json!({"type": "http", "replaces": "1", "description": "Says more", "argSchema": wider()});
    let made = put(&device, &version("2"), &edit).is(201);
    let before = device.get(&version("1"));
    assert_eq!((&made["toolID"], &made["isEnabled"]), (&json!("weather:forecast-2"), &json!(true)));
    assert_eq!(before["isEnabled"], json!(false));
    for kept in ["displayName", "tags", "requiresConfirmation", "outputSchema", "httpImpl", "type"] {
        assert_eq!(made[kept], before[kept], "{kept}");
    }
    assert_eq!(made["displayName"], "Sky", "what the user calls it");
    assert_eq!((&made["description"], &made["argSchema"]), (&json!("Says more"), &wider()));
    let weather = at_once(InstalledToolset::find(&device.store, "weather")).expect("memory does not fail");
    let weather = weather.expect("is there");
    let stored = weather.tools.iter().find(|tool| tool.version == "2").expect("is there");
    assert_eq!((stored.timeout_seconds, stored.requires_confirmation), (Some(7), true));

    let gone = json!({"type": "http", "replaces": "9"});
    let message = "the bundle weather has no tool forecast of version 9";
    put(&device, &version("3"), &gone).refuses(404, "not_found", message);
}

/// Chats, what the next one begins with, and saved toolsets with their notes go on with the new version, whatever it takes now.
#[test]
fn whoever_uses_a_tool_goes_on_with_its_new_version() {
    let device = with_tool();
    let chosen = json!({"weather": ["forecast"], "builtin": ["read_file"]});
    let chat = text(&post(&device, "/local/chats", &json!({"title": "Skies", "enabledTools": chosen})).is(201)["id"]);
    let tools = json!([{"namespacedName": "weather.forecast"}, {"namespacedName": "builtin.read_file"}]);
    post(&device, "/local/saved-toolsets", &json!({"name": "mine", "tools": tools})).is(201);
    let note = json!({"toolRef": {"namespacedName": "weather.forecast"}, "notes": [{"name": "use", "note": "often"}]});
    post(&device, "/local/saved-toolsets/mine/notes", &note).is(200);
    post(&device, "/local/saved-toolsets/equip", &json!({"name": "mine", "chat_id": chat})).is(200);

    put(&device, &version("2"), &json!({"type": "http", "replaces": "1", "argSchema": wider()})).is(201);

    let stored: Chat =
        at_once(store::get(&device.store, RowKey::one(&chat))).expect("memory does not fail").expect("is there");
    let follows = json!({"builtin": ["read_file"], "weather": ["forecast-2"]});
    assert_eq!(json!(stored.enabled_tools), follows);
    assert_eq!(
        json!(stored.equipped.expect("is equipped").before),
        follows,
        "also what comes back when it is unequipped"
    );
    let saved = device.get("/local/saved-toolsets/mine");
    assert_eq!(saved["warnings"], json!([]));
    assert_eq!(saved["tools"][0]["namespacedName"], "weather.forecast-2");
    assert_eq!(saved["toolNotes"][0]["toolRef"]["namespacedName"], "weather.forecast-2");
    let last = at_once(crate::saved::LastEquipped::load(&device.store)).expect("memory does not fail");
    assert_eq!(json!(last.expect("is remembered").enabled_tools), follows);
}

/// R167, C49: a key that only a version names which is switched off is wanted by nobody, so that a misspelled one can be mended.
#[test]
fn a_key_of_a_version_before_is_not_wanted() {
    let device = with_tool();
    let http = |key: &str| {
        let headers = json!({"X-Key": format!("${{{key}}}")});
        let request = json!({"urlTemplate": "https://a.test/${city}", "headers": headers});
        json!({"type": "http", "httpImpl": {"allowedHosts": ["a.test"], "request": request}})
    };
    let edit = |at: &str, before: &str, key: &str| {
        let mut body = http(key);
        body["replaces"] = json!(before);
        put(&device, &version(at), &body).is(201)["unavailableReason"].clone()
    };
    assert_eq!(edit("2", "1", "MISSPELLED"), "API key not configured");
    let mut plain = forecast();
    plain["replaces"] = json!("2");
    assert_eq!(put(&device, &version("3"), &plain).is(201)["unavailableReason"], Value::Null);
    device.ask("PATCH", &version("2"), br#"{"isEnabled": true}"#).is(200);
    assert_eq!(device.get(&version("3"))["unavailableReason"], "API key not configured");
}

/// R239: a new bundle can begin with its tools, and a mistake in one of them leaves nothing behind.
#[test]
fn a_bundle_and_its_first_tool_are_made_together_or_not_at_all() {
    let device = Device::new();
    let with = |tool: Value| json!({"slug": "weather", "displayName": "Weather", "tools": [tool]});
    let named = |mut tool: Value| {
        (tool["slug"], tool["version"]) = (json!("forecast"), json!("1"));
        tool
    };
    let mut elsewhere = named(forecast());
    elsewhere["httpImpl"]["request"]["urlTemplate"] = json!("https://evil.test/");
    let mut misspelled = named(forecast());
    misspelled["httpImp"] = json!({});
    for (wrong, path) in
        [(elsewhere, "httpImpl.request.urlTemplate"), (misspelled, "tools[0]"), (forecast(), "toolSlug")]
    {
        assert_eq!(put(&device, BUNDLE, &with(wrong)).is(400)["error"]["path"], path);
        device.ask("GET", BUNDLE, b"").is(404);
    }
    let made = put(&device, BUNDLE, &with(named(forecast()))).is(201);
    assert_eq!((&made["toolsetID"], &made["toolCount"]), (&json!("weather"), &json!(1)));
    assert_eq!(device.get(&version("1"))["toolID"], "weather:forecast");
    let again = "the bundle weather is there; put its tools one by one";
    put(&device, BUNDLE, &with(named(forecast()))).refuses(409, "conflict", again);
}
