//! Bundles become rows.

use std::collections::BTreeMap;

use serde_json::json;

use super::{APP_BUILDER, Device, MY_TOOLSET, REPLACE, YES, an_override, files, from_zip, open, zip};
use crate::at_once::at_once;
use crate::bundle::{Bundle, BundleLimits, Decision, InstallPlan, Origin, Outcome, archive};
use crate::digest::BlobId;
use crate::ids::Uid;
use crate::record::{
    FileKind, Package, Record as _, RendererKind, RowKey, RowRef, SourceType, Tool, ToolOverride, ToolRenderConfig,
    Toolset, ToolsetFile, ToolsetMcpServer,
};
use crate::store::{Blob, Commit, Store as _};
use crate::time::Timestamp;

/// R045, R006, R052–R056, R058
#[test]
fn an_import_makes_all_rows() {
    let device = Device::new();
    assert_eq!(device.install(&zip(MY_TOOLSET)), Outcome::New);

    let [toolset] = &device.all::<Toolset>()[..] else { panic!("there is one toolset") };
    assert_eq!((toolset.name.as_str(), toolset.version.as_str()), ("My Toolset", "1.0.0"));
    assert_eq!((toolset.enabled, toolset.user_mcp, toolset.source_type), (true, false, SourceType::Zip));
    assert_eq!(toolset.source_ref.as_deref(), Some("my-toolset.zip"));

    let rows: Vec<(String, FileKind)> =
        device.all::<ToolsetFile>().into_iter().map(|row| (row.path, row.kind)).collect();
    let expected = [
        ("artifacts/results.html", FileKind::Artifact),
        ("assets/templates/default.json", FileKind::Asset),
        ("tools/analyze.py", FileKind::Python),
        ("tools/transform.py", FileKind::Python),
        ("toolset.yaml", FileKind::Config),
    ];
    assert_eq!(rows, expected.map(|(path, kind)| (path.to_owned(), kind)));
    for row in device.all::<ToolsetFile>() {
        let bytes = at_once(device.store.blob(row.sha256)).expect("is read").expect("is stored");
        assert_eq!((BlobId::of(&bytes), bytes.len() as u64), (row.sha256, row.size));
        assert_eq!(row.stored_path, format!("cas:{}", row.sha256));
    }

    let tools: Vec<String> = device.all::<Tool>().into_iter().map(|tool| tool.tool_id.to_string()).collect();
    assert_eq!(tools, ["my-toolset:analyze_data", "my-toolset:transform_file"]);
    let configs = device.all::<ToolRenderConfig>();
    assert_eq!(configs.len(), 2);
    assert_eq!((configs[0].renderer, configs[0].priority), (RendererKind::Html, 0));
    assert_eq!(configs[0].config, json!({"artifact": "artifacts/results.html", "data": "$return"}));
    let [server] = &device.all::<ToolsetMcpServer>()[..] else { panic!("there is one server") };
    assert_eq!(server.server_key().to_string(), "my-toolset~my-mcp-server");
    assert_eq!(server.config["env"], json!({"API_KEY": "${MY_API_KEY}"}));
    assert!(server.enabled && server.auto_enabled && server.requires_confirmation);
}

/// R069, as far as installing goes; R048
#[test]
fn the_app_builder_installs_unchanged() {
    let device = Device::new();
    let bytes = archive::write(&BTreeMap::from([
        ("toolset.yaml".to_owned(), APP_BUILDER.as_bytes().to_vec()),
        ("tools/files.py".into(), b"def write_file(workspace, path, content): ...".to_vec()),
        ("tools/shell.py".into(), b"def run_command(workspace, command): ...".to_vec()),
    ]));
    assert!(device.plan(&bytes).warnings().is_empty());
    device.install(&bytes);
    let asks: Vec<(String, bool)> =
        device.all::<Tool>().into_iter().map(|tool| (tool.tool_id.to_string(), tool.requires_confirmation)).collect();
    let expected = [("read_file", false), ("run_command", true), ("write_file", false)];
    assert_eq!(asks, expected.map(|(name, asks)| (format!("app-builder:{name}"), asks)));
}

