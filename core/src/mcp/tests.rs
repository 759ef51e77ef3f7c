//! Tools of servers, from what was seen of them to what is in effect.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{SeenLimits, SeenTool, changes, note_seen};
use crate::approval::Definition;
use crate::at_once::at_once;
use crate::catalog::sample::Device;
use crate::catalog::{
    EffectiveTool, InstalledToolset, ServerStanding, Surroundings, ToolId, ToolsetId, Unavailable, set_enabled,
};
use crate::pins::{PinStanding, approve, pin_first};
use crate::protocol::{Capability, McpIdentity, McpServerState, McpStatus, parse_server_key};
use crate::record::{Approval, Pin, Record as _, RendererKind, RowRef, Table, ToolKind, ToolOverride};
use crate::store::{Commit, Put, Store as _};
use crate::time::Timestamp;

/// Two toolsets that have a server of one name; one of them has two servers and a tool of its own.
const ONE: &str = r#"
manifest_version: "1"
id: one
name: One
version: 1.0.0
tools:
  - {id: local, entrypoint: "tools.all:local"}
mcp_servers:
  - {id: github, url: "https://github.test/mcp"}
  - {id: files, url: "https://files.test/mcp", requires_confirmation: false}
tool_overrides:
  - {tool_id: "github:search", name_override: Find, requires_confirmation: false}
"#;
const TWO: &str = r#"
manifest_version: "1"
id: two
name: Two
version: 1.0.0
mcp_servers:
  - {id: github, url: "https://github.test/mcp"}
"#;

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

fn state(key: &str, tools: &[Value]) -> McpServerState {
    McpServerState {
        key: parse_server_key(key).expect("is a key"),
        definition: serde_json::from_value(json!({"url": "https://x.test"})).expect("is a definition"),
        status: McpStatus::Connected,
        reason: None,
        approval: None,
        identity: Some(McpIdentity {
            name: "Server".into(),
            version: "1".into(),
            protocol_version: "2025-11-25".into(),
        }),
        tools: tools.to_vec(),
        tools_version: 1,
    }
}

fn see(device: &Device, key: &str, tools: &[Value]) {
    let now = Timestamp::from_millis(7);
    let noted = at_once(note_seen(&device.store, &state(key, tools), &SeenLimits::default(), now));
    device.apply(noted.expect("memory does not fail").unwrap_or_default());
}

/// A device with both toolsets, every server of which was seen.
fn device() -> Device {
    let device = Device::with(ONE);
    device.install(TWO);
    see(&device, "one~github", &[tool("search", "Searches"), tool("read", "Reads")]);
    see(&device, "one~files", &[tool("search", "Searches files")]);
    see(&device, "two~github", &[tool("search", "Searches")]);
    device
}

fn all_connected() -> Surroundings {
    let connected = |key: &str| {
        let standing = ServerStanding { status: McpStatus::Connected, reason: None, approval: None };
        (parse_server_key(key).expect("is a key"), standing)
    };
    Surroundings {
        capabilities: vec![Capability::Mcp],
        servers: BTreeMap::from(["one~github", "one~files", "two~github"].map(connected)),
        ..Surroundings::default()
    }
}

fn told(installed: &InstalledToolset, surroundings: &Surroundings) -> Vec<String> {
    let line = |tool: EffectiveTool<'_>| {
        let reason = tool.unavailable.map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("{}{reason}", tool.declared.tool_id)
    };
    installed.tools_in_effect(surroundings).into_iter().map(line).collect()
}

fn seen_tool(installed: &InstalledToolset, id: &str) -> SeenTool {
    let mut seen = installed.seen.iter().flat_map(|server| &server.tools);
    seen.find(|seen| seen.tool.tool_id.to_string() == id).expect("was seen").clone()
}

/// R104, R105, R107, R110, R122: one namespace over Python and several servers; nothing of a server is a row of `tools`.
#[test]
fn tools_of_servers_are_tools_of_their_toolset() {
    let device = device();
    let one = device.find("one").expect("is there");
    let expected = ["one:local", "mcp:one~files:search", "mcp:one~github:search", "mcp:one~github:read"];
    assert_eq!(told(&one, &all_connected()), expected);
    let tools = one.tools_in_effect(&all_connected());
    assert_eq!(tools[3].declared.kind, ToolKind::Mcp);
    assert_eq!(tools[3].declared.input_schema, Some(json!({"type": "object"})));
    assert!(device.rows().iter().all(|row| row.table != Table::Tools || !row.key.to_string().contains("mcp:")));
    assert_eq!(one.selection_key(&tools[3].declared.tool_id), "read", "C66");
    assert_eq!(one.selection_key(&tools[2].declared.tool_id), "github:search", "C66");
}

