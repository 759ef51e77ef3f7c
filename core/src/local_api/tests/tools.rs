//! Tools of all toolsets, in pages and one by one.

use serde_json::{Value, json};

use super::{Device, manifest, text};
use crate::bundle::archive;
use crate::catalog::{ToolId, ToolsetId};
use crate::digest::BlobId;
use crate::local_api::reading::{ToolItemRead, ToolsRead};
use crate::palette::{self, Findable};
use crate::record::{ToolMetrics, ToolOverride};
use crate::store::Commit;
use crate::time::Timestamp;

fn ids(body: &Value) -> Vec<String> {
    body["tools"].as_array().expect("is a list").iter().map(|tool| text(&tool["tool_id"])).collect()
}

/// A device on which nothing is to be seen but what is installed.
fn bare() -> Device {
    let device = Device::new();
    for id in ["builtin", "builtin-exa-web-search"] {
        device.ask("POST", &format!("/local/toolsets/{id}/enable"), br#"{"enabled": false}"#).is(200);
    }
    device
}

fn install(device: &Device, manifest: &str) {
    device.ask("POST", "/local/toolsets/import", manifest.as_bytes()).is(201);
}

fn switched_off(toolset: &str, tool: &str) -> ToolOverride {
    let unset = ToolOverride::unset(ToolsetId::parse(toolset).expect("is a name"), tool.into());
    ToolOverride { enabled: Some(false), ..unset }
}

/// R237: the tools of toolsets are among those that are available.
#[test]
fn tools_of_toolsets_are_listed() {
    let device = Device::with_toolset();
    insta::assert_json_snapshot!(device.get("/local/tools?bundleIDs=my-toolset"), @r#"
    {
      "tools": [
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
        },
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
        }
      ]
    }
    "#);
    assert_eq!(device.get("/local/tools/tools"), device.get("/local/tools"));
}

/// R235, as far as toolsets go: details have the type and the render config in effect; a tool goes by two names (C02).
#[test]
fn details_have_the_render_config() {
    let device = Device::with_toolset();
    let count = device.get("/local/tools/my-toolset:count");
    insta::assert_json_snapshot!(count, @r#"
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
      "available": true,
      "entrypoint": "tools.count:run",
      "http": null,
      "timeout_seconds": null,
      "created_at": "1970-01-01T00:00:01.000Z",
      "render_config": {
        "renderer": "html",
        "config": {
          "artifact": "artifacts/count.html",
          "data": "$return"
        }
      },
      "source": {
        "path": "tools/count.py",
        "sha256": "1bd6df3b37480cce1346fe63e2379bd5dd590cd9cb7ab649f0126392461ab7b6"
      },
      "pin": {
        "standing": "new"
      }
    }
    "#);
    assert_eq!(device.get("/local/tools/my-toolset%3Acount"), count);
    assert_eq!(device.get(&format!("/local/tools/{}", text(&count["uid"]))), count);
    assert_eq!(device.get("/local/tools/my-toolset:ask")["render_config"], Value::Null);
}

#[test]
fn a_tool_that_is_not_there_is_not_found() {
    let device = Device::with_toolset();
    let names = ["my-toolset:other", "other:count", "count", "mcp:my-toolset~program:x", "a:b:c"];
    for name in names {
        let message = format!("no installed toolset has a tool {name:?}");
        device.ask("GET", &format!("/local/tools/{name}"), b"").refuses(404, "not_found", &message);
    }
    device.ask("DELETE", "/local/toolsets/my-toolset", b"").is(204);
    device.ask("GET", "/local/tools/my-toolset:count", b"").is(404);
}

/// R250, as far as tools go: walking gives each tool once, also over equal times.
#[test]
fn pages_give_each_tool_once() {
    let device = bare();
    install(&device, &manifest("b", &["one", "two", "three"]));
    install(&device, &manifest("a", &["x", "y"]));
    let mut seen = Vec::new();
    let mut url = "/local/tools?recommendedPageSize=2".to_owned();
    let mut pages = 0;
    loop {
        let page = device.get(&url);
        seen.extend(ids(&page));
        pages += 1;
        let Some(token) = page.get("nextPageToken") else { break };
        url = format!("/local/tools?pageSize=2&pageToken={}", text(token));
    }
    assert_eq!((seen, pages), (["a:x", "a:y", "b:one", "b:three", "b:two"].map(str::to_owned).to_vec(), 3));
    assert!(device.get("/local/tools").get("nextPageToken").is_none());
    let asked = device.ask("GET", "/local/tools?pageSize=0", b"");
    let path = asked.refuses(400, "bad_request", "pageSize must be a whole number from 1 to 256");
    assert_eq!(path.as_deref(), Some("pageSize"));
    device.ask("GET", "/local/tools?pageToken=x", b"").is(400);
}