/// What the user sees before installing.
#[test]
fn a_plan_shows_everything() {
    let plan = Device::new().plan(&zip(MY_TOOLSET));
    insta::assert_json_snapshot!(plan.contents(), @r#"
    {
      "id": "my-toolset",
      "name": "My Toolset",
      "version": "1.0.0",
      "description": "Example toolset with analysis tools",
      "package": "0dd1f8a62d08cfa8e8bb5b8f9cd80e80ecb967860df174ddab72512df3d6078c",
      "size": 1345,
      "tools": [
        {
          "tool_id": "my-toolset:analyze_data",
          "name": "Analyze Data",
          "description": "Analyze a data file and return statistics",
          "type": "python",
          "renderer": "html",
          "requires_confirmation": false
        },
        {
          "tool_id": "my-toolset:transform_file",
          "name": "Transform File",
          "description": "Transform a file using a template",
          "type": "python",
          "renderer": "code",
          "requires_confirmation": false
        }
      ],
      "servers": [
        {
          "server_id": "my-mcp-server",
          "line": "API_KEY=\"${MY_API_KEY}\" npx -y my-mcp-package",
          "is_command": true,
          "requires_confirmation": true
        }
      ],
      "hosts": [],
      "python_packages": [],
      "secrets": [
        {
          "name": "MY_API_KEY",
          "description": null
        }
      ],
      "files": [
        {
          "path": "artifacts/results.html",
          "kind": "artifact",
          "size": 13,
          "sha256": "b633a587c652d02386c4f16f8c6f6aab7352d97f16367c3c40576214372dd628"
        },
        {
          "path": "assets/templates/default.json",
          "kind": "asset",
          "size": 2,
          "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        },
        {
          "path": "tools/analyze.py",
          "kind": "python",
          "size": 39,
          "sha256": "73745cfb983cac2c83fe8dd3e6e93670f8c54cf1412036ef7a9049ef7f3b988e"
        },
        {
          "path": "tools/transform.py",
          "kind": "python",
          "size": 39,
          "sha256": "f99cf2a9d7c9c12fd92210a6d3c40aa7d9f014ec79f98fa9577430a921da773b"
        },
        {
          "path": "toolset.yaml",
          "kind": "config",
          "size": 1252,
          "sha256": "36fcde05399606fe4cfc2a0da47c522bf7527b3e8575faaa2554a975f8289912"
        }
      ]
    }
    "#);
    assert_eq!(plan.warnings(), ["keys that Satchel does not know, kept as they are: x-team"]);
}

/// R046
#[test]
fn an_archive_without_a_manifest_is_refused() {
    let bytes = archive::write(&BTreeMap::from([("tools/a.py".to_owned(), Vec::new())]));
    let error = Bundle::open(&bytes, &BundleLimits::default()).expect_err("is refused");
    assert_eq!(error.to_string(), "the bundle has no toolset.yaml at its top");
}

/// A folder that was packed as a whole is its contents.
#[test]
fn one_folder_around_everything_is_taken_off() {
    let packed = files(MY_TOOLSET).into_iter().map(|(path, bytes)| (format!("my-toolset-main/{path}"), bytes));
    let mut packed: BTreeMap<String, Vec<u8>> = packed.collect();
    packed.insert("__MACOSX/my-toolset-main/._toolset.yaml".into(), Vec::new());
    let bundle = open(&archive::write(&packed));
    assert_eq!(bundle.package(), open(&zip(MY_TOOLSET)).package());
    assert_eq!(
        bundle.warnings()[1],
        "left out, because it is only a system's or a tool's leftover: __MACOSX/my-toolset-main/._toolset.yaml"
    );
}

/// R061, R062
#[test]
fn folders_and_bare_manifests_are_bundles() {
    let limits = BundleLimits::default();
    let folder = Bundle::open_folder(files(MY_TOOLSET), &limits).expect("is a bundle");
    assert_eq!(folder.package(), open(&zip(MY_TOOLSET)).package());
    let origin = Origin { source_type: SourceType::Local, source_ref: Some("my-toolset".into()) };
    let plan = InstallPlan::new(folder, origin, None).expect("is not built in");
    let device = Device::new();
    let uid = || Uid::parse("0198c5a4-7c1e-7000-8000-00000000000b").expect("is a UUID");
    device.apply(plan.into_commit(Timestamp::from_millis(0), YES, uid).expect("is new"));
    assert_eq!(device.all::<Toolset>()[0].source_type, SourceType::Local);

    let bare = "manifest_version: '1'\nid: web\nname: Web\nversion: 1.0.0\nmcp_servers: [{id: s, url: 'https://x/mcp'}]\n\
                tool_overrides: [{tool_id: 's:search', name_override: Web Search}]";
    let device = Device::new();
    device.install(bare.as_bytes());
    assert_eq!(device.all::<ToolsetMcpServer>()[0].config["url"], "https://x/mcp");
    assert_eq!(device.all::<Package>()[0].manifest["tool_overrides"][0]["name_override"], "Web Search");

    let escape = Bundle::open_folder([("../x".to_owned(), Vec::new())], &limits).expect_err("is refused");
    assert_eq!(escape.to_string(), r#"the folder has a path that leaves the bundle by "." or "..": "../x""#);
    let large = BundleLimits { inflated_bytes: 10, ..limits.clone() };
    let error = Bundle::open_folder(files(MY_TOOLSET), &large).expect_err("is refused");
    assert_eq!(error.to_string(), "the folder has more than 10 bytes; raise \"size of a bundle\" in Settings");
    let error = Bundle::open(&zip(MY_TOOLSET), &large).expect_err("is refused");
    assert_eq!(error.to_string(), "the archive inflates to more than 10 bytes; raise \"size of a bundle\" in Settings");
    let few = BundleLimits { entries: 2, ..limits };
    let error = Bundle::open_folder(files(MY_TOOLSET), &few).expect_err("is refused");
    assert_eq!(
        error.to_string(),
        "the folder has 3 files, and the limit is 2; raise \"files of a bundle\" in Settings"
    );
}

/// R059: what is refused writes nothing, and what is written is written at once.
#[test]
fn an_import_is_one_commit() {
    let device = Device::new();
    let before = at_once(device.store.outbox()).expect("is read");
    assert!(Bundle::open(&zip(&MY_TOOLSET.replace("entrypoint", "entry")), &BundleLimits::default()).is_err());
    assert_eq!(at_once(device.store.outbox()).expect("is read"), before);
    // Another tab installed it meanwhile: the whole commit is refused.
    let plan = device.plan(&zip(MY_TOOLSET));
    device.install(&zip(&MY_TOOLSET.replace("My Toolset", "Theirs")));
    let rows = (device.all::<Tool>().len(), device.all::<Package>().len());
    let uid = || Uid::parse("0198c5a4-7c1e-7000-8000-00000000000b").expect("is a UUID");
    let commit = plan.into_commit(Timestamp::from_millis(2_000), YES, uid).expect("is new");
    at_once(device.store.apply(commit, Timestamp::from_millis(2_000))).expect_err("is refused");
    assert_eq!((device.all::<Tool>().len(), device.all::<Package>().len()), rows);
}

/// F10: a stored file that was damaged is sound again once the same bundle is imported.
#[test]
fn importing_the_same_again_heals_it() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let file =
        device.all::<ToolsetFile>().into_iter().find(|file| file.path == "artifacts/results.html").expect("is there");
    device.apply(Commit::default().blob(Blob::named(file.sha256, b"<html>?/html>".to_vec())));
    let rows = || (device.all::<Toolset>(), device.all::<Package>(), device.all::<Tool>(), device.all::<ToolsetFile>());
    let before = rows();
    // A row that is gone comes back as well where the user asks for it, and the others stay what they were.
    device.apply(Commit::default().delete(RowRef::of(&file)).delete(RowRef::of(&before.1[0])));
    assert_eq!(device.install(&zip(MY_TOOLSET)), Outcome::Same);
    assert_eq!(at_once(device.store.blob(file.sha256)).expect("is read"), Some(b"<html></html>".to_vec()));
    assert_ne!(rows(), before);
    assert_eq!(device.try_install(&zip(MY_TOOLSET), REPLACE), Ok(Outcome::Same));
    assert_eq!(rows(), before);
}

/// R067, C51
#[test]
fn importing_again_depends_on_what_is_there() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    assert_eq!(device.install(&zip(&format!("# a comment\n{MY_TOOLSET}"))), Outcome::Same);

    let other = zip(&MY_TOOLSET.replace("name: My Toolset", "name: Mine"));
    let error = device.try_install(&other, YES).expect_err("is refused");
    assert_eq!(
        error.to_string(),
        "my-toolset 1.0.0 is installed with other contents; 1.0.0 takes its place only if you choose to replace it"
    );
    assert_eq!(device.all::<Toolset>()[0].name, "My Toolset");
    assert_eq!(device.try_install(&other, REPLACE), Ok(Outcome::Conflict));
    assert_eq!(device.all::<Toolset>()[0].name, "Mine");

    let newer = zip(&MY_TOOLSET.replace("1.0.0", "1.10.0"));
    assert_eq!(device.install(&newer), Outcome::Upgrade { from: "1.0.0".into() });
    let older = zip(&MY_TOOLSET.replace("1.0.0", "1.9.0"));
    assert!(device.try_install(&older, YES).is_err());
    assert_eq!(device.try_install(&older, REPLACE), Ok(Outcome::Downgrade { from: "1.10.0".into() }));
}

/// C51, C02: an upgrade changes what the author wrote and nothing of the user's.
#[test]
fn an_upgrade_keeps_what_the_user_changed() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let there = device.installed("my-toolset").expect("is installed");
    let off = Toolset { enabled: false, ..there.toolset.clone() };
    let server_off = ToolsetMcpServer { enabled: false, ..there.servers[0].clone() };
    let mine = ToolOverride { name_override: Some("Mine".into()), ..an_override("analyze_data") };
    device.apply(Commit::default().change(&there.toolset, &off).change(&there.servers[0], &server_off).put(&mine));

    let newer = MY_TOOLSET.replace("1.0.0", "2.0.0").replace("my-mcp-package", "other-package");
    device.install(&zip(&newer));
    let after = device.installed("my-toolset").expect("is installed");
    assert_eq!((after.toolset.version.as_str(), after.toolset.enabled), ("2.0.0", false));
    assert_eq!(after.toolset.uid, there.toolset.uid);
    assert_eq!(after.tools[0].uid, there.tools[0].uid);
    assert!(!after.servers[0].enabled);
    assert_eq!(after.servers[0].config["args"][1], "other-package");
    assert_eq!(device.all::<ToolOverride>(), [mine]);

    let without = &newer[..newer.find("# Optional").expect("is there")].replace("2.0.0", "3.0.0");
    device.install(&zip(without));
    assert_eq!(device.all::<ToolsetMcpServer>(), []);
}

