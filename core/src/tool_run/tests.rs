//! Calls from end to end, over a store in memory and a Python that plays a script.

mod again;
mod approving;
mod built_in;
mod ending_badly;
mod http_tools;
mod in_rounds;
mod mcp_servers;
mod recording;
mod speaking;
mod stopping;
mod turns;

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::counted_turns::CountedTurns;
use super::{Finished, Permission, RunError, RunLimits, RunOutcome, RunRequest, Runner};
use crate::bundle::{Bundle, BundleLimits, Decision, InstallPlan, Origin, archive};
use crate::catalog::{InstalledToolset, Surroundings, ToolsetId};
use crate::conversation::OpenChat;
use crate::http_tool::scripted::ScriptedHttp;
use crate::ids::{ChatId, DeviceId, ToolCallId, Uid};
use crate::mcp::scripted::ScriptedServers;
use crate::python::scripted::ScriptedPython;
use crate::record::{Record, RowKey, SourceType, Table, ToolCall, WorkspaceManifest};
use crate::store::{Commit, MemoryStore, Store, get};
use crate::time::Timestamp;
use crate::workspace::{Trees, flatten, inspect, read};

const MANIFEST: &str = r#"
manifest_version: "1"
id: mine
name: Mine
version: 1.0.0
network: {hosts: [api.example.com]}
tools:
  - id: count
    entrypoint: tools.count:run
    input_schema: {type: object, properties: {path: {type: string}, limit: {type: integer}}, required: [path]}
    output_schema: {type: object, properties: {rows: {type: integer}}}
    renderer: {type: code, file: "$args.path"}
    timeout_seconds: 5
  - {id: ask, entrypoint: "tools.count:ask", requires_confirmation: true, input_schema: {type: object, properties: {n: {type: integer}}}}
  - {id: undescribed, entrypoint: "tools.count:other"}
  - {id: undescribed_ask, entrypoint: "tools.count:another", requires_confirmation: true}
"#;

/// A device with one toolset; its clock goes one second with every look, and its ids are counted.
struct Device {
    store: MemoryStore,
    python: ScriptedPython,
    servers: ScriptedServers,
    http: ScriptedHttp,
    now: Cell<u64>,
    ids: Cell<u32>,
    limits: RunLimits,
    surroundings: Surroundings,
    turns: CountedTurns,
}

impl Device {
    fn new() -> Self {
        let id = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let device = Self {
            store: MemoryStore::new(id),
            python: ScriptedPython::default(),
            servers: ScriptedServers::default(),
            http: ScriptedHttp::default(),
            now: Cell::new(0),
            ids: Cell::new(0),
            limits: RunLimits::default(),
            surroundings: Surroundings::default(),
            turns: CountedTurns::default(),
        };
        device.install(MANIFEST);
        device
    }

    fn install(&self, manifest: &str) {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let zip = archive::write(&BTreeMap::from([
            file("toolset.yaml", manifest),
            file("tools/count.py", "def run(workspace, path): return {}\n"),
            file("wheels/attrs-1-py3-none-any.whl", "PK"),
        ]));
        let bundle = Bundle::open(&zip, &BundleLimits::default()).expect("is a bundle");
        let installed = at_once(InstalledToolset::find(&self.store, "mine")).expect("memory does not fail");
        let origin = Origin { source_type: SourceType::Zip, source_ref: None };
        let plan = InstallPlan::new(bundle, origin, installed.map(InstalledToolset::into_installed)).expect("is fine");
        let decision = Decision { enabled: true, connect: true, replace: true };
        let uid = || Uid::parse(self.fresh()).expect("is a UUID");
        self.apply(plan.into_commit(Timestamp::from_millis(1), decision, uid).expect("is new or newer"));
    }

    fn fresh(&self) -> String {
        self.ids.set(self.ids.get() + 1);
        format!("0198c5a4-7c1e-7000-8000-{:012}", self.ids.get())
    }