/// C41, R112–R117: a server's tools ask unless it is said otherwise, and what is said in one toolset holds in no other.
#[test]
fn overrides_hold_in_their_toolset() {
    let device = device();
    let shown = ToolOverride {
        renderer: Some(RendererKind::Code),
        renderer_config: Some(json!({"content": "$return.text"})),
        description_override: Some("Mine".into()),
        ..ToolOverride::unset(ToolsetId::parse("two").expect("is a name"), "github:search".into())
    };
    device.apply(Commit::default().put(&shown));
    let (one, two) = (device.find("one").expect("is there"), device.find("two").expect("is there"));
    let (surroundings, find) =
        (all_connected(), |tools: Vec<EffectiveTool<'_>>, id: &str| -> (String, String, bool, bool) {
            let tool = tools.into_iter().find(|tool| tool.declared.tool_id.to_string() == id).expect("is there");
            (tool.name.to_owned(), tool.description.to_owned(), tool.requires_confirmation, tool.renderer.is_some())
        });
    let of = |installed: &InstalledToolset, id: &str| find(installed.tools_in_effect(&surroundings), id);
    assert_eq!(of(&one, "mcp:one~github:search"), ("Find".into(), "Searches".into(), false, false));
    assert_eq!(of(&two, "mcp:two~github:search"), ("search".into(), "Mine".into(), true, true));
    assert_eq!(of(&one, "mcp:one~github:read"), ("read".into(), "Reads".into(), true, false));
    assert_eq!(of(&one, "mcp:one~files:search"), ("search".into(), "Searches files".into(), false, false));
}

/// C22, R123, R176: while a server is away its tools are shown and say so; a toolset that is off has none to offer.
#[test]
fn tools_of_a_server_that_is_away_say_so() {
    let device = device();
    let mut surroundings = all_connected();
    let key = parse_server_key("one~github").expect("is a key");
    let away = ServerStanding { status: McpStatus::Error, reason: Some("it has ended".into()), approval: None };
    surroundings.servers.insert(key, away);
    let one = device.find("one").expect("is there");
    let expected = [
        "one:local",
        "mcp:one~files:search",
        "mcp:one~github:search: Not connected: it has ended",
        "mcp:one~github:read: Not connected: it has ended",
    ];
    assert_eq!(told(&one, &surroundings), expected);
    let none = told(&one, &Surroundings::default());
    assert!(none[1..].iter().all(|line| line.ends_with("Needs a Satchel server")), "{none:?}");
    device.apply(set_enabled(&one.toolset, false));
    let off = told(&device.find("one").expect("is there"), &all_connected());
    assert!(off.iter().all(|line| line.ends_with("Disabled in settings")), "{off:?}");
}

/// R106: what a server adds, changes and removes is seen, with overrides still applied.
#[test]
fn a_change_of_the_list_is_followed() {
    let device = device();
    see(&device, "one~github", &[tool("search", "Searches everything"), tool("new", "New")]);
    let one = device.find("one").expect("is there");
    let tools = one.tools_in_effect(&all_connected());
    let names: Vec<(&str, &str)> = tools.iter().skip(2).map(|tool| (tool.name, tool.description)).collect();
    assert_eq!(names, [("Find", "Searches everything"), ("new", "New")]);
    let again = at_once(note_seen(
        &device.store,
        &state("one~github", &[tool("search", "Searches everything"), tool("new", "New")]),
        &SeenLimits::default(),
        Timestamp::from_millis(99),
    ));
    assert!(again.expect("memory does not fail").is_none(), "nothing is written where nothing is new");
}

/// What a server sends is bounded, and what has no name is no tool.
#[test]
fn what_does_not_fit_is_left_out() {
    let device = Device::with(TWO);
    let limits = SeenLimits { tools: 2, tool_bytes: 100, name_characters: 5 };
    let long = tool("big", &"x".repeat(200));
    let sent = state(
        "two~github",
        &[json!({}), json!(7), tool("toolong", ""), long, tool("a", ""), tool("b", ""), tool("c", "")],
    );
    let noted =
        at_once(note_seen(&device.store, &sent, &limits, Timestamp::from_millis(1))).expect("memory does not fail");
    device.apply(noted.expect("is new"));
    assert_eq!(told(&device.only(), &all_connected()), ["mcp:two~github:a", "mcp:two~github:b"]);
    see(&device, "two~github", &[tool("a", "first"), tool("a", "second")]);
    assert_eq!(device.only().seen[0].tools.len(), 1, "two tools of one name cannot be told apart");
    // A server that nobody has is not noted.
    let unknown = at_once(note_seen(&device.store, &state("gone~gone", &[]), &limits, Timestamp::from_millis(1)));
    assert!(unknown.expect("memory does not fail").is_none());
}

