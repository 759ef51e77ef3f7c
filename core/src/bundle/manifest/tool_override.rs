//! What a manifest changes about tools (R050).

use std::collections::BTreeSet;

use serde_json::Value;

use super::node::At;
use super::unknown::{self, OVERRIDE_KEYS};
use super::{Fault, ManifestError, Place, ServerDeclaration, ToolDeclaration, renderer};
use crate::record::RendererKind;

/// One item of `tool_overrides`; what is not set stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideDeclaration {
    /// The tool within the toolset: its id, or `{server}:{tool}` for one of a server.
    pub tool_id: String,
    /// Another renderer.
    pub renderer: Option<RendererKind>,
    /// That renderer's configuration.
    pub renderer_config: Option<Value>,
    /// Another display name.
    pub name_override: Option<String>,
    /// Another description.
    pub description_override: Option<String>,
    /// Whether it asks before it runs.
    pub requires_confirmation: Option<bool>,
    /// Whether it is offered at all.
    pub enabled: Option<bool>,
}

/// Reads all overrides and looks for the tools they name.
pub(super) fn read_all(
    root: &At<'_>,
    tools: &[ToolDeclaration],
    servers: &[ServerDeclaration],
    remarks: &mut Vec<(Place, String)>,
) -> Result<Vec<OverrideDeclaration>, ManifestError> {
    let mut overrides: Vec<OverrideDeclaration> = Vec::new();
    let mut seen = BTreeSet::new();
    let tools: BTreeSet<&str> = tools.iter().map(|tool| tool.id.as_str()).collect();
    let servers: BTreeSet<&str> = servers.iter().map(|server| server.id.as_str()).collect();
    for at in root.items("tool_overrides")? {
        let found = read(&at)?;
        unknown::remark(&at, &OVERRIDE_KEYS, remarks)?;
        if !seen.insert(found.tool_id.clone()) {
            return Err(at.fail(Fault::DuplicateOverride(found.tool_id)));
        }
        let known = match found.tool_id.split_once(':') {
            Some((server, _)) => servers.contains(server),
            None => tools.contains(found.tool_id.as_str()),
        };
        if !known {
            remarks.push((at.place(), format!("no tool or server of this toolset is called {:?}", found.tool_id)));
        }
        overrides.push(found);
    }
    Ok(overrides)
}

fn read(at: &At<'_>) -> Result<OverrideDeclaration, ManifestError> {
    let kind = at.get("renderer")?.map(|found| renderer::read_kind(&found)).transpose()?;
    let config = at.get("renderer_config")?;
    match (kind, &config) {
        (Some(kind), Some(config)) => renderer::check(config, kind, &[])?,
        (None, Some(config)) => drop(config.members()?),
        (Some(_) | None, None) => {}
    }
    Ok(OverrideDeclaration {
        tool_id: at.required("tool_id")?.some_text()?.to_owned(),
        renderer: kind,
        renderer_config: config.map(|config| config.json()),
        name_override: at.optional_text("name_override")?,
        description_override: at.optional_text("description_override")?,
        requires_confirmation: at.optional_bool("requires_confirmation")?,
        enabled: at.optional_bool("enabled")?,
    })
}
