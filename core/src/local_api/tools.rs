//! `/local/tools`: the tools of all toolsets, as they are in effect (R235, R237).
//!
//! Those of MCP servers are among them as they were last seen; no server is asked here, and one that is away says so (C22).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::call::Call;
use super::paging::Page;
use super::pins::PinBody;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use super::toolsets::{self, EnableBody};
use crate::approval::{self, Definition};
use crate::catalog::{
    EffectiveTool, InstalledToolset, LegacyIdError, ServerKey, ToolId, ToolsetId, ToolsetList, WireNames,
    definition_tokens, set_tool_enabled,
};
use crate::digest::BlobId;
use crate::ids::Uid;
use crate::record::{RendererKind, RowKey, ToolKind, ToolMetrics, ToolOverride, ToolsetMcpServer};
use crate::store::{self, Store, StoreError};
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
    toolset_id: ToolsetId,
    uid: Uid,
    slug: String,
    version: String,
    name: String,
    description: String,
    category: Option<String>,
    #[serde(rename = "type")]
    kind: ToolKind,
    tags: Vec<String>,
    modified_at: Timestamp,
    input_schema: Option<Value>,
    output_schema: Option<Value>,
    /// How much of a model's context its definition takes, an estimate.
    tokens: u64,
    requires_confirmation: bool,
    enabled: bool,
    renderer: Option<RendererKind>,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable_reason: Option<String>,
    /// How it has been doing on this device; not for a tool that was never called.
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<MetricsBody>,
}

/// How a tool has been doing.
#[derive(Debug, Serialize)]
struct MetricsBody {
    calls: u64,
    errors: u64,
    total_millis: u64,
    longest_millis: u64,
    last_called_at: Option<Timestamp>,
}

/// Answer of `GET /local/tools/{tool_id}`.
#[derive(Debug, Serialize)]
struct ToolDetails {
    #[serde(flatten)]
    line: ToolLine,
    entrypoint: Option<String>,
    http: Option<Value>,
    timeout_seconds: Option<u32>,
    created_at: Timestamp,
    /// The renderer in effect with its configuration; null where the result is shown as it is.
    render_config: Option<RenderConfigBody>,
    /// The file of its toolset that holds its function.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceBody>,
    /// What the user has changed of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    overrides: Option<ToolOverride>,
    /// How it compares with what it was when it was first used (C14).
    pin: PinBody,
}

/// A file with the code of a tool.
#[derive(Debug, Serialize)]
struct SourceBody {
    path: String,
    sha256: BlobId,
}

/// How a tool's result is shown.
#[derive(Debug, Serialize)]
struct RenderConfigBody {
    renderer: RendererKind,
    config: Value,
}

/// What was counted of the tools, by their ids. Counts that cannot be read are left out.
#[derive(Debug, Default)]
pub(super) struct Counted(BTreeMap<String, ToolMetrics>);

impl Counted {
    /// Of all tools.
    pub(super) async fn load(store: &impl Store) -> Result<Self, StoreError> {
        let counted = store::list::<ToolMetrics>(store).await?.into_iter().flatten();
        Ok(Self(counted.map(|metrics| (metrics.tool_id.to_string(), metrics)).collect()))
    }

