//! From bytes to rows and back: a device that installs and exports.

mod exporting;
mod importing;

use std::cell::Cell;

use super::*;
use crate::at_once::at_once;
use crate::ids::{DeviceId, Uid};
use crate::record::{Package, Record, RowRef, SourceType, Tool, ToolOverride, Toolset, ToolsetFile, ToolsetMcpServer};
use crate::store::{Commit, MemoryStore, Store as _, list};
use crate::time::Timestamp;

/// A small toolset, as its author may have written it.
const MY_TOOLSET: &str = r#"
manifest_version: "1"

id: my-toolset
name: My Toolset
version: "1.0.0"
description: Example toolset with analysis tools

tools:
  - id: analyze_data
    name: Analyze Data
    description: Analyze a data file and return statistics
    entrypoint: tools.analyze:run
    category: analysis
    input_schema:
      type: object
      properties:
        filename:
          type: string
          description: File to analyze
      required: [filename]
    requires_confirmation: false
    renderer:
      type: html
      artifact: artifacts/results.html
      data: "$return"

  - id: transform_file
    name: Transform File
    description: Transform a file using a template
    entrypoint: tools.transform:run
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
      required: [input, output]
    renderer:
      type: code
      file: "$args.output"
      language: auto
      editable: true

# Optional: MCP servers to install
mcp_servers:
  - id: my-mcp-server
    command: npx
    args: ["-y", "my-mcp-package"]
    env:
      API_KEY: "${MY_API_KEY}"  # Reference environment variable
x-team: data
"#;

/// The App Builder of seed 000 §10, shortened in its schemas.
const APP_BUILDER: &str = r#"
manifest_version: "1"
id: app-builder
name: App Builder
version: "1.0.0"
description: Build and preview web applications
tools:
  - id: write_file
    name: Write File
    description: Write content to a file in the workspace
    entrypoint: tools.files:write_file
    category: files
    input_schema:
      type: object
      properties: {path: {type: string}, content: {type: string}}
      required: [path, content]
    renderer: {type: code, file: "$args.path", language: auto, editable: true}
  - id: read_file
    name: Read File
    description: Read a file from the workspace
    entrypoint: tools.files:read_file
    category: files
    input_schema: {type: object, properties: {path: {type: string}}, required: [path]}
    renderer: {type: code, file: "$args.path", language: auto}
  - id: run_command
    name: Run Command
    description: Run a shell command in the workspace
    entrypoint: tools.shell:run_command
    category: shell
    input_schema: {type: object, properties: {command: {type: string}}, required: [command]}
    requires_confirmation: true
    renderer: {type: code, content: "$return.output", language: shell}
"#;

fn files(manifest: &str) -> BTreeMap<String, Vec<u8>> {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    BTreeMap::from([
        file("toolset.yaml", manifest),
        file("tools/analyze.py", "def run(workspace, filename): return {}"),
        file("tools/transform.py", "def run(workspace, **kwargs): return {}"),
        file("artifacts/results.html", "<html></html>"),
        file("assets/templates/default.json", "{}"),
    ])
}

fn zip(manifest: &str) -> Vec<u8> {
    archive::write(&files(manifest))
}

fn open(bytes: &[u8]) -> Bundle {
    Bundle::open(bytes, &BundleLimits::default()).expect("is a bundle")
}

fn from_zip() -> Origin {
    Origin { source_type: SourceType::Zip, source_ref: Some("my-toolset.zip".into()) }
}

const YES: Decision = Decision { enabled: true, connect: true, replace: false };
const REPLACE: Decision = Decision { enabled: true, connect: true, replace: true };

/// A device with a store, a clock that stands and ids that are counted.
struct Device {
    store: MemoryStore,
    uids: Cell<u32>,
}

impl Device {
    fn new() -> Self {
        let id = DeviceId::parse("0198c5a4-7c1e-7000-8000-00000000000a").expect("is a UUID");
        Self { store: MemoryStore::new(id), uids: Cell::new(0) }
    }

    fn all<R: Record>(&self) -> Vec<R> {
        at_once(list(&self.store)).expect("is read").into_iter().collect::<Result<_, _>>().expect("is read")
    }

    fn apply(&self, commit: Commit) {
        at_once(self.store.apply(commit, Timestamp::from_millis(1_000))).expect("is applied");
    }

    fn installed(&self, id: &str) -> Option<Installed> {
        let toolset = self.all::<Toolset>().into_iter().find(|toolset| toolset.id.as_str() == id)?;
        let row = at_once(self.store.row(&RowRef::of(&toolset))).expect("is read")?;
        Some(Installed {
            stamp: row.stamp().cloned(),
            tools: self.all::<Tool>().into_iter().filter(|tool| tool.package == toolset.package).collect(),
            servers: self.all::<ToolsetMcpServer>().into_iter().filter(|row| row.toolset_id == toolset.id).collect(),
            package: self.all::<Package>().into_iter().find(|row| row.package == toolset.package),
            toolset,
        })
    }

    fn plan(&self, bytes: &[u8]) -> InstallPlan {
        let bundle = open(bytes);
        let installed = self.installed(bundle.manifest().id.as_str());
        InstallPlan::new(bundle, from_zip(), installed).expect("is not built in")
    }

    fn try_install(&self, bytes: &[u8], decision: Decision) -> Result<Outcome, ReplaceNeeded> {
        let plan = self.plan(bytes);
        let outcome = plan.outcome().clone();
        let uid = || {
            self.uids.set(self.uids.get() + 1);
            Uid::parse(format!("0198c5a4-7c1e-7000-8000-{:012}", self.uids.get())).expect("is a UUID")
        };
        self.apply(plan.into_commit(Timestamp::from_millis(1_000), decision, uid)?);
        Ok(outcome)
    }

    fn install(&self, bytes: &[u8]) -> Outcome {
        self.try_install(bytes, YES).expect("is installed")
    }

    fn export(&self, id: &str) -> Export {
        let Installed { toolset, servers, .. } = self.installed(id).expect("is installed");
        let package = self.all::<Package>().into_iter().find(|row| row.package == toolset.package).expect("is there");
        let files = (self.all::<ToolsetFile>().into_iter().filter(|file| file.package == toolset.package))
            .map(|file| (file.path, at_once(self.store.blob(file.sha256)).expect("is read").expect("is stored")))
            .collect();
        let overrides = self.all::<ToolOverride>();
        let source =
            ExportSource { toolset: &toolset, package: &package, files, overrides: &overrides, servers: &servers };
        export(source).expect("is exported")
    }
}

fn written_manifest(export: &Export) -> String {
    let files = archive::read(&export.bytes, &BundleLimits::default(), &mut |_, _| {}).expect("is read");
    String::from_utf8(files.by_path[MANIFEST_FILE].clone()).expect("is text")
}

fn an_override(tool_id: &str) -> ToolOverride {
    ToolOverride {
        toolset_id: crate::catalog::ToolsetId::parse("my-toolset").expect("is an id"),
        tool_id: tool_id.into(),
        renderer: None,
        renderer_config: None,
        name_override: None,
        description_override: None,
        requires_confirmation: None,
        enabled: None,
    }
}