#[test]
fn a_page_has_25_tools_and_at_most_256() {
    let device = bare();
    let names: Vec<String> = (0..300).map(|number| format!("t{number:03}")).collect();
    install(&device, &manifest("many", &names.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(ids(&device.get("/local/tools")).len(), 25);
    assert_eq!(ids(&device.get("/local/tools?pageSize=1000")).len(), 256);
}

/// R026, R116: by tag, by toolset, and without what is switched off.
#[test]
fn filters_choose() {
    let device = Device::with_toolset();
    install(&device, &manifest("off", &["t"]));
    install(&device, &manifest("part", &["hidden", "shown"]));
    device.ask("POST", "/local/toolsets/off/enable", br#"{"enabled": false}"#).is(200);
    device.apply(Commit::default().put(&switched_off("part", "hidden")));
    let check = |query: &str, expected: &[&str]| {
        let mut found = ids(&device.get(&format!("/local/tools{query}")));
        found.retain(|id| id.contains(':') && !id.starts_with("builtin-exa"));
        assert_eq!(found, expected, "{query}")
    };
    check("", &["my-toolset:ask", "my-toolset:count", "part:shown"]);
    let all = ["my-toolset:ask", "my-toolset:count", "off:t", "part:hidden", "part:shown"];
    check("?includeDisabled=true", &all);
    check("?tags=text", &["my-toolset:count"]);
    check("?tags=other,text", &["my-toolset:count"]);
    check("?tags=other", &[]);
    check("?bundleIDs=part&includeDisabled=true", &["part:hidden", "part:shown"]);
    let uid = text(&device.get("/local/toolsets/off")["toolset"]["uid"]);
    check(&format!("?bundleIDs=part,{uid}&includeDisabled=true"), &["off:t", "part:hidden", "part:shown"]);
    check("?bundleIDs=none", &[]);
    device.ask("GET", "/local/tools?includeDisabled=1", b"").is(400);
    let hidden = device.get("/local/tools/part:hidden");
    assert_eq!((&hidden["enabled"], &hidden["unavailable_reason"]), (&json!(false), &json!("Disabled in settings")));
}

/// R086, C53, C54: the switch of one tool, in every toolset; while the toolset is off it stays as it is.
#[test]
fn one_tool_is_switched() {
    let device = Device::with_toolset();
    let url = "/local/toolsets/my-toolset/tools/count/enable";
    let off = device.ask("POST", url, br#"{"enabled": false}"#).is(200);
    assert_eq!((&off["enabled"], &off["available"]), (&json!(false), &json!(false)));
    assert_eq!(ids(&device.get("/local/tools?bundleIDs=my-toolset")), ["my-toolset:ask"]);
    device.ask("POST", "/local/toolsets/my-toolset/enable", br#"{"enabled": false}"#).is(200);
    let message = "my-toolset is switched off; switch it on first, then its tools";
    device.ask("POST", url, br#"{"enabled": true}"#).refuses(409, "unavailable", message);
    device.ask("POST", "/local/toolsets/my-toolset/enable", br#"{"enabled": true}"#).is(200);
    assert_eq!(device.get("/local/tools/my-toolset:count")["enabled"], json!(false));
    device.ask("POST", url, br#"{"enabled": true}"#).is(200);
    assert_eq!(ids(&device.get("/local/tools?bundleIDs=my-toolset")).len(), 2);
    let message = "the toolset my-toolset has no tool \"other\"";
    device.ask("POST", &url.replace("count", "other"), br#"{"enabled": true}"#).refuses(404, "not_found", message);
}

/// R253: of tools that match alike, the one that was called or changed last comes first, by what the list says.
#[test]
fn the_list_says_how_recent_a_tool_is() {
    let device = bare();
    for (at, id) in [(2_000, "a"), (3_000, "b")] {
        device.now.set(at);
        install(&device, &manifest(id, &["report"]));
    }
    let found = |device: &Device| -> Vec<String> {
        let listed: ToolsRead = serde_json::from_value(device.get("/local/tools")).expect("reads");
        let findable = |tool: &ToolItemRead| i64::try_from(tool.recent().as_millis()).expect("is small");
        let tools: Vec<Findable<'_>> = (listed.tools.iter())
            .map(|tool| Findable {
                slug: &tool.slug,
                name: &tool.name,
                group: "",
                description: "",
                category: "",
                tags: &[],
                recent: findable(tool),
            })
            .collect();
        palette::rank("report", &tools).into_iter().map(|at| listed.tools[at].tool_id.clone()).collect()
    };
    assert_eq!(found(&device), ["b:report", "a:report"]);
    let tool_id = ToolId::parse("a:report").expect("is a tool id");
    let last_called_at = Some(Timestamp::from_millis(4_000));
    let counted = ToolMetrics {
        tool_id,
        calls: 1,
        errors: 0,
        total_millis: 1,
        longest_millis: 1,
        last_called_at,
        recent: Vec::new(),
    };
    device.apply(Commit::default().put(&counted));
    assert_eq!(found(&device), ["a:report", "b:report"]);
}

/// C33: the source is the file that Python would import: at the root or under `tools/`, a module or a package.
#[test]
fn the_source_of_a_tool_is_found() {
    let device = bare();
    let manifest = "manifest_version: '1'\nid: s\nname: S\nversion: 1.0.0\ntools:\n\
                    \x20 - {id: module, entrypoint: 'plain:run'}\n\
                    \x20 - {id: below, entrypoint: 'under:run'}\n\
                    \x20 - {id: package, entrypoint: 'pack:run'}\n\
                    \x20 - {id: absent, entrypoint: 'nowhere:run'}\n";
    let files = ["plain.py", "tools/plain.py", "tools/under.py", "tools/pack/__init__.py", "tools/pack.py"];
    let files = files.map(|path| (path.to_owned(), path.as_bytes().to_vec()));
    let toolset = ("toolset.yaml".to_owned(), manifest.as_bytes().to_vec());
    let bundle = archive::write(&files.into_iter().chain([toolset]).collect());
    device.ask("POST", "/local/toolsets/import", &bundle).is(201);
    let source = |tool: &str| device.get(&format!("/local/tools/s:{tool}"))["source"].take();
    assert_eq!(source("module"), json!({"path": "plain.py", "sha256": BlobId::of(b"plain.py")}));
    assert_eq!(source("below")["path"], json!("tools/under.py"));
    assert_eq!(source("package")["path"], json!("tools/pack/__init__.py"));
    assert_eq!(source("absent"), Value::Null);
}