/// R057: a server that nobody was shown is off, and goes off when it becomes another one.
#[test]
fn servers_nobody_agreed_to_are_off() {
    let device = Device::new();
    let unseen = Decision { connect: false, ..YES };
    let switch = || device.installed("my-toolset").expect("is installed").servers[0].enabled;
    device.try_install(&zip(MY_TOOLSET), unseen).expect("is new");
    assert!(!switch());
    let server = device.installed("my-toolset").expect("is installed").servers[0].clone();
    device.apply(Commit::default().change(&server, &ToolsetMcpServer { enabled: true, ..server.clone() }));
    device.try_install(&zip(&MY_TOOLSET.replace("1.0.0", "1.1.0")), unseen).expect("is newer");
    assert!(switch());
    let other = MY_TOOLSET.replace("1.0.0", "1.2.0").replace("my-mcp-package", "other-package");
    device.try_install(&zip(&other), unseen).expect("is newer");
    assert!(!switch());
}

/// C50: what was uninstalled is new again, under its old second name.
#[test]
fn an_uninstalled_toolset_is_installed_anew() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let there = device.installed("my-toolset").expect("is installed").toolset;
    let gone = Toolset { soft_deleted_at: Some(Timestamp::from_millis(5)), enabled: false, ..there.clone() };
    device.apply(Commit::default().change(&there, &gone));
    assert_eq!(device.install(&zip(MY_TOOLSET)), Outcome::New);
    assert_eq!(device.all::<Toolset>(), [there]);
}

