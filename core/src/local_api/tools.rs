//! `/local/tools`: the tools of all toolsets, as they are in effect (R235, R237).
//!
//! Tools of MCP servers are not among them: they are never stored, and no server is asked here (C22).

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::call::Call;
use super::paging::Page;
use super::refusal::Refusal;
use super::response::Response;
use super::route::Answer;
use crate::catalog::{EffectiveTool, InstalledToolset, ToolId, ToolsetId, ToolsetList};
use crate::ids::Uid;
use crate::record::{RendererKind, ToolKind};
use crate::store::Store;
use crate::time::Timestamp;

/// Answer of `GET /local/tools`.
#[derive(Debug, Serialize)]
struct ToolsBody {
    tools: Vec<ToolLine>,
    #[serde(rename = "nextPageToken", skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// A tool, in a list.
#[derive(Debug, Serialize)]
pub(super) struct ToolLine {
    tool_id: ToolId,
    toolset_id: Option<ToolsetId>,
    uid: Uid,
    slug: String,
    version: String,
    name: String,
    description: String,
    category: Option<String>,
    #[serde(rename = "type")]
    kind: ToolKind,
    tags: Vec<String>,
    input_schema: Option<Value>,
    requires_confirmation: bool,
    enabled: bool,
    renderer: Option<RendererKind>,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable_reason: Option<String>,
}

/// Answer of `GET /local/tools/{tool_id}`.
#[derive(Debug, Serialize)]
struct ToolDetails {
    #[serde(flatten)]
    line: ToolLine,
    output_schema: Option<Value>,
    entrypoint: Option<String>,
    http: Option<Value>,
    timeout_seconds: Option<u32>,
    created_at: Timestamp,
    modified_at: Timestamp,
    /// The renderer in effect with its configuration; null where the result is shown as it is.
    render_config: Option<RenderConfigBody>,
}

/// How a tool's result is shown.
#[derive(Debug, Serialize)]
struct RenderConfigBody {
    renderer: RendererKind,
    config: Value,
}

impl ToolLine {
    pub(super) fn of(tool: &EffectiveTool<'_>) -> Self {
        let declared = tool.declared.clone();
        Self {
            tool_id: declared.tool_id,
            toolset_id: declared.toolset_id,
            uid: declared.uid,
            slug: declared.slug,
            version: declared.version,
            name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            category: declared.category,
            kind: declared.kind,
            tags: declared.tags,
            input_schema: declared.input_schema,
            requires_confirmation: tool.requires_confirmation,
            enabled: tool.enabled,
            renderer: tool.renderer.as_ref().map(|found| found.renderer),
            available: tool.unavailable.is_none(),
            unavailable_reason: tool.unavailable.as_ref().map(ToString::to_string),
        }
    }
}

impl ToolDetails {
    fn of(tool: &EffectiveTool<'_>) -> Self {
        let declared = tool.declared.clone();
        let render_config = tool.renderer.clone();
        Self {
            line: ToolLine::of(tool),
            output_schema: declared.output_schema,
            entrypoint: declared.entrypoint,
            http: declared.http,
            timeout_seconds: declared.timeout_seconds,
            created_at: declared.created_at,
            modified_at: declared.modified_at,
            render_config: render_config
                .map(|found| RenderConfigBody { renderer: found.renderer, config: found.config }),
        }
    }
}

/// Which tools are asked for (R248).
struct Filter<'q> {
    /// At least one of these words.
    tags: BTreeSet<&'q str>,
    /// Of one of these toolsets, by either of its names.
    toolsets: BTreeSet<&'q str>,
    /// Also what is switched off, itself or with its toolset (R254).
    include_disabled: bool,
}

impl Filter<'_> {
    fn takes_toolset(&self, installed: &InstalledToolset) -> bool {
        let toolset = &installed.toolset;
        let named = self.toolsets.contains(toolset.id.as_str()) || self.toolsets.contains(toolset.uid.as_str());
        (self.toolsets.is_empty() || named) && (self.include_disabled || toolset.enabled)
    }

    fn takes(&self, tool: &EffectiveTool<'_>) -> bool {
        let tagged = self.tags.is_empty() || tool.declared.tags.iter().any(|tag| self.tags.contains(tag.as_str()));
        tagged && (self.include_disabled || tool.enabled)
    }
}

/// `GET /local/tools`
pub(super) async fn list<S: Store>(call: Call<'_, S>) -> Answer {
    let limits = call.world.limits;
    let sizes = ["pageSize", "recommendedPageSize"];
    let page = Page::read(&call.query, sizes, limits.page_size, limits.largest_page)?;
    let filter = Filter {
        tags: call.query.list("tags").into_iter().collect(),
        toolsets: call.query.list("bundleIDs").into_iter().collect(),
        include_disabled: call.query.flag("includeDisabled")?,
    };
    let toolsets = ToolsetList::load(call.store).await?.toolsets;
    let mut tools: Vec<EffectiveTool<'_>> = (toolsets.iter().filter(|installed| filter.takes_toolset(installed)))
        .flat_map(|installed| installed.tools_in_effect(call.world.surroundings))
        .filter(|tool| filter.takes(tool))
        .collect();
    let name = |tool: &EffectiveTool<'_>| tool.declared.tool_id.to_string();
    tools.sort_by_key(name);
    let (tools, next_page_token) = page.of(tools, name);
    Ok(Response::json(200, &ToolsBody { tools: tools.iter().map(ToolLine::of).collect(), next_page_token }))
}

/// `GET /local/tools/{tool_id}`, by either name of the tool (C02).
pub(super) async fn details<S: Store>(call: Call<'_, S>) -> Answer {
    let name = call.parameters.get("tool_id");
    let toolsets = match (ToolId::parse(name), Uid::parse(name)) {
        (Ok(ToolId::Toolset(toolset, _)), _) => {
            InstalledToolset::find(call.store, toolset.as_str()).await?.into_iter().collect()
        }
        (_, Ok(_)) => ToolsetList::load(call.store).await?.toolsets,
        (Ok(ToolId::BuiltIn(_) | ToolId::Mcp(..)) | Err(_), Err(_)) => Vec::new(),
    };
    let installed = toolsets.iter().filter(|installed| installed.toolset.soft_deleted_at.is_none());
    let found = installed
        .flat_map(|installed| installed.tools_in_effect(call.world.surroundings))
        .find(|tool| tool.declared.tool_id.to_string() == name || tool.declared.uid.as_str() == name);
    match found {
        Some(tool) => Ok(Response::json(200, &ToolDetails::of(&tool))),
        None => {
            let name: String = name.chars().take(200).collect();
            Err(Refusal::not_found(format!("no installed toolset has a tool {name:?}")))
        }
    }
}
