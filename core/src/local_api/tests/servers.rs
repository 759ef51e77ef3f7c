//! MCP servers by the local API.

use serde_json::{Value, json};

use super::{Device, text};
use crate::at_once::at_once;
use crate::catalog::ServerStanding;
use crate::local_api::reading::{PastedRead, ServersRead};
use crate::mcp::{PublishedElsewhere, SeenLimits, definitions_wanted, note_seen};
use crate::pins::pin_first;
use crate::protocol::{Capability, McpOffer, McpServerState, McpStatus, SecretName, parse_server_key};
use crate::time::Timestamp;

const SEARCH: &str = "mcp:web~web:search";

fn with_server() -> Device {
    let mut device = Device::new();
    device.surroundings.capabilities = vec![Capability::Mcp];
    add(&device, "web").is(201);
    device.surroundings.servers.extend([standing("web~web")]);
    see(&device, "web~web", "Searches");
    device
}

fn standing(key: &str) -> (crate::catalog::ServerKey, ServerStanding) {
    let standing = ServerStanding { status: McpStatus::Connected, reason: None, approval: None };
    (parse_server_key(key).expect("is a key"), standing)
}

fn add(device: &Device, id: &str) -> super::Asked {
    let body = json!({"id": id, "name": "The web", "config": {"url": format!("https://{id}.test/mcp")}});
    device.ask("POST", "/local/servers", body.to_string().as_bytes())
}

fn see(device: &Device, key: &str, description: &str) {
    let state = McpServerState {
        key: parse_server_key(key).expect("is a key"),
        definition: serde_json::from_value(json!({"url": "https://x.test"})).expect("is a definition"),
        status: McpStatus::Connected,
        reason: None,
        approval: None,
        identity: None,
        tools: vec![json!({
            "name": "search",
            "description": description,
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true},
        })],
        tools_version: 1,
    };
    let noted = at_once(note_seen(&device.store, &state, &SeenLimits::default(), Timestamp::from_millis(1)));
    device.apply(noted.expect("memory does not fail").expect("is new"));
}

fn servers(device: &Device) -> ServersRead {
    serde_json::from_value(device.get("/local/servers")).expect("a screen can read it")
}

/// R013, R108, R119, R120, R121
#[test]
fn a_server_is_added_and_listed() {
    let device = with_server();
    let listed = device.get("/local/servers")["servers"][0].take();
    let seen = ["id", "serverId", "toolsetId", "name", "line", "status"].map(|key| text(&listed[key]));
    assert_eq!(seen, ["web~web", "web", "web", "The web", "https://web.test/mcp", "connected"]);
    assert_eq!((&listed["user_mcp"], &listed["stale"]), (&json!(true), &json!(false)));
    assert_eq!(listed["tools"][0]["tool_id"], SEARCH);
    assert_eq!(listed["tools"][0]["annotations"], json!({"readOnlyHint": true}));
    let read = servers(&device);
    assert_eq!(read.servers[0].tools[0].pin.standing, "new");
    device.ask("DELETE", "/local/toolsets/web", b"").is(204);
    assert_eq!(servers(&device).servers, []);
}

/// R119: an id that cannot be had is refused, and nothing is stored.
#[test]
fn an_id_that_is_taken_is_refused() {
    let device = Device::with_toolset();
    let message = "there is already a toolset my-toolset; give the server another id";
    assert_eq!(add(&device, "my-toolset").refuses(409, "conflict", message).as_deref(), Some("id"));
    add(&device, "a~b").is(400);
    let both = json!({"id": "x", "config": {"url": "https://x.test", "command": "y"}});
    device.ask("POST", "/local/servers", both.to_string().as_bytes()).is(400);
}

/// R235, R237, C22: the tools of servers are tools, and say so where their server is away.
#[test]
fn tools_of_servers_are_listed() {
    let mut device = with_server();
    let find = |device: &Device| -> Value {
        let tools = device.get("/local/tools")["tools"].take();
        let tools = tools.as_array().cloned().unwrap_or_default();
        tools.into_iter().find(|tool| tool["tool_id"] == SEARCH).expect("is listed")
    };
    let tool = find(&device);
    assert_eq!((&tool["type"], &tool["available"]), (&json!("mcp"), &json!(true)));
    assert_eq!(tool["requires_confirmation"], true, "C41");
    assert_eq!(device.get("/local/tools/mcp:web~web:search")["tool_id"], SEARCH);
    device.surroundings.servers.clear();
    assert_eq!(find(&device)["unavailable_reason"], "Not connected: it has not been reached yet");
    assert!(servers(&device).servers[0].stale);
}