#[test]
fn a_built_in_toolset_is_not_replaced() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let mut there = device.installed("my-toolset").expect("is installed");
    there.toolset.is_built_in = true;
    let error = InstallPlan::new(open(&zip(MY_TOOLSET)), from_zip(), Some(there)).expect_err("is refused");
    assert_eq!(error.to_string(), "my-toolset is built in and cannot be replaced by a bundle");
}

#[test]
fn keys_of_rows_are_of_the_package() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let package = device.all::<Package>()[0].package.to_string();
    assert_eq!(device.all::<Tool>()[0].key(), RowKey::of([&package, "my-toolset:analyze_data"]));
}

/// R024: a slug and version are one tool's within a toolset, and may be another's elsewhere.
#[test]
fn two_toolsets_may_have_a_tool_of_one_name() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    device.install(&zip(&MY_TOOLSET.replace("id: my-toolset", "id: other-toolset")));
    let named = |toolset: &str| {
        let tools = device.all::<Tool>().into_iter();
        let of = |tool: &Tool| tool.toolset_id.as_ref().is_some_and(|id| id.as_str() == toolset);
        tools.filter(of).map(|tool| (tool.slug, tool.version)).collect::<Vec<_>>()
    };
    assert!(!named("my-toolset").is_empty());
    assert_eq!(named("my-toolset"), named("other-toolset"));
}

