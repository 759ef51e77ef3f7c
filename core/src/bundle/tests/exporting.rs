//! Rows become bundles, which become the same rows.

use std::collections::BTreeMap;

use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{Device, MY_TOOLSET, an_override, open, written_manifest, zip};
use crate::bundle::{Bundle, BundleLimits, MANIFEST_FILE, Manifest, Outcome, archive, yaml_writer};
use crate::record::{Package, RendererKind, Tool, ToolOverride, ToolRenderConfig, Toolset, ToolsetMcpServer};
use crate::store::Commit;

/// R008, R063, R064, R066, C65
#[test]
fn an_export_imports_as_the_same() {
    let device = Device::new();
    device.install(&zip(MY_TOOLSET));
    let export = device.export("my-toolset");
    assert_eq!(export.file_name, "my-toolset-v1.0.0.zip");
    assert!(export.stripped.is_empty());
    assert_eq!(device.export("my-toolset"), export);
    assert_eq!(device.plan(&export.bytes).outcome(), &Outcome::Same);

    let elsewhere = Device::new();
    elsewhere.install(&export.bytes);
    assert_eq!(elsewhere.all::<Tool>(), device.all::<Tool>());
    assert_eq!(elsewhere.all::<ToolRenderConfig>(), device.all::<ToolRenderConfig>());
    assert_eq!(elsewhere.all::<ToolsetMcpServer>(), device.all::<ToolsetMcpServer>());
    assert_eq!(elsewhere.all::<Package>(), device.all::<Package>());
    // From here on even the bytes are the same.
    assert_eq!(elsewhere.export("my-toolset"), export);
    insta::assert_snapshot!(written_manifest(&export), @r#"
    manifest_version: "1"
    id: my-toolset
    name: My Toolset
    version: "1.0.0"
    description: Example toolset with analysis tools
    tools:
      - id: analyze_data
        name: Analyze Data
        description: Analyze a data file and return statistics
        entrypoint: "tools.analyze:run"
        category: analysis
        input_schema:
          type: object
          properties:
            filename:
              type: string
              description: File to analyze
          required:
            - filename
        requires_confirmation: false
        renderer:
          type: html
          artifact: artifacts/results.html
          data: "$return"
      - id: transform_file
        name: Transform File
        description: Transform a file using a template
        entrypoint: "tools.transform:run"
        category: transform
        input_schema:
          type: object
          properties:
            input:
              type: string
            output:
              type: string
            template:
              type: string
          required:
            - input
            - output
        renderer:
          type: code
          file: "$args.output"
          language: auto
          editable: true
    mcp_servers:
      - id: my-mcp-server
        command: npx
        args:
          - "-y"
          - my-mcp-package
        env:
          API_KEY: "${MY_API_KEY}"
    x-team: data
    "#);
}

/// R063: changes since the import; the user's overrides win field by field.
#[test]
fn an_export_has_what_was_changed() {
    let device = Device::new();
    let declared = "tool_overrides:\n  - {tool_id: analyze_data, name_override: Theirs, description_override: Kept, \
                    renderer: html, renderer_config: {artifact: artifacts/results.html}}\n";
    device.install(&zip(&format!("{MY_TOOLSET}{declared}")));
    let there = device.installed("my-toolset").expect("is installed");
    let renamed = Toolset { name: "Renamed".into(), ..there.toolset.clone() };
    let open_server = ToolsetMcpServer { requires_confirmation: false, ..there.servers[0].clone() };
    let mine = ToolOverride {
        name_override: Some("Mine".into()),
        renderer: Some(RendererKind::Document),
        ..an_override("analyze_data")
    };
    let hidden = ToolOverride { enabled: Some(false), ..an_override("my-mcp-server:drop") };
    let commit = Commit::default()
        .change(&there.toolset, &renamed)
        .change(&there.servers[0], &open_server)
        .put(&mine)
        .put(&hidden)
        .put(&an_override("transform_file"));
    device.apply(commit);

    let export = device.export("my-toolset");
    let manifest = open(&export.bytes).manifest().json.clone();
    assert_eq!(manifest["name"], "Renamed");
    assert_eq!(manifest["mcp_servers"][0]["requires_confirmation"], false);
    let expected = json!([
        {"tool_id": "analyze_data", "name_override": "Mine", "description_override": "Kept", "renderer": "document"},
        {"tool_id": "my-mcp-server:drop", "enabled": false},
    ]);
    assert_eq!(manifest["tool_overrides"], expected);
}

/// A toolset whose author wrote a secret into every place there is for one.
const LEAKY: &str = r#"
manifest_version: "1"
id: leaky
name: Leaky
version: 1.0.0
tools:
  - id: call
    type: http
    http:
      allowedHosts: [api.example.com]
      request:
        urlTemplate: "https://canary1:canary2@api.example.com/${city}?api_key=canary3&units=metric"
        headers: {Accept: text/html, X-Api-Key: canary4}
        query: {token: canary5, lang: de}
        auth: {type: bearer, valueTemplate: canary6}
      steps:
        - {name: two, request: {urlTemplate: "https://api.example.com/s/AbCd1234AbCd1234AbCd1234canary7/x", headers: {Cookie: canary8}}}
mcp_servers:
  - id: program
    command: docker
    args: [run, -e, "API_KEY=canary9", --token, canary10, "--secret=canary11", "https://u:canary12@host/", "sk-proj-canary13", image, "${KEPT}"]
    env: {PASSWORD: canary14, KEPT: "${OTHER}", MIXED: "postgres://u:canary15@${HOST}/db"}
    oauth: {client_secret: canary16}
  - id: remote
    url: "https://mcp.example.com/mcp?key=canary17#access_token=canary18"
    headers: {Authorization: "Bearer canary19", X-Kept: "Token ${REMOTE}", MCP-Protocol-Version: "2025-11-25"}
"#;

/// R065: whatever place a secret was put in, no byte of the archive has it. The rows have it here only because they are of
/// before the time when it was taken out on the way in.
#[test]
fn no_secret_is_exported() {
    let device = Device::new();
    device.install(LEAKY.as_bytes());
    let leaky = Manifest::parse(LEAKY.as_bytes(), &BundleLimits::default()).expect("is a manifest");
    let package = device.all::<Package>().remove(0);
    let mut commit = Commit::default().change(&package, &Package { manifest: leaky.json, ..package.clone() });
    for (row, server) in device.all::<ToolsetMcpServer>().iter().zip(&leaky.servers) {
        commit = commit.change(row, &ToolsetMcpServer { config: server.config.clone(), ..row.clone() });
    }
    device.apply(commit);
    let export = device.export("leaky");
    let text = written_manifest(&export);
    assert!(!text.contains("canary"), "{text}");
    insta::assert_snapshot!(text, @r#"
    manifest_version: "1"
    id: leaky
    name: Leaky
    version: "1.0.0"
    tools:
      - id: call
        type: http
        http:
          allowedHosts:
            - api.example.com
          request:
            urlTemplate: "https://${CALL_CREDENTIALS}@api.example.com/${city}?api_key=${CALL_API_KEY}&units=metric"
            headers:
              Accept: text/html
              X-Api-Key: "${CALL_X_API_KEY}"
            query:
              token: "${CALL_TOKEN}"
              lang: de
            auth:
              type: bearer
              valueTemplate: "${CALL_AUTH}"
          steps:
            - name: two
              request:
                urlTemplate: "https://api.example.com/s/${CALL_PATH_1}/x"
                headers:
                  Cookie: "${CALL_COOKIE}"
    mcp_servers:
      - id: program
        command: docker
        args:
          - run
          - "-e"
          - "API_KEY=${PROGRAM_API_KEY}"
          - "--token"
          - "${PROGRAM_TOKEN}"
          - "--secret=${PROGRAM_SECRET}"
          - "https://${PROGRAM_CREDENTIALS}@host/"
          - "${PROGRAM_ARGUMENT_7}"
          - image
          - "${KEPT}"
        env:
          PASSWORD: "${PASSWORD}"
          KEPT: "${OTHER}"
          MIXED: "${MIXED}"
        oauth:
          client_secret: "${PROGRAM_CLIENT_SECRET}"
      - id: remote
        url: "https://mcp.example.com/mcp?key=${REMOTE_KEY}#access_token=${REMOTE_ACCESS_TOKEN}"
        headers:
          Authorization: "Bearer ${REMOTE_AUTHORIZATION}"
          X-Kept: "Token ${REMOTE}"
          MCP-Protocol-Version: "2025-11-25"
    "#);
    insta::assert_json_snapshot!(export.stripped, @r#"
    [
      "mcp_servers.program.args",
      "mcp_servers.program.args",
      "mcp_servers.program.args",
      "mcp_servers.program.url",
      "mcp_servers.program.args",
      "mcp_servers.program.env.PASSWORD",
      "mcp_servers.program.env.MIXED",
      "mcp_servers.program.other.client_secret",
      "mcp_servers.remote.url",
      "mcp_servers.remote.url",
      "mcp_servers.remote.headers.Authorization",
      "tools.call.url",
      "tools.call.url",
      "tools.call.headers.X-Api-Key",
      "tools.call.query.token",
      "tools.call.auth.valueTemplate",
      "tools.call.url",
      "tools.call.headers.Cookie"
    ]
    "#);
    // It reads again, and asks for what was taken out.
    assert!(open(&export.bytes).manifest().secrets.iter().any(|secret| secret.name == "PASSWORD"));
}

/// I8: a secret that somebody wrote into a bundle is in no row and no blob, and asked for instead.
#[test]
fn no_secret_is_kept() {
    let bundle = open(LEAKY.as_bytes());
    let stored = String::from_utf8(bundle.files[MANIFEST_FILE].bytes.clone()).expect("is text");
    let kept = [stored, format!("{:?}", bundle.manifest())];
    assert!(kept.iter().all(|text| !text.contains("canary")), "{kept:?}");
    let wanted: Vec<&str> = bundle.manifest().secrets.iter().map(|secret| secret.name.as_str()).collect();
    assert!(["PASSWORD", "MIXED", "REMOTE_AUTHORIZATION", "CALL_AUTH"].iter().all(|name| wanted.contains(name)));
    assert_eq!(
        bundle.warnings().iter().find(|warning| warning.contains("PASSWORD")).map(String::as_str),
        Some(
            "toolset.yaml, mcp_servers.program.env.PASSWORD: a secret is written out here; it is not kept, and PASSWORD is \
             asked for instead"
        )
    );
    // The same file again is the same package, and so is what it is exported as.
    let device = Device::new();
    device.install(LEAKY.as_bytes());
    assert_eq!(device.install(LEAKY.as_bytes()), Outcome::Same);
    assert_eq!(open(&device.export("leaky").bytes).package(), bundle.package());
}

/// What an author set for everybody is no secret, and the toolset works with it.
#[test]
fn plain_settings_are_kept() {
    let head = "manifest_version: '1'\nid: plain\nname: Plain\nversion: 1.0.0\n";
    let env =
        "LOG_LEVEL: info, MAX_TOKENS: '4096', AUTH_ENABLED: 'true', BASE: 'https://example.com/v1', KEY: '${KEY}'";
    let text = format!(
        "{head}mcp_servers: [{{id: s, command: x, env: {{{env}}}}}, {{id: r, url: 'https://x/mcp', headers: {{X-Team: data}}}}]\n"
    );
    let bundle = open(text.as_bytes());
    assert_eq!(bundle.warnings(), [""; 0]);
    assert_eq!(bundle.files[MANIFEST_FILE].bytes, text.as_bytes());
}

/// Any value that JSON has.
fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[ -~\n]{0,20}",
        prop::sample::select(vec![
            "yes", "null", "~", "1e3", "0x1f", "- a", "a: b", "#", "&a", "*a", "!x", "|", "---", "<<", "1_000", "=",
            "."
        ])
        .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    /// R066: what an export writes is read as it was.
    #[test]
    fn yaml_reads_back_as_it_was(value in json_value()) {
        let whole = json!({"manifest_version": "1", "id": "a", "name": "A", "version": "1.0.0", "x": value});
        let text = yaml_writer::to_yaml(&whole);
        let read = Manifest::parse(text.as_bytes(), &BundleLimits::default());
        prop_assert_eq!(read.map(|manifest| manifest.json), Ok(whole), "{}", text);
    }

    /// F19: no bytes make the reader panic.
    #[test]
    fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..600_usize, with: u8) {
        let limits = BundleLimits::default();
        drop(Bundle::open(&bytes, &limits));
        let mut damaged = archive::write(&BTreeMap::from([("toolset.yaml".to_owned(), b"id: a".to_vec())]));
        let at = at % damaged.len();
        damaged[at] ^= with;
        drop(Bundle::open(&damaged, &limits));
    }
}