/// R111, C09: an id of old is read where it can only be one, and else the candidates are named.
#[test]
fn ids_of_old_are_read() {
    let device = with_server();
    assert_eq!(device.get("/local/tools/mcp:web:search")["tool_id"], SEARCH);
    let other = "manifest_version: '1'\nid: other\nname: o\nversion: 1.0.0\nmcp_servers:\n  - {id: web, url: 'https://x.test'}\n";
    device.ask("POST", "/local/toolsets/import", other.as_bytes()).is(201);
    device.ask("GET", "/local/tools/mcp:web:search", b"").refuses(
        409,
        "conflict",
        "\"mcp:web:search\" could be mcp:other~web:search or mcp:web~web:search; write which one",
    );
}

/// C14: what has changed is told place by place, and approving it brings the tool back.
#[test]
fn a_changed_tool_is_told_and_approved() {
    let device = with_server();
    let installed = at_once(crate::catalog::InstalledToolset::find(&device.store, "web"));
    let installed = installed.expect("memory does not fail").expect("is there");
    device.apply(pin_first(&installed.tools_in_effect(&device.surroundings), Timestamp::from_millis(2)));
    see(&device, "web~web", "Searches, and tells everybody");
    let pin = servers(&device).servers[0].tools[0].pin.clone();
    let told: Vec<(&str, Option<&Value>)> =
        pin.changes.iter().map(|change| (change.path.as_str(), change.after.as_ref())).collect();
    assert_eq!(pin.standing, "changed");
    assert_eq!(told, [("description", Some(&json!("Searches, and tells everybody")))]);
    assert_eq!(device.get(&format!("/local/tools/{SEARCH}"))["available"], false);
    device.ask("POST", &format!("/local/tools/{SEARCH}/approve"), b"").is(204);
    assert_eq!(device.get(&format!("/local/tools/{SEARCH}"))["available"], true);
    device.ask("POST", "/local/tools/mcp:web~web:gone/approve", b"").is(404);
}

/// C14: an import is no approval of the tools in it: one that was used is off, what changed is told with its files, and what was remembered
/// of it is gone for good.
#[test]
fn a_tool_of_another_package_is_told_and_approved() {
    let device = Device::new();
    let manifest = |version: &str| {
        format!(
            "manifest_version: '1'\nid: mine\nname: Mine\nversion: {version}\ntools:\n  - {{id: ask, entrypoint: 'tools.a:ask', requires_confirmation: true}}\n"
        )
    };
    let import = |version: &str| {
        device.ask("POST", "/local/toolsets/import?replace=true", manifest(version).as_bytes()).is(201);
    };
    let tool = || device.get("/local/tools/mine:ask");
    import("1.0.0");
    assert_eq!((&tool()["pin"]["standing"], &tool()["available"]), (&json!("new"), &json!(true)));
    let installed = at_once(crate::catalog::InstalledToolset::find(&device.store, "mine"));
    let installed = installed.expect("memory does not fail").expect("is there");
    let tools = installed.tools_in_effect(&device.surroundings);
    let approval = crate::record::Approval {
        tool_id: tools[0].declared.tool_id.clone(),
        chat_id: None,
        definition_hash: crate::approval::Definition::of_effective(&tools[0]).hash,
        approved_at: Timestamp::from_millis(2),
    };
    device.apply(pin_first(&tools, Timestamp::from_millis(2)).put(&approval));
    let remembered = || device.get("/local/toolsets/mine")["remembered"].as_array().map(Vec::len);
    assert_eq!((&tool()["pin"]["standing"], remembered()), (&json!("same"), Some(1)));

    import("1.0.1");
    let told = tool();
    assert_eq!((&told["pin"]["standing"], &told["available"]), (&json!("changed"), &json!(false)));
    let paths: Vec<&str> = (told["pin"]["changes"].as_array().into_iter().flatten())
        .filter_map(|change| change["path"].as_str())
        .collect();
    assert_eq!(paths, ["package", "version", "file toolset.yaml"]);
    // Whoever goes back to what was approved is asked again all the same.
    import("1.0.0");
    assert_eq!((&tool()["pin"]["standing"], remembered()), (&json!("same"), Some(0)));
    import("1.0.1");
    device.ask("POST", "/local/tools/mine:ask/approve", b"").is(204);
    assert_eq!((&tool()["pin"]["standing"], &tool()["available"]), (&json!("same"), &json!(true)));
}