/// R025, C29: what a toolset was made at stays; an upgrade changes it, its switch does not.
#[test]
fn times_tell_structural_changes() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let toolset = || device.all::<Toolset>().remove(0);
    let tools = || device.all::<Tool>();
    let before = (toolset(), tools());
    device.apply(crate::catalog::set_enabled(&before.0, false));
    assert!(!toolset().enabled);
    assert_eq!((toolset().created_at, toolset().modified_at), (before.0.created_at, before.0.modified_at));
    assert_eq!(tools(), before.1);

    let plan = device.plan(&zip(&MY_TOOLSET.replace("version: \"1.0.0\"", "version: \"1.1.0\"")));
    assert!(matches!(plan.outcome(), Outcome::Upgrade { .. }), "{:?}", plan.outcome());
    let later = Timestamp::from_millis(9_000_000_000_000);
    let uid = || Uid::parse("0198c5a4-7c1e-7000-8000-00000000ffff").expect("is a UUID");
    device.apply(plan.into_commit(later, YES, uid).expect("is an upgrade"));
    assert_eq!((toolset().created_at, toolset().modified_at), (before.0.created_at, later));
    let upgraded: Vec<Tool> = tools().into_iter().filter(|tool| tool.package == toolset().package).collect();
    assert!(!upgraded.is_empty());
    for tool in upgraded {
        let was = before.1.iter().find(|was| was.tool_id == tool.tool_id).expect("was there");
        assert_eq!((tool.created_at, tool.modified_at, &tool.uid), (was.created_at, later, &was.uid));
    }
}

/// R030: what is changed about a tool or a server that is gone stays as it is.
#[test]
fn what_names_something_that_is_gone_stays() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let kept = an_override("analyze_data");
    device.apply(Commit::default().put(&kept));
    let without =
        MY_TOOLSET.replace("version: \"1.0.0\"", "version: \"1.1.0\"").replace("id: analyze_data", "id: analyze_more");
    device.install(&zip(&without));
    assert_eq!(device.all::<ToolOverride>(), [kept]);
}