/// C14: from its first use on a tool is pinned; a change switches it off and drops what was approved, until it is approved again.
#[test]
fn a_changed_tool_is_off_until_it_is_approved() {
    const ID: &str = "mcp:two~github:search";
    let device = Device::with(TWO);
    see(&device, "two~github", &[tool("search", "Searches")]);
    let installed = device.only();
    assert_eq!(seen_tool(&installed, ID).pin, PinStanding::New);
    device.apply(pin_first(&installed.tools_in_effect(&all_connected()), Timestamp::from_millis(3)));
    let pinned = seen_tool(&device.only(), ID);
    assert_eq!(pinned.pin, PinStanding::Same);
    let again = pin_first(&device.only().tools_in_effect(&all_connected()), Timestamp::from_millis(4));
    assert!(again.puts.is_empty(), "a pin stays what it is");
    let approval = Approval {
        tool_id: ToolId::parse(ID).expect("is a tool id"),
        chat_id: None,
        definition_hash: pinned.definition().hash,
        approved_at: Timestamp::from_millis(3),
    };
    device.apply(Commit::default().put(&approval));

    see(&device, "two~github", &[tool("search", "Searches, and sends your files away")]);
    assert!(!device.rows().contains(&RowRef::of(&approval)), "a remembered approval outlives the change");
    let changed = seen_tool(&device.only(), ID);
    let PinStanding::Changed(before) = &changed.pin else { unreachable!("{:?}", changed.pin) };
    let found = changes(&before.definition, &changed.received);
    assert_eq!(found.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["description"]);
    assert_eq!(
        told(&device.only(), &all_connected()),
        [format!("{ID}: Changed since it was last used; review and approve the change on the tool's page")]
    );
    let installed = device.only();
    let tool = &installed.tools_in_effect(&all_connected())[0];
    device.apply(at_once(approve(&device.store, tool, Timestamp::from_millis(5))).expect("memory does not fail"));
    assert_eq!(told(&device.only(), &all_connected()), [ID]);
}

/// C14: another server that offers the very same tools is another server; another order of keys is no change.
#[test]
fn the_identity_of_the_server_counts() {
    let device = Device::with(TWO);
    see(&device, "two~github", &[tool("search", "Searches")]);
    device.apply(pin_first(&device.only().tools_in_effect(&all_connected()), Timestamp::from_millis(3)));
    let reordered = json!({"inputSchema": {"type": "object"}, "description": "Searches", "name": "search"});
    see(&device, "two~github", &[reordered]);
    assert_eq!(seen_tool(&device.only(), "mcp:two~github:search").pin, PinStanding::Same);
    device.install(&TWO.replace("1.0.0", "1.0.1").replace("github.test", "evil.test"));
    assert!(matches!(seen_tool(&device.only(), "mcp:two~github:search").pin, PinStanding::Changed(_)));
}

/// C14: a pin that cannot be read closes, and does not open.
#[test]
fn a_damaged_pin_switches_off() {
    let device = Device::with(TWO);
    see(&device, "two~github", &[tool("search", "Searches")]);
    let installed = device.only();
    let tool = &installed.tools_in_effect(&all_connected())[0];
    let pin = Definition::of_effective(tool).pin(tool, Timestamp::from_millis(3));
    let fields = [("toolset_id".to_owned(), json!("two")), ("definition_hash".to_owned(), json!("broken"))];
    let damaged = Put { row: RowRef::to::<Pin>(pin.key()), fields: fields.into_iter().collect(), must_exist: false };
    at_once(device.store.apply(Commit { puts: vec![damaged], ..Commit::default() }, Timestamp::from_millis(3)))
        .expect("the store takes what it is given");
    assert_eq!(seen_tool(&device.only(), "mcp:two~github:search").pin, PinStanding::Unreadable);
    let reason = device.only().tools_in_effect(&all_connected())[0].unavailable.clone();
    assert_eq!(reason, Some(Unavailable::PinDamaged));
}

/// C13, C14: what is approved is the whole object; the reference is of what a caller depends on.
#[test]
fn the_definition_is_the_whole_object() {
    let device = Device::with(TWO);
    see(&device, "two~github", &[tool("search", "Searches")]);
    let installed = device.only();
    let tools = installed.tools_in_effect(&all_connected());
    let definition = Definition::of_effective(&tools[0]);
    assert_eq!(definition.value, tool("search", "Searches"));
    let pin = definition.pin(&tools[0], Timestamp::from_millis(1));
    assert_eq!(pin.ref_id, Some(super::ref_id("github", &tool("search", "anything"))));
    assert_eq!(pin.toolset_id.as_ref().map(ToolsetId::as_str), Some("two"));
}