    fn apply(&self, commit: Commit) {
        at_once(self.store.apply(commit, Timestamp::from_millis(self.now.get()))).expect("the commit fits");
    }

    fn request(&self, tool: &str, arguments: Value) -> RunRequest {
        RunRequest {
            id: ToolCallId::parse(self.fresh()).expect("is a UUID"),
            call_id: None,
            toolset: "mine".into(),
            tool: tool.into(),
            arguments,
            chat: None,
            message: None,
            spoken: None,
            permission: Permission::Unasked,
        }
    }

    fn try_run_over(&self, store: &impl Store, request: RunRequest) -> Result<RunOutcome, RunError> {
        let now = || {
            self.now.set(self.now.get() + 1_000);
            Timestamp::from_millis(self.now.get())
        };
        let runner = Runner {
            store,
            python: &self.python,
            servers: &self.servers,
            http: &self.http,
            turns: &self.turns,
            surroundings: &self.surroundings,
            limits: &self.limits,
            now: &now,
            fresh_id: &|| self.fresh(),
        };
        at_once(runner.run(request))
    }

    fn try_run(&self, request: RunRequest) -> Result<RunOutcome, RunError> {
        self.try_run_over(&self.store, request)
    }

    /// A call that is over, and everything sound after it.
    fn run(&self, request: RunRequest) -> Finished {
        let outcome = self.try_run(request).expect("it is recorded");
        self.is_sound();
        match outcome {
            RunOutcome::Finished(finished) => *finished,
            RunOutcome::ApprovalNeeded(request) => unreachable!("{request:?}"),
        }
    }

    /// A call of a built-in tool.
    fn built_in(&self, tool: &str, arguments: Value) -> Finished {
        self.run(RunRequest { toolset: "builtin".into(), ..self.request(tool, arguments) })
    }

    fn count(&self, path: &str) -> Finished {
        self.run(self.request("count", json!({"path": path})))
    }

    fn call(&self, id: &ToolCallId) -> ToolCall {
        self.get(RowKey::one(id.as_str())).expect("is recorded")
    }

    fn get<R: Record>(&self, key: RowKey) -> Option<R> {
        at_once(get(&self.store, key)).expect("memory does not fail")
    }

    fn manifest(&self, id: &Option<crate::ids::ManifestId>) -> WorkspaceManifest {
        self.get(RowKey::one(id.as_ref().expect("is set").as_str())).expect("is stored")
    }

    /// The files of a state, as texts.
    fn files(&self, id: &Option<crate::ids::ManifestId>) -> BTreeMap<String, String> {
        let root = self.manifest(id).root;
        let files = at_once(read(&self.store, &mut Trees::default(), |trees| flatten(trees, root))).expect("is sound");
        let text = |sha256| {
            let bytes = at_once(self.store.blob(sha256)).expect("memory does not fail").expect("is stored");
            String::from_utf8(bytes).expect("is a text")
        };
        files.into_iter().map(|(path, file)| (path.to_string(), text(file.sha256))).collect()
    }

    /// The files that the chat shows now.
    fn shown(&self, chat: &ChatId) -> BTreeMap<String, String> {
        let open = at_once(OpenChat::open(&self.store, chat)).expect("memory does not fail").expect("is there");
        let manifest = open.heads.manifest_at(&open.tree, &open.leaf).cloned();
        manifest.map(|id| self.files(&Some(id))).unwrap_or_default()
    }

    fn rows(&self, table: Table) -> usize {
        at_once(self.store.rows(table)).expect("memory does not fail").len()
    }

    fn is_sound(&self) {
        let report = at_once(inspect(&self.store, |_| true)).expect("memory does not fail").expect("was not stopped");
        assert_eq!(report.findings, vec![], "after a call everything fits together");
    }
}

fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn toolset() -> ToolsetId {
    ToolsetId::parse("mine").expect("is a name")
}

/// Runs a future of the memory store, which never waits.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("memory never waits"),
    }
}
