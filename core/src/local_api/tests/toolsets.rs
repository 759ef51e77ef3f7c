//! Toolsets come in, are looked at, switched, exported, go and come back.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Device, HOUR, MANIFEST, manifest, text, zip};
use crate::at_once::at_once;
use crate::bundle::{BundleLimits, archive};
use crate::catalog::ToolsetId;
use crate::protocol::Capability;
use crate::record::{RowKey, RowRef, Table, Toolset};
use crate::store::{Commit, Put};

pub(super) const IMPORT: &str = "/local/toolsets/import";

pub(super) fn my_toolset() -> ToolsetId {
    ToolsetId::parse("my-toolset").expect("is a name")
}

pub(super) fn toolset_row(device: &Device) -> Toolset {
    at_once(crate::store::get(&device.store, RowKey::one("my-toolset"))).expect("is read").expect("is there")
}

/// What the user does on the toolset's page.
pub(super) fn switch_server_on(device: &Device) {
    let row = RowRef { table: Table::ToolsetMcpServers, key: RowKey::of(["my-toolset", "program"]) };
    let fields = serde_json::Map::from_iter([("enabled".to_owned(), json!(true))]);
    device.apply(Commit { puts: vec![Put { row, fields, must_exist: true }], ..Commit::default() });
}

/// R234, R056, R108: all there is to know.
#[test]
fn details_have_everything() {
    let device = Device::with_toolset();
    insta::assert_json_snapshot!(device.get("/local/toolsets/my-toolset"), @r#"
    {
      "toolset": {
        "id": "my-toolset",
        "uid": "0198c5a4-7c1e-7000-8000-000000000001",
        "slug": "my-toolset",
        "name": "My Toolset",
        "version": "1.0.0",
        "description": "Counts things",
        "enabled": true,
        "user_mcp": false,
        "is_built_in": false,
        "source_type": "zip",
        "source_ref": null,
        "manifest_version": "1",
        "package": "f66a39c0cc6fe9a5414d24a523fefa06f2e91545c952596ce7611400c7ff3e36",
        "installed_at": "1970-01-01T00:00:01.000Z",
        "created_at": "1970-01-01T00:00:01.000Z",
        "modified_at": "1970-01-01T00:00:01.000Z",
        "soft_deleted_at": null,
        "tool_count": 2,
        "available": true
      },
      "tools": [
        {
          "tool_id": "my-toolset:count",
          "toolset_id": "my-toolset",
          "uid": "0198c5a4-7c1e-7000-8000-000000000002",
          "slug": "count",
          "version": "1.0.0",
          "name": "Count",
          "description": "Counts the lines of a file",
          "category": "analysis",
          "type": "python",
          "tags": [
            "text"
          ],
          "modified_at": "1970-01-01T00:00:01.000Z",
          "input_schema": {
            "type": "object",
            "properties": {
              "path": {
                "type": "string"
              }
            },
            "required": [
              "path"
            ]
          },
          "output_schema": null,
          "tokens": 34,
          "requires_confirmation": false,
          "enabled": true,
          "renderer": "html",
          "available": true
        },
        {
          "tool_id": "my-toolset:ask",
          "toolset_id": "my-toolset",
          "uid": "0198c5a4-7c1e-7000-8000-000000000003",
          "slug": "ask",
          "version": "1.0.0",
          "name": "Ask them",
          "description": "",
          "category": null,
          "type": "python",
          "tags": [],
          "modified_at": "1970-01-01T00:00:01.000Z",
          "input_schema": null,
          "output_schema": null,
          "tokens": 6,
          "requires_confirmation": true,
          "enabled": true,
          "renderer": null,
          "available": true
        }
      ],
      "files": [
        {
          "path": "artifacts/count.html",
          "kind": "artifact",
          "sha256": "b633a587c652d02386c4f16f8c6f6aab7352d97f16367c3c40576214372dd628",
          "size": 13
        },
        {
          "path": "tools/count.py",
          "kind": "python",
          "sha256": "1bd6df3b37480cce1346fe63e2379bd5dd590cd9cb7ab649f0126392461ab7b6",
          "size": 66
        },
        {
          "path": "toolset.yaml",
          "kind": "config",
          "sha256": "faefe917fdd280d219f10a081b22b40b24b4bf5a43748ef81d3d43648c742b94",
          "size": 632
        }
      ],
      "mcp_servers": [
        {
          "id": "my-toolset~program",
          "serverId": "program",
          "toolsetId": "my-toolset",
          "name": "My Toolset",
          "user_mcp": false,
          "config": {
            "command": "npx",
            "args": [
              "-y",
              "server"
            ]
          },
          "line": "npx -y server",
          "is_command": true,
          "enabled": false,
          "auto_enabled": false,
          "requires_confirmation": true,
          "available": false,
          "unavailable_reason": "Disabled in settings",
          "status": "disconnected",
          "reason": "Disabled in settings",
          "stale": false,
          "tools": []
        }
      ],
      "render_configs": [
        {
          "package": "f66a39c0cc6fe9a5414d24a523fefa06f2e91545c952596ce7611400c7ff3e36",
          "tool_id": "my-toolset:count",
          "renderer": "html",
          "config": {
            "artifact": "artifacts/count.html",
            "data": "$return"
          },
          "priority": 0
        }
      ],
      "overrides": [
        {
          "toolset_id": "my-toolset",
          "tool_id": "ask",
          "renderer": null,
          "renderer_config": null,
          "name_override": "Ask them",
          "description_override": null,
          "requires_confirmation": null,
          "enabled": null
        }
      ],
      "hosts": [],
      "remembered": []
    }
    "#);
    let uid = text(&device.get("/local/toolsets/my-toolset")["toolset"]["uid"]);
    assert_eq!(device.get(&format!("/local/toolsets/{uid}")), device.get("/local/toolsets/my-toolset"));
    device.ask("GET", "/local/toolsets/other", b"").refuses(404, "not_found", r#"no toolset "other" is installed"#);
}

/// R013, R107, R108: two toolsets may have a server of one name.
#[test]
fn servers_are_told_apart_by_their_toolset() {
    let device = Device::new();
    for id in ["one", "two"] {
        let bare = format!("{}mcp_servers: [{{id: github, url: 'https://{id}.test/mcp'}}]\n", manifest(id, &["t"]));
        device.ask("POST", IMPORT, bare.as_bytes()).is(201);
    }
    let server = |id: &str| device.get(&format!("/local/toolsets/{id}"))["mcp_servers"][0].take();
    let seen = |server: &Value| ["id", "serverId", "toolsetId"].map(|key| text(&server[key]));
    assert_eq!(seen(&server("one")), ["one~github", "github", "one"]);
    assert_eq!(seen(&server("two")), ["two~github", "github", "two"]);
    assert_eq!(server("two")["config"]["url"], "https://two.test/mcp");
}

/// R127, C39: a command is stored, shown and exported, and says why it cannot be reached.
#[test]
fn a_command_says_why_it_cannot_be_reached() {
    let mut device = Device::with_toolset();
    switch_server_on(&device);
    let server = |device: &Device| device.get("/local/toolsets/my-toolset")["mcp_servers"][0].take();
    assert_eq!(server(&device)["unavailable_reason"], "Needs a Satchel server");
    let bytes = device.ask("GET", "/local/toolsets/my-toolset/export", b"").0.body;
    let files = archive::read(&bytes, &BundleLimits::default(), &mut |_, _| {}).expect("is an archive").by_path;
    assert!(String::from_utf8_lossy(&files["toolset.yaml"]).contains("command: npx"));
    device.surroundings.capabilities = vec![Capability::Mcp];
    assert_eq!(server(&device)["unavailable_reason"], "Not connected: it has not been reached yet");
}

/// C49, R167: what lacks a value is named.
#[test]
fn missing_keys_are_named() {
    let mut device = Device::new();
    let keyed =
        format!("{}secrets: [{{name: ONE, description: The first}}, {{name: TWO}}]\n", manifest("keyed", &["t"]));
    device.ask("POST", IMPORT, keyed.as_bytes()).is(201);
    device.surroundings.secrets = BTreeSet::from(["ONE".into()]);
    let toolset = device.get("/local/toolsets/keyed")["toolset"].take();
    assert_eq!((&toolset["available"], &toolset["missing_secrets"]), (&json!(false), &json!(["TWO"])));
    assert_eq!(toolset["unavailable_reason"], "API key not configured");
    let wanted = json!([{"name": "ONE", "description": "The first"}, {"name": "TWO", "description": null}]);
    assert_eq!(device.installed()["toolsets"][0]["secrets"], wanted);
    device.surroundings.secrets.insert("TWO".into());
    assert_eq!(device.get("/local/toolsets/keyed")["toolset"]["available"], true);
}

/// R123, C29, C54: the switch, and nothing else.
#[test]
fn a_toolset_is_switched() {
    let device = Device::with_toolset();
    device.now.set(2_000);
    let off = device.ask("POST", "/local/toolsets/my-toolset/enable", br#"{"enabled": false}"#).is(200);
    assert_eq!((&off["enabled"], &off["available"]), (&json!(false), &json!(false)));
    assert_eq!((&off["unavailable_reason"], &off["modified_at"]), (&json!("Disabled in settings"), &off["created_at"]));
    let tools = device.get("/local/toolsets/my-toolset")["tools"].take();
    assert_eq!((&tools[0]["enabled"], &tools[0]["available"]), (&json!(true), &json!(false)));
    let on = device.ask("POST", "/local/toolsets/my-toolset/enable", br#"{"enabled": true}"#).is(200);
    assert_eq!((&on["enabled"], &on["available"]), (&json!(true), &json!(true)));
}

#[test]
fn the_switch_needs_its_word() {
    let device = Device::with_toolset();
    let check = |body: &[u8], expected: &str| {
        let message = format!("the body must be JSON like {{\"enabled\": true}}: {expected}");
        device.ask("POST", "/local/toolsets/my-toolset/enable", body).refuses(400, "bad_request", &message);
    };
    check(b"", "missing field `enabled`");
    check(b"{", "EOF while parsing an object at line 1 column 1");
    check(br#"{"enabled": 1}"#, "invalid type: integer `1`, expected a boolean");
    check(br#"{"enabled": true, "x": 1}"#, "unknown field `x`, expected `enabled`");
    device.ask("POST", "/local/toolsets/other/enable", br#"{"enabled": true}"#).is(404);
}

/// R234, C50: gone, and for 48 hours not lost.
#[test]
fn a_deleted_toolset_comes_back() {
    let device = Device::with_toolset();
    let before = device.get("/local/toolsets/my-toolset");
    assert_eq!(device.ask("DELETE", "/local/toolsets/my-toolset", b"").is(204), Value::Null);
    assert_eq!(device.installed()["toolsets"], json!([]));
    assert_eq!(device.get("/local/tools?bundleIDs=my-toolset")["tools"], json!([]));
    let gone = "my-toolset was uninstalled; until 1970-01-03T00:00:01.000Z, POST /local/toolsets/my-toolset/restore brings it back";
    for (method, path) in [("GET", ""), ("DELETE", ""), ("GET", "/export")] {
        device.ask(method, &format!("/local/toolsets/my-toolset{path}"), b"").refuses(404, "not_found", gone);
    }
    device.now.set(1_000 + 48 * HOUR - 1);
    assert_eq!(device.ask("POST", "/local/toolsets/my-toolset/restore", b"").is(200), before["toolset"]);
    assert_eq!(device.get("/local/toolsets/my-toolset"), before);
    // What is there is there.
    device.ask("POST", "/local/toolsets/my-toolset/restore", b"").is(200);

    device.ask("DELETE", "/local/toolsets/my-toolset", b"").is(204);
    device.now.set(device.now.get() + 48 * HOUR);
    let message = r#"no toolset "my-toolset" is installed"#;
    device.ask("POST", "/local/toolsets/my-toolset/restore", b"").refuses(404, "not_found", message);
}

/// R087
#[test]
fn a_built_in_toolset_stays() {
    let device = Device::with_toolset();
    let before = toolset_row(&device);
    device.apply(Commit::default().change(&before, &Toolset { is_built_in: true, ..before.clone() }));
    let message = "my-toolset is built in and cannot be uninstalled; switch it off instead";
    device.ask("DELETE", "/local/toolsets/my-toolset", b"").refuses(409, "built_in", message);
    let message = "my-toolset is built in and cannot be replaced by a bundle";
    device.ask("POST", IMPORT, &zip(MANIFEST)).refuses(409, "built_in", message);
    device.ask("POST", "/local/toolsets/my-toolset/enable", br#"{"enabled": false}"#).is(200);
}

/// R317: a broken toolset hides no other, and says what is wrong.
#[test]
fn a_broken_toolset_is_shown_as_such() {
    let device = Device::with_toolset();
    device.ask("POST", IMPORT, manifest("sound", &["t"]).as_bytes()).is(201);
    let package = toolset_row(&device).package.to_string();
    device.apply(Commit::default().delete(RowRef { table: Table::Packages, key: RowKey::one(&package) }));
    let list = device.installed();
    let reason = format!("its package {package} is not stored; import the toolset again");
    assert_eq!(list["toolsets"][0]["unavailable_reason"], format!("Damaged: {reason}"));
    assert_eq!(list["toolsets"][1]["available"], true);
    assert_eq!(device.get("/local/toolsets/my-toolset")["toolset"]["broken"], json!([reason]));
    let message = format!("my-toolset cannot be exported: {reason}");
    device.ask("GET", "/local/toolsets/my-toolset/export", b"").refuses(500, "damaged", &message);
}
