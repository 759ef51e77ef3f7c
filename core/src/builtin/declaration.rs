//! What a built-in tool says about itself, and the rows that an installed toolset of them would have.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{CompiledIn, TOOLS};
use crate::bundle::canonical_json;
use crate::catalog::{InstalledToolset, ToolId, ToolName, ToolsetId};
use crate::digest::BlobId;
use crate::ids::{Uid, uuid_v7};
use crate::record::{PackageId, RendererKind, Tool, ToolKind, ToolRenderConfig, Toolset};
use crate::saved::Management;
use crate::time::Timestamp;

/// A tool that is compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    pub(super) which: Which,
    /// Its id, without a namespace (R085).
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// What it does, as the model is told.
    pub description: &'static str,
    /// Whether it can change files.
    pub writes: bool,
    /// The JSON schema of its arguments.
    pub input_schema: fn() -> Value,
    /// The JSON schema of its result.
    pub output_schema: fn() -> Value,
    /// How its result is shown, where that does not follow from the result itself.
    pub renderer: Option<Shown>,
}

/// A renderer and its configuration.
type Shown = (RendererKind, fn() -> Value);

/// Which tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    ListFiles,
    FindFiles,
    FileInfo,
    ReadFile,
    SearchText,
    QueryJson,
    WriteFile,
    EditFile,
    ApplyPatch,
    MoveFile,
    DeleteFile,
}

/// The version of the tools' contracts, an opaque label (C04); it moves when what a tool takes or gives changes.
pub(super) const VERSION: &str = "1.0.0";

/// 16 November 2026, when they first came with the app: they are not installed at some time of this device.
const SINCE: Timestamp = Timestamp::from_millis(1_794_787_200_000);

/// The rows that the toolset of these tools would have, were it installed. They are made anew whenever they are asked for and never
/// stored; what the user has switched is stored beside (C52).
#[must_use]
pub fn rows() -> (Toolset, Vec<Tool>, Vec<ToolRenderConfig>) {
    let package = package();
    let description = "Reads, searches and changes the files of a chat. They are part of Satchel and need no Python.";
    let id = ToolsetId::builtin();
    let toolset = CompiledIn {
        id,
        uid: toolset_uid(),
        name: "Built-in tools",
        version: VERSION,
        description,
        package,
        since: SINCE,
    };
    let toolset = toolset.row();
    let tools = TOOLS.iter().map(|tool| tool.row(package)).collect();
    let configs = TOOLS.iter().filter_map(|tool| {
        let (renderer, config) = tool.renderer?;
        Some(ToolRenderConfig { package, tool_id: tool.id(), renderer, config: config(), priority: 0 })
    });
    (toolset, tools, configs.collect())
}

/// The toolset of one tool that manages saved toolsets. It is found by those who call it, and is in no list: what a model is offered of
/// such tools is not chosen but follows from the mode of its chat (R142).
#[must_use]
pub fn managing(tool: Management) -> InstalledToolset {
    let (toolset, _, _) = rows();
    let row = Tool {
        package: toolset.package,
        tool_id: tool.id(),
        toolset_id: None,
        uid: uid(tool.name()),
        slug: tool.name().into(),
        version: VERSION.into(),
        name: tool.name().into(),
        description: tool.description().into(),
        category: Some("saved toolsets".into()),
        input_schema: Some(tool.input_schema()),
        output_schema: None,
        requires_confirmation: tool.asks(),
        enabled: true,
        kind: ToolKind::Builtin,
        entrypoint: None,
        http: None,
        timeout_seconds: None,
        tags: Vec::new(),
        created_at: SINCE,
        modified_at: SINCE,
    };
    InstalledToolset {
        toolset,
        stamp: None,
        package: None,
        manifest: None,
        tools: vec![row],
        files: Vec::new(),
        render_configs: Vec::new(),
        servers: Vec::new(),
        seen: Vec::new(),
        user_overrides: Vec::new(),
        overrides: BTreeMap::new(),
        pins: BTreeMap::new(),
        apart: Vec::new(),
        faults: Vec::new(),
    }
}

/// The second name of the toolset (C02).
#[must_use]
pub fn toolset_uid() -> Uid {
    uid("toolset")
}

impl Builtin {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ToolId {
        ToolId::BuiltIn(ToolName::parse(self.name).expect("the names of the table are spelled well"))
    }

    fn row(&self, package: PackageId) -> Tool {
        Tool {
            package,
            tool_id: self.id(),
            toolset_id: None,
            uid: uid(self.name),
            slug: self.name.replace('_', "-"),
            version: VERSION.into(),
            name: self.title.into(),
            description: self.description.into(),
            category: Some("files".into()),
            input_schema: Some((self.input_schema)()),
            output_schema: Some((self.output_schema)()),
            requires_confirmation: false,
            enabled: true,
            kind: ToolKind::Builtin,
            entrypoint: None,
            http: None,
            timeout_seconds: None,
            tags: vec!["files".into()],
            created_at: SINCE,
            modified_at: SINCE,
        }
    }
}

/// The name of what they declare, as a package is named by its contents: it moves when a definition does.
fn package() -> PackageId {
    let line = |tool: &Builtin| {
        let shown = tool.renderer.map(|(renderer, config)| json!([renderer, config()]));
        json!([tool.name, tool.title, tool.description, (tool.input_schema)(), (tool.output_schema)(), shown])
    };
    let description = Value::Array(TOOLS.iter().map(line).collect());
    PackageId::of(format!("satchel built-in tools 1\n{VERSION}\n{}", canonical_json(&description)).as_bytes())
}

/// The second name of something built in (C02): the same on every device and in every version, so that chance is a digest of the name.
fn uid(name: &str) -> Uid {
    let digest = BlobId::of(format!("satchel built-in {name}").as_bytes());
    let random = digest.as_bytes().first_chunk().expect("a digest has 32 bytes");
    Uid::parse(uuid_v7(SINCE, *random)).expect("is spelled as a UUID")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::render::RenderConfig;
    use crate::schema::{Schema, SchemaLimits};

    /// R084, R085: all are known by a bare id, and what they declare can be used.
    #[test]
    fn what_they_declare_is_sound() {
        let (toolset, tools, configs) = rows();
        assert_eq!((toolset.id.as_str(), toolset.is_built_in), ("builtin", true));
        for tool in &tools {
            assert_eq!(super::super::find(tool.tool_id.name()).map(Builtin::id).as_ref(), Some(&tool.tool_id));
            assert_eq!(ToolId::parse(&tool.tool_id.to_string()).as_ref(), Ok(&tool.tool_id));
            for schema in [&tool.input_schema, &tool.output_schema].into_iter().flatten() {
                Schema::read(schema, &SchemaLimits::default()).expect("is a schema");
                assert_eq!(schema["additionalProperties"], false, "{}", tool.tool_id);
            }
            assert!(!tool.description.is_empty() && !tool.requires_confirmation);
        }
        for config in configs {
            RenderConfig::check_declared(config.renderer, &config.config).expect("is a configuration");
        }
        let uids: BTreeSet<&str> = tools.iter().map(|tool| tool.uid.as_str()).chain([toolset.uid.as_str()]).collect();
        assert_eq!(uids.len(), tools.len() + 1);
    }
}