/// R112–R118: what is changed about a tool holds in its toolset, and can be taken back.
#[test]
fn overrides_are_edited() {
    let device = with_server();
    let put = |tool: &str, body: Value| {
        device.ask("PUT", &format!("/local/toolsets/web/overrides/{tool}"), body.to_string().as_bytes())
    };
    let body = json!({"renderer": "code", "renderer_config": {"content": "$return.text"}, "name_override": " Find "});
    put("web:search", body).is(200);
    let tool = device.get(&format!("/local/tools/{SEARCH}"));
    assert_eq!((&tool["name"], &tool["render_config"]["renderer"]), (&json!("Find"), &json!("code")));
    put("web:search", json!({"renderer": "code", "renderer_config": {}})).is(400);
    // C09: an id of old is kept as that of today.
    assert_eq!(put("mcp:web:search", json!({"name_override": "Find"})).is(200)["tool_id"], "web:search");
    put("web:gone", json!({})).is(404);
    put("web:search", json!({"enabled": false})).is(200);
    assert_eq!(device.get(&format!("/local/tools/{SEARCH}"))["enabled"], false);
    device.ask("DELETE", "/local/toolsets/web/overrides/web:search", b"").is(204);
    let tool = device.get(&format!("/local/tools/{SEARCH}"));
    assert_eq!(
        (&tool["name"], &tool["enabled"], &tool["render_config"]),
        (&json!("search"), &json!(true), &Value::Null)
    );
    let built_in = device.ask("PUT", "/local/toolsets/builtin/overrides/read_file", b"{}");
    built_in.is(409);
}

/// R123: the switch of one server.
#[test]
fn a_server_is_switched_off() {
    let device = with_server();
    device.ask("POST", "/local/toolsets/web/servers/web/enable", br#"{"enabled": false}"#).is(200);
    let server = servers(&device).servers.remove(0);
    assert_eq!((server.enabled, server.status.as_str()), (false, "disconnected"));
    device.ask("POST", "/local/toolsets/web/servers/gone/enable", br#"{"enabled": false}"#).is(404);
}

/// R318: a configuration is read, and nothing is stored of it.
#[test]
fn a_configuration_is_read() {
    let device = with_server();
    let config =
        br#"{"mcpServers": {"web": {"url": "https://x.test/mcp", "headers": {"Authorization": "Bearer s3cret"}}}}"#;
    let read: PastedRead = serde_json::from_value(device.ask("POST", "/local/servers/read", config).is(200))
        .expect("a screen can read it");
    let server = &read.servers[0];
    assert_eq!((server.id.as_str(), server.renamed.as_deref()), ("web-2", Some("taken")));
    assert_eq!(server.secrets, [("WEB_2_AUTHORIZATION".to_owned(), "s3cret".to_owned())]);
    assert!(!server.config.to_string().contains("s3cret"));
    assert_eq!(servers(&device).servers.len(), 1);
    let refused = device.ask("POST", "/local/servers/read", b"{}");
    refused.is(400);
}

/// I8, C39: what the operator offers is added to the letter, wants nothing of the user that the operator has set, and is offered no more.
#[test]
fn an_offer_is_added_as_it_is() {
    let mut device = Device::new();
    device.surroundings.capabilities = vec![Capability::Mcp];
    let definition = json!({
        "command": "npx", "args": ["files", "--token", "${OPERATOR_FILES_TOKEN}"],
        "env": {"PATH": "${OPERATOR_FILES_PATH}", "KEY": "${OPERATOR_FILES_KEY}"}, "cwd": "/srv",
    });
    let name = |text: &str| SecretName::parse(text).expect("is a name");
    let set = ["OPERATOR_FILES_KEY", "OPERATOR_FILES_PATH", "OPERATOR_FILES_TOKEN"].map(name).to_vec();
    let definition = serde_json::from_value(definition).expect("is a definition");
    device.surroundings.secrets.extend(set.iter().map(ToString::to_string));
    device.surroundings.offers = vec![McpOffer { name: "Files".into(), definition, set }];

    let offer = servers(&device).offers.remove(0);
    assert_eq!((offer.set.len(), offer.added), (3, false));
    let body = json!({"id": "files", "name": "Files", "config": offer.config});
    device.ask("POST", "/local/servers", body.to_string().as_bytes()).is(201);
    let toolsets = at_once(crate::catalog::ToolsetList::load(&device.store)).expect("memory does not fail").toolsets;
    let wanted = definitions_wanted(&toolsets, &device.surroundings);
    assert_eq!(wanted.into_values().collect::<Vec<_>>(), [device.surroundings.offers[0].definition.clone()]);
    assert!(servers(&device).offers[0].added);
    let listed = device.get("/local/servers")["servers"][0].take();
    assert_ne!(listed["unavailable_reason"], "API key not configured", "{listed}");
}

/// What another browser has published stands with the server that it replaces, or by itself.
#[test]
fn what_other_browsers_have_published_is_listed() {
    let mut device = with_server();
    let other = |key: &str, line: &str| PublishedElsewhere { key: key.into(), line: line.into() };
    device.surroundings.elsewhere = vec![other("web~web", "https://other.test/mcp"), other("lost~lost", "npx lost")];
    let read = servers(&device);
    assert_eq!(read.servers[0].instead.as_deref(), Some("https://other.test/mcp"));
    assert_eq!(read.elsewhere, [other("lost~lost", "npx lost")]);
    device.ask("POST", "/local/toolsets/web/servers/web/enable", br#"{"enabled": false}"#).is(200);
    assert_eq!(servers(&device).elsewhere.len(), 2, "one that is off here is replaced by nothing");
}
