//! Bundles come in and go out, and what is no bundle is refused.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::toolsets::{IMPORT, my_toolset, switch_server_on, toolset_row};
use super::{Device, MANIFEST, zip};
use crate::at_once::at_once;
use crate::bundle::{BundleLimits, archive};
use crate::catalog::ToolsetId;
use crate::digest::BlobId;
use crate::protocol::Capability;
use crate::record::{RendererKind, ToolOverride};
use crate::store::{Blob, Commit, Store as _};

/// R234, R052, R058: imported, listed.
#[test]
fn an_import_is_listed() {
    let device = Device::new();
    assert_eq!(device.installed(), json!({"toolsets": []}));
    insta::assert_json_snapshot!(device.ask("POST", IMPORT, &zip(MANIFEST)).is(201), @r#"
    {
      "toolset_id": "my-toolset",
      "version": "1.0.0",
      "package": "f66a39c0cc6fe9a5414d24a523fefa06f2e91545c952596ce7611400c7ff3e36",
      "warnings": []
    }
    "#);
    insta::assert_json_snapshot!(device.installed(), @r#"
    {
      "toolsets": [
        {
          "id": "my-toolset",
          "name": "My Toolset",
          "version": "1.0.0",
          "description": "Counts things",
          "enabled": true,
          "user_mcp": false,
          "source_type": "zip",
          "tool_count": 2,
          "available": true
        }
      ]
    }
    "#);
}

/// R057: by this way nothing is connected; what the user switched on before stays on as long as it is the same server.
#[test]
fn an_import_connects_nothing() {
    let device = Device::with_toolset();
    let switch = |device: &Device| device.get("/local/toolsets/my-toolset")["mcp_servers"][0]["enabled"].take();
    assert_eq!(switch(&device), json!(false));
    switch_server_on(&device);
    device.ask("POST", IMPORT, &zip(&MANIFEST.replace("1.0.0", "1.1.0"))).is(201);
    assert_eq!(switch(&device), json!(true));
    let elsewhere = MANIFEST.replace("1.0.0", "1.2.0").replace("\"server\"", "\"another-server\"");
    device.ask("POST", IMPORT, &zip(&elsewhere)).is(201);
    assert_eq!(switch(&device), json!(false));
}

/// R234, R063, R064, R066: out, away, in again: the same.
#[test]
fn an_export_imports_as_the_same() {
    let device = Device::with_toolset();
    let asked = device.ask("GET", "/local/toolsets/my-toolset/export", b"");
    assert_eq!(asked.0.status, 200);
    let disposition = r#"attachment; filename="my-toolset-v1.0.0.zip""#;
    assert_eq!(asked.0.header("content-disposition"), Some(disposition));
    assert_eq!(device.ask("GET", "/local/toolsets/my-toolset/export", b"").0.body, asked.0.body);

    let before = device.get("/local/toolsets/my-toolset");
    let imported = device.ask("POST", IMPORT, &asked.0.body).is(200);
    assert_eq!(imported["package"], before["toolset"]["package"]);
    assert_eq!(device.get("/local/toolsets/my-toolset"), before);

    let elsewhere = Device::new();
    elsewhere.ask("POST", IMPORT, &asked.0.body).is(201);
    let after = elsewhere.get("/local/toolsets/my-toolset");
    for key in ["tools", "mcp_servers", "render_configs", "overrides"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    let files = |details: &Value| {
        let files = details["files"].as_array().expect("is a list").clone();
        files.into_iter().filter(|file| file["path"] != "toolset.yaml").collect::<Vec<_>>()
    };
    assert_eq!(files(&after), files(&before));
    assert_eq!(after["toolset"]["package"], before["toolset"]["package"]);
}

/// R063: what the user changed is exported, and in effect after the import.
#[test]
fn overrides_are_told_and_exported() {
    let device = Device::with_toolset();
    let mine = ToolOverride {
        toolset_id: my_toolset(),
        tool_id: "count".into(),
        renderer: Some(RendererKind::Code),
        renderer_config: Some(json!({"content": "$return"})),
        name_override: Some("Mine".into()),
        description_override: None,
        requires_confirmation: Some(true),
        enabled: None,
    };
    device.apply(Commit::default().put(&mine));
    let details = device.get("/local/toolsets/my-toolset");
    let names = details["overrides"].as_array().expect("is a list").iter().map(|one| one["name_override"].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["Ask them", "Mine"]);
    assert_eq!((&details["tools"][0]["name"], &details["tools"][0]["renderer"]), (&json!("Mine"), &json!("code")));

    let bytes = device.ask("GET", "/local/toolsets/my-toolset/export", b"").0.body;
    let elsewhere = Device::new();
    elsewhere.ask("POST", IMPORT, &bytes).is(201);
    assert_eq!(elsewhere.get("/local/toolsets/my-toolset")["overrides"], details["overrides"]);
}

/// R067, C51
#[test]
fn other_contents_need_a_word() {
    let device = Device::with_toolset();
    let other = zip(&MANIFEST.replace("name: My Toolset", "name: Mine"));
    let message =
        "my-toolset 1.0.0 is installed with other contents; ask again with \"?replace=true\" to put 1.0.0 in its place";
    device.ask("POST", IMPORT, &other).refuses(409, "replace_needed", message);
    device.ask("POST", "/local/toolsets/import?replace=false", &other).is(409);
    assert_eq!(toolset_row(&device).name, "My Toolset");
    let asked = device.ask("POST", "/local/toolsets/import?replace=yes", &other);
    let path = asked.refuses(400, "bad_request", r#"replace must be "true" or "false", not "yes""#);
    assert_eq!(path.as_deref(), Some("replace"));
    device.ask("POST", "/local/toolsets/import?replace=true", &other).is(201);
    assert_eq!(toolset_row(&device).name, "Mine");
}

/// R046, R051, R060: a refusal names the file, the line and the key, and nothing is stored.
#[test]
fn a_refused_bundle_says_where() {
    let device = Device::new();
    let check = |body: &[u8], path: &str, message: &str| {
        assert_eq!(device.ask("POST", IMPORT, body).refuses(422, "bundle_refused", message).as_deref(), Some(path));
    };
    let no_entrypoint = "a Python tool needs an \"entrypoint\" such as \"tools.analyze:run\"";
    check(
        &zip(&MANIFEST.replace("    entrypoint: tools.count:run\n", "")),
        "toolset.yaml#tools[0]",
        &format!("toolset.yaml line 8, tools[0]: {no_entrypoint}"),
    );
    check(b"", "toolset.yaml", "toolset.yaml line 1: expected a map, found nothing");
    let lone = archive::write(&[("tools/a.py".to_owned(), Vec::new())].into());
    check(&lone, "toolset.yaml", "the bundle has no toolset.yaml at its top");
    let slip = archive::write(&[("../x".to_owned(), Vec::new())].into());
    check(&slip, "../x", "the archive has a path that leaves the bundle by \".\" or \"..\": \"../x\"");
    assert_eq!(at_once(device.store.blob_ids()).expect("is read"), []);
    assert_eq!(at_once(device.store.outbox()).expect("is read"), []);
}

/// R062, R259: a bare manifest with nothing but servers.
#[test]
fn a_bare_manifest_is_a_toolset() {
    let mut device = Device::new();
    let bare =
        "manifest_version: '1'\nid: web\nname: Web\nversion: 1.0.0\nmcp_servers: [{id: s, url: 'https://x.test/'}]\n";
    device.ask("POST", IMPORT, bare.as_bytes()).is(201);
    let reason = |device: &Device| device.installed()["toolsets"][0]["unavailable_reason"].take();
    assert_eq!(reason(&device), "Configure in Toolsets settings");
    device.surroundings.capabilities = vec![Capability::Mcp];
    assert_eq!(reason(&device), "Configure in Toolsets settings");
    device.surroundings.disabled_toolsets = BTreeSet::from([ToolsetId::parse("web").expect("is a name")]);
    assert_eq!(reason(&device), "Disabled by administrator");
}

/// R066: damaged bytes are not exported as if they were sound.
#[test]
fn damaged_files_are_not_exported() {
    let device = Device::new();
    let html = BlobId::of(b"<html></html>");
    device.ask("POST", IMPORT, &zip(MANIFEST)).is(201);
    device.apply(Commit::default().blob(Blob::named(html, b"other".to_vec())));
    let message = "my-toolset cannot be exported: the bytes of a file are damaged or not stored; run the storage check in Settings";
    let asked = device.ask("GET", "/local/toolsets/my-toolset/export", b"");
    assert_eq!(asked.refuses(500, "damaged", message).as_deref(), Some("artifacts/count.html"));
}

/// An import of what this device itself exported reads within the limits of every other.
#[test]
fn an_export_is_a_bundle() {
    let device = Device::with_toolset();
    let bytes = device.ask("GET", "/local/toolsets/my-toolset/export", b"").0.body;
    let files = archive::read(&bytes, &BundleLimits::default(), &mut |_, _| {}).expect("is an archive").by_path;
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(paths, ["artifacts/count.html", "tools/count.py", "toolset.yaml"]);
}