    /// Of one tool.
    pub(super) async fn of(store: &impl Store, tool: &ToolId) -> Result<Self, StoreError> {
        let key = tool.to_string();
        match store::get::<ToolMetrics>(store, RowKey::one(&key)).await {
            Ok(found) => Ok(Self(found.map(|metrics| (key, metrics)).into_iter().collect())),
            Err(StoreError::Unreadable { .. }) => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// How often a tool was called, and when last (R257).
    pub(super) fn calls(&self, tool: &ToolId) -> (u64, Option<Timestamp>) {
        self.0.get(&tool.to_string()).map_or((0, None), |metrics| (metrics.calls, metrics.last_called_at))
    }

    fn body(&self, tool: &ToolId) -> Option<MetricsBody> {
        let ToolMetrics { tool_id: _, recent: _, calls, errors, total_millis, longest_millis, last_called_at } =
            self.0.get(&tool.to_string())?.clone();
        Some(MetricsBody { calls, errors, total_millis, longest_millis, last_called_at })
    }
}

impl ToolLine {
    pub(super) fn of(tool: &EffectiveTool<'_>, counted: &Counted) -> Self {
        let declared = tool.declared.clone();
        let names = WireNames::of([declared.tool_id.clone()]);
        let wire_name = names.name(&declared.tool_id).unwrap_or_default();
        Self {
            tokens: definition_tokens(wire_name, tool.description, declared.input_schema.as_ref()),
            metrics: counted.body(&declared.tool_id),
            tool_id: declared.tool_id,
            toolset_id: tool.toolset.clone(),
            uid: declared.uid,
            slug: declared.slug,
            version: declared.version,
            name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            category: declared.category,
            kind: declared.kind,
            tags: declared.tags,
            modified_at: declared.modified_at,
            input_schema: declared.input_schema,
            output_schema: declared.output_schema,
            requires_confirmation: tool.requires_confirmation,
            enabled: tool.enabled,
            renderer: tool.renderer.as_ref().map(|found| found.renderer),
            available: tool.unavailable.is_none(),
            unavailable_reason: tool.unavailable.as_ref().map(ToString::to_string),
        }
    }
}

impl ToolDetails {
    fn of(installed: &InstalledToolset, tool: &EffectiveTool<'_>, counted: &Counted, pin: PinBody) -> Self {
        let declared = tool.declared.clone();
        let render_config = tool.renderer.clone();
        Self {
            line: ToolLine::of(tool, counted),
            entrypoint: declared.entrypoint,
            http: declared.http,
            timeout_seconds: declared.timeout_seconds,
            created_at: declared.created_at,
            render_config: render_config
                .map(|found| RenderConfigBody { renderer: found.renderer, config: found.config }),
            source: (installed.source_of(tool.declared))
                .map(|file| SourceBody { path: file.path.clone(), sha256: file.sha256 }),
            overrides: {
                let name = declared.tool_id.selection_name();
                installed.user_overrides.iter().find(|one| one.tool_id == name).cloned()
            },
            pin,
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
    let counted = Counted::load(call.store).await?;
    let tools = tools.iter().map(|tool| ToolLine::of(tool, &counted)).collect();
    Ok(Response::json(200, &ToolsBody { tools, next_page_token }))
}

/// `GET /local/tools/{tool_id}`, by either name of the tool (C02).
pub(super) async fn details<S: Store>(call: Call<'_, S>) -> Answer {
    let name = call.parameters.get("tool_id");
    if let Some(id) = legacy_id(&call).await? {
        return details_of(&call, &id.to_string()).await;
    }
    details_of(&call, name).await
}

/// The id that one of old means, `mcp:{server}:{tool}` (C09, R111); none where it is of today.
pub(super) async fn legacy_id<S: Store>(call: &Call<'_, S>) -> Result<Option<ToolId>, Refusal> {
    let name = call.parameters.get("tool_id");
    if !name.starts_with("mcp:") || ToolId::parse(name).is_ok() {
        return Ok(None);
    }
    let toolsets = ToolsetList::load(call.store).await?.toolsets;
    let servers: Vec<ServerKey> =
        toolsets.iter().flat_map(|installed| &installed.servers).map(ToolsetMcpServer::server_key).collect();
    match ToolId::parse_legacy(name, &servers) {
        Ok(id) => Ok(Some(id)),
        Err(error @ LegacyIdError::Ambiguous { .. }) => Err(Refusal::new(Code::Conflict, error.to_string())),
        Err(LegacyIdError::NoServer { .. } | LegacyIdError::Name(_)) => Ok(None),
    }
}

async fn details_of<S: Store>(call: &Call<'_, S>, name: &str) -> Answer {
    let toolsets = match (ToolId::parse(name), Uid::parse(name)) {
        (Ok(ToolId::Toolset(toolset, _) | ToolId::Mcp(ServerKey { toolset, .. }, _)), _) => {
            InstalledToolset::find(call.store, toolset.as_str()).await?.into_iter().collect()
        }
        (_, Ok(_)) => ToolsetList::load(call.store).await?.toolsets,
        (Ok(ToolId::BuiltIn(_)), Err(_)) => {
            InstalledToolset::find(call.store, ToolsetId::builtin().as_str()).await?.into_iter().collect()
        }
        (Err(_), Err(_)) => Vec::new(),
    };
    let here = toolsets.iter().filter(|installed| installed.toolset.soft_deleted_at.is_none());
    let is_named =
        |tool: &EffectiveTool<'_>| tool.declared.tool_id.to_string() == name || tool.declared.uid.as_str() == name;
    let found = here
        .flat_map(|installed| {
            installed.tools_in_effect(call.world.surroundings).into_iter().map(move |tool| (installed, tool))
        })
        .find(|(_, tool)| is_named(tool));
    match found {
        Some((installed, tool)) => answer_with(call, installed, &tool).await,
        None => {
            let name: String = name.chars().take(200).collect();
            Err(Refusal::not_found(format!("no installed toolset has a tool {name:?}")))
        }
    }
}

/// `POST /local/toolsets/{id}/tools/{tool}/enable`: the switch of one tool. While its toolset is off it stays as it is (C53).
pub(super) async fn enable<S: Store>(call: Call<'_, S>) -> Answer {
    let EnableBody { enabled } = call.json(r#"{"enabled": true}"#)?;
    let installed = toolsets::installed(&call).await?;
    let (id, name) = (&installed.toolset.id, call.parameters.get("tool"));
    if !installed.all_tools().any(|tool| tool.tool_id.selection_name() == name) {
        let name: String = name.chars().take(80).collect();
        return Err(Refusal::not_found(format!("the toolset {id} has no tool {name:?}")));
    }
    if !installed.toolset.enabled {
        let message = format!("{id} is switched off; switch it on first, then its tools");
        return Err(Refusal::new(Code::Unavailable, message));
    }
    call.apply(set_tool_enabled(&installed, name, enabled)).await?;
    let installed = toolsets::installed(&call).await?;
    let tools = installed.tools_in_effect(call.world.surroundings);
    let tool = tools.iter().find(|tool| tool.declared.tool_id.selection_name() == name);
    let tool = tool.ok_or_else(|| Refusal::not_found(format!("{id} was changed in the meantime")))?;
    answer_with(&call, &installed, tool).await
}

async fn answer_with<S: Store>(call: &Call<'_, S>, installed: &InstalledToolset, tool: &EffectiveTool<'_>) -> Answer {
    let counted = Counted::of(call.store, &tool.declared.tool_id).await?;
    let pin = approval::pin(call.store, &tool.declared.tool_id).await?;
    let giver = if tool.seen.is_some() { "server" } else { "package" };
    let body = PinBody::of(tool.pin, || Definition::of_effective(tool), giver).pinned(pin.as_ref());
    let body = body.with_files(call.store, pin.as_ref(), &installed.files).await?;
    Ok(Response::json(200, &ToolDetails::of(installed, tool, &counted, body)))
}
