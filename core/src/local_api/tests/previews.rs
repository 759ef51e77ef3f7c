//! A bundle is shown before it comes in, and the app's screens read what they need of the answers.

use serde_json::json;

use super::toolsets::IMPORT;
use super::{Device, HOUR, MANIFEST, zip};
use crate::at_once::at_once;
use crate::bundle::{Bundle, BundleLimits, Decision, Origin};
use crate::local_api::bundles;
use crate::local_api::reading::{DetailsRead, OutcomeRead, PreviewRead, ToolsetsRead};
use crate::record::SourceType;
use crate::store::Store as _;

const PREVIEW: &str = "/local/toolsets/preview";

/// R057, C51: shown in full first, and nothing is written by looking.
#[test]
fn a_preview_shows_what_an_import_would_do() {
    let device = Device::new();
    let shown: PreviewRead = read(&device, "POST", PREVIEW, &zip(MANIFEST));
    assert_eq!((shown.outcome, shown.from, shown.warnings), (OutcomeRead::New, None, Vec::new()));
    let contents = shown.contents;
    assert_eq!((contents.id.as_str(), contents.version.as_str(), contents.tools.len()), ("my-toolset", "1.0.0", 2));
    assert_eq!(contents.tools[0].renderer.as_deref(), Some("html"));
    assert_eq!((contents.servers[0].line.as_str(), contents.servers[0].is_command), ("npx -y server", true));
    assert_eq!(contents.files.iter().map(|file| file.size).sum::<u64>(), contents.size);
    assert_eq!(device.installed(), json!({"toolsets": []}));
    assert_eq!(at_once(device.store.blob_ids()).expect("reads"), []);

    device.ask("POST", IMPORT, &zip(MANIFEST)).is(201);
    let outcome = |manifest: &str| {
        let PreviewRead { outcome, from, .. } = read(&device, "POST", PREVIEW, &zip(manifest));
        (outcome, from)
    };
    assert_eq!(outcome(MANIFEST), (OutcomeRead::Same, None));
    assert_eq!(outcome(&MANIFEST.replace("Counts things", "Counts")), (OutcomeRead::Conflict, None));
    let from = Some("1.0.0".to_owned());
    assert_eq!(outcome(&MANIFEST.replace("1.0.0", "1.1.0")), (OutcomeRead::Upgrade, from.clone()));
    assert_eq!(outcome(&MANIFEST.replace("1.0.0", "0.9.0")), (OutcomeRead::Downgrade, from));
    let refusal = device.ask("POST", PREVIEW, b"id: [").is(422);
    assert_eq!(refusal["error"]["code"], "bundle_refused");
}

/// What the app's screens read is in the answers.
#[test]
fn the_screens_can_read_the_answers() {
    let device = Device::with_toolset();
    let list: ToolsetsRead = read(&device, "GET", "/local/toolsets", b"");
    assert_eq!((list.toolsets[2].id.as_str(), list.toolsets[2].tool_count), ("my-toolset", 2));
    assert_eq!(list.toolsets.iter().map(|toolset| toolset.is_built_in()).collect::<Vec<_>>(), [true, true, false]);
    let details: DetailsRead = read(&device, "GET", "/local/toolsets/my-toolset", b"");
    assert_eq!((details.tools.len(), details.files.len(), details.toolset.package.len()), (2, 3, 64));
    assert_eq!(details.tools[1].name, "Ask them");
    let server = &details.mcp_servers[0];
    assert_eq!((server.server_id.as_str(), server.line.as_str()), ("program", "npx -y server"));
    assert_eq!(server.unavailable_reason.as_deref(), Some("Disabled in settings"));
}

/// C50: what can be brought back is listed until it cannot.
#[test]
fn uninstalled_toolsets_are_listed_for_their_undo_time() {
    let device = Device::with_toolset();
    device.ask("DELETE", "/local/toolsets/my-toolset", b"").is(204);
    let list: ToolsetsRead = read(&device, "GET", "/local/toolsets", b"");
    assert_eq!((list.toolsets.len(), list.uninstalled[0].id.as_str()), (2, "my-toolset"));
    device.now.set(device.now.get() + 48 * HOUR);
    assert_eq!(device.installed(), json!({"toolsets": []}));
}

/// R057, R061, R062: the app's own import says where the bundle came from, and that the servers were agreed to.
#[test]
fn the_apps_own_import_connects_what_was_shown() {
    let device = Device::new();
    let bundle = Bundle::open(MANIFEST.as_bytes(), &BundleLimits::default()).expect("is a bundle");
    let origin = Origin { source_type: SourceType::Url, source_ref: Some("https://x.test/a.yaml".into()) };
    let decision = Decision { enabled: true, connect: true, replace: false };
    let response =
        at_once(device.in_world(async |world| bundles::install(&device.store, world, bundle, origin, decision).await));
    assert_eq!(response.status, 201);
    let details = device.get("/local/toolsets/my-toolset");
    assert_eq!(details["toolset"]["source_type"], "url");
    assert_eq!(details["toolset"]["source_ref"], "https://x.test/a.yaml");
    assert_eq!(details["mcp_servers"][0]["enabled"], true);
}

fn read<T: serde::de::DeserializeOwned>(device: &Device, method: &str, path: &str, body: &[u8]) -> T {
    serde_json::from_value(device.ask(method, path, body).is(200)).expect("reads")
}
