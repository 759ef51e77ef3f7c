//! Requests and answers, over a store in memory.

mod apart;
mod built_in;
mod bundles;
mod chats;
mod checking;
mod documented;
mod executing;
mod meddling;
mod previews;
mod routing;
mod saved_toolsets;
mod servers;
mod stopping;
mod tool_bundles;
mod tool_search;
mod tool_versions;
mod tools;
mod toolsets;
mod workspace;

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::Value;

use super::{LocalApiLimits, Request, Response, World, answer};
use crate::at_once::at_once;
use crate::bundle::archive;
use crate::catalog::{Surroundings, ToolShelf};
use crate::http_tool::scripted::ScriptedHttp;
use crate::ids::DeviceId;
use crate::store::{Commit, MemoryStore, Store};
use crate::time::Timestamp;

/// A toolset with a bit of everything.
const MANIFEST: &str = r#"
manifest_version: "1"
id: my-toolset
name: My Toolset
version: 1.0.0
description: Counts things
tools:
  - id: count
    name: Count
    description: Counts the lines of a file
    entrypoint: tools.count:run
    category: analysis
    tags: [text]
    input_schema: {type: object, properties: {path: {type: string}}, required: [path]}
    renderer: {type: html, artifact: artifacts/count.html, data: "$return"}
  - id: ask
    name: Ask
    entrypoint: tools.count:ask
    requires_confirmation: true
tool_overrides:
  - {tool_id: ask, name_override: Ask them}
mcp_servers:
  - {id: program, command: npx, args: ["-y", "server"]}
"#;

const HOUR: u64 = 60 * 60 * 1_000;

fn zip(manifest: &str) -> Vec<u8> {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    archive::write(&BTreeMap::from([
        file("toolset.yaml", manifest),
        file("tools/count.py", "def run(workspace, path): return {}\ndef ask(workspace): return {}\n"),
        file("artifacts/count.html", "<html></html>"),
    ]))
}

/// A small manifest that declares tools of these ids.
fn manifest(id: &str, tools: &[&str]) -> String {
    let tools: String = tools.iter().map(|tool| format!("  - {{id: {tool}, entrypoint: \"a:{tool}\"}}\n")).collect();
    format!("manifest_version: '1'\nid: {id}\nname: {id}\nversion: 1.0.0\ntools:\n{tools}")
}

/// A device that is asked; its clock stands until it is moved, and its ids are counted.
struct Device {
    store: MemoryStore,
    now: Cell<u64>,
    ids: Cell<u32>,
    surroundings: Surroundings,
    limits: LocalApiLimits,
    http: ScriptedHttp,
    shelf: ToolShelf,
}

impl Device {
    fn new() -> Self {
        let id = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        Self {
            store: MemoryStore::new(id),
            now: Cell::new(1_000),
            ids: Cell::new(0),
            surroundings: Surroundings::default(),
            limits: LocalApiLimits::default(),
            http: ScriptedHttp::default(),
            shelf: ToolShelf::default(),
        }
    }

    /// One with [`MANIFEST`] installed.
    fn with_toolset() -> Self {
        let device = Self::new();
        device.ask("POST", "/local/toolsets/import", &zip(MANIFEST)).is(201);
        device
    }

    fn ask(&self, method: &str, url: &str, body: &[u8]) -> Asked {
        self.ask_over(&self.store, method, url, body)
    }

    fn ask_over(&self, store: &impl Store, method: &str, url: &str, body: &[u8]) -> Asked {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let request = Request { method: method.into(), path: path.into(), query: query.into(), body: body.to_vec() };
        Asked(at_once(self.in_world(async |world| answer(store, world, request).await)))
    }

    async fn in_world<T>(&self, run: impl AsyncFnOnce(&World<'_>) -> T) -> T {
        let fresh_id = || {
            self.ids.set(self.ids.get() + 1);
            format!("0198c5a4-7c1e-7000-8000-{:012}", self.ids.get())
        };
        let world = World {
            now: Timestamp::from_millis(self.now.get()),
            fresh_id: &fresh_id,
            surroundings: &self.surroundings,
            limits: &self.limits,
            tools: None,
            shelf: Some(&self.shelf),
        };
        run(&world).await
    }

    fn get(&self, url: &str) -> Value {
        self.ask("GET", url, b"").is(200)
    }

    fn apply(&self, commit: Commit) {
        at_once(self.store.apply(commit, Timestamp::from_millis(self.now.get()))).expect("the commit fits");
    }

    /// The list of toolsets without those that are always there.
    fn installed(&self) -> Value {
        let mut list = self.get("/local/toolsets");
        let toolsets = list["toolsets"].as_array_mut().expect("is a list");
        toolsets.retain(|toolset| toolset["source_type"] != "builtin");
        list
    }

    /// A new chat's id.
    fn chat(&self) -> String {
        text(&self.ask("POST", "/local/chats", b"").is(201)["id"])
    }
}

/// What a device answered.
struct Asked(Response);

impl Asked {
    /// The body of an answer of this status.
    fn is(&self, status: u16) -> Value {
        let body = String::from_utf8_lossy(&self.0.body);
        assert_eq!(self.0.status, status, "{body}");
        if body.is_empty() { Value::Null } else { serde_json::from_str(&body).expect("is JSON") }
    }

    /// Checks that it is a refusal with this code and sentence; gives what it is about.
    fn refuses(&self, status: u16, code: &str, message: &str) -> Option<String> {
        let error = self.is(status)["error"].take();
        assert_eq!((text(&error["code"]).as_str(), text(&error["message"]).as_str()), (code, message));
        error.get("path").map(text)
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("is a text").to_owned()
}
