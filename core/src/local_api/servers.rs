//! `/local/servers`: the MCP servers of all toolsets, keyed by server_key (R013, R108, C20), and what can be done about one by itself.
//!
//! Nothing is connected from here: what the rows say is published to the Satchel server by whoever speaks to it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::Call;
use super::pins::PinBody;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use super::toolsets;
use crate::bundle::manifest::server_line;
use crate::catalog::{InstalledToolset, ServerId, Surroundings, ToolsetId, ToolsetList, Unavailable};
use crate::ids::Uid;
use crate::mcp::{
    AddError, NewServer, PasteKnown, PasteLimits, Pasted, PublishedElsewhere, Renamed, SeenServer, SeenTool,
    definition_of, ref_id,
};
use crate::protocol::{McpApproval, McpIdentity, McpOffer, McpStatus, SecretName};
use crate::record::ToolsetMcpServer;
use crate::store::Store;
use crate::time::Timestamp;

/// Answer of `GET /local/servers`.
#[derive(Debug, Serialize)]
struct ServersBody {
    servers: Vec<ServerBody>,
    /// What the operator offers to be added.
    offers: Vec<OfferBody>,
    /// What other browsers of the account have published, and this one has not.
    elsewhere: Vec<PublishedElsewhere>,
}

/// A server of the operator's file.
#[derive(Debug, Serialize)]
struct OfferBody {
    name: String,
    line: String,
    config: Value,
    /// The names in it whose values the operator has set.
    set: Vec<SecretName>,
    /// Whether it was added already.
    added: bool,
}

/// A server with what is known of it.
#[derive(Debug, Serialize)]
pub(super) struct ServerBody {
    id: String,
    #[serde(rename = "serverId")]
    server_id: ServerId,
    #[serde(rename = "toolsetId")]
    toolset_id: ToolsetId,
    /// The toolset's name, which for a server by itself is the server's own (C10).
    name: String,
    /// Whether the user added it by itself (R120).
    user_mcp: bool,
    config: Value,
    /// The whole command line or address.
    line: String,
    is_command: bool,
    enabled: bool,
    auto_enabled: bool,
    requires_confirmation: bool,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable_reason: Option<String>,
    /// How it is doing, as the Satchel server has said last.
    status: McpStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// For a command: whether the operator has approved it, and what to type for that (C39).
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<McpApproval>,
    /// What another browser of the account has published in its place: the whole command line or address.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<McpIdentity>,
    /// When its tools last changed; not where it was never connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen_at: Option<Timestamp>,
    /// Whether its tools are those of an earlier connection (C22).
    stale: bool,
    tools: Vec<OfferedTool>,
}

/// A tool, as its server offers it.
#[derive(Debug, Serialize)]
struct OfferedTool {
    tool_id: String,
    /// The server's name for it.
    name: String,
    title: String,
    description: String,
    input_schema: Option<Value>,
    output_schema: Option<Value>,
    /// What it says about itself, whole (R128); never a permission.
    annotations: Option<Value>,
    ref_id: String,
    /// How it compares with what it was when it was first used (C14).
    pin: PinBody,
}

impl ServerBody {
    pub(super) fn of(server: &ToolsetMcpServer, installed: &InstalledToolset, surroundings: &Surroundings) -> Self {
        let toolset = &installed.toolset;
        let reason = surroundings.unavailable_server(server);
        let standing = surroundings.servers.get(&server.server_key());
        let status = standing.map_or(McpStatus::Disconnected, |standing| standing.status);
        let (status, told) = match &reason {
            // What the device knows better than the Satchel server, which may not even be there (R127, C39).
            Some(why @ (Unavailable::NeedsServer | Unavailable::DisabledInSettings)) => {
                let status = if server.enabled { McpStatus::Error } else { McpStatus::Disconnected };
                (status, Some(why.to_string()))
            }
            _ if !toolset.enabled => (McpStatus::Disconnected, Some(Unavailable::DisabledInSettings.to_string())),
            _ => (status, standing.and_then(|standing| standing.reason.clone())),
        };
        let seen = installed.seen.iter().find(|seen| seen.server == server.server_id);
        Self {
            id: server.server_key().to_string(),
            server_id: server.server_id.clone(),
            toolset_id: server.toolset_id.clone(),
            name: toolset.name.clone(),
            user_mcp: toolset.user_mcp,
            line: server_line(&server.config),
            is_command: server.config.get("command").is_some(),
            config: server.config.clone(),
            enabled: server.enabled,
            auto_enabled: server.auto_enabled,
            requires_confirmation: server.requires_confirmation,
            available: reason.is_none(),
            unavailable_reason: reason.map(|reason| reason.to_string()),
            status,
            reason: told,
            approval: standing.and_then(|standing| standing.approval.clone()),
            instead: published_instead(server, toolset.enabled, surroundings).map(|other| other.line.clone()),
            identity: seen.and_then(|seen| seen.identity.clone()),
            seen_at: seen.map(|seen| seen.seen_at),
            stale: seen.is_some() && status != McpStatus::Connected,
            tools: seen.map(offered).unwrap_or_default(),
        }
    }
}

fn offered(seen: &SeenServer) -> Vec<OfferedTool> {
    let tool = |seen_tool: &SeenTool| OfferedTool {
        tool_id: seen_tool.tool.tool_id.to_string(),
        name: seen_tool.tool.tool_id.name().to_owned(),
        title: seen_tool.tool.name.clone(),
        description: seen_tool.tool.description.clone(),
        input_schema: seen_tool.tool.input_schema.clone(),
        output_schema: seen_tool.tool.output_schema.clone(),
        annotations: seen_tool.received.get("annotations").cloned(),
        ref_id: ref_id(seen.server.as_str(), &seen_tool.received),
        pin: PinBody::of(&seen_tool.pin, || seen_tool.definition(), "server"),
    };
    seen.tools.iter().map(tool).collect()
}

/// `GET /local/servers`
pub(super) async fn list<S: Store>(call: Call<'_, S>) -> Answer {
    let toolsets = ToolsetList::load(call.store).await?.toolsets;
    let of = |installed: &InstalledToolset| -> Vec<ServerBody> {
        let body = |server| ServerBody::of(server, installed, call.world.surroundings);
        installed.servers.iter().map(body).collect()
    };
    let rows = || toolsets.iter().flat_map(|installed| &installed.servers);
    let offer = |offer: &McpOffer| {
        let config = serde_json::to_value(&offer.definition).unwrap_or_default();
        let added = rows().any(|server| definition_of(server).as_ref() == Some(&offer.definition));
        OfferBody { name: offer.name.clone(), line: server_line(&config), config, set: offer.set.clone(), added }
    };
    let offers = call.world.surroundings.offers.iter().map(offer).collect();
    let servers: Vec<ServerBody> = toolsets.iter().flat_map(of).collect();
    let stands_in_a_row =
        |other: &&PublishedElsewhere| servers.iter().any(|server| server.instead.is_some() && server.id == other.key);
    let elsewhere = call.world.surroundings.elsewhere.iter().filter(|other| !stands_in_a_row(other)).cloned().collect();
    Ok(Response::json(200, &ServersBody { servers, offers, elsewhere }))
}

/// What another browser has published under the key of a server that is wanted here.
fn published_instead<'a>(
    server: &ToolsetMcpServer,
    toolset_enabled: bool,
    surroundings: &'a Surroundings,
) -> Option<&'a PublishedElsewhere> {
    let key = server.server_key().to_string();
    let is_wanted = server.enabled && toolset_enabled;
    surroundings.elsewhere.iter().find(|other| is_wanted && other.key == key)
}

/// Body of `POST /local/servers`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddBody {
    id: String,
    #[serde(default)]
    name: String,
    config: Value,
    #[serde(default = "on")]
    enabled: bool,
}

fn on() -> bool {
    true
}

/// `POST /local/servers`: adds a server as a toolset of its own (R119), or changes one that was added so.
pub(super) async fn add<S: Store>(call: Call<'_, S>) -> Answer {
    let AddBody { id, name, config, enabled } = call.json(r#"{"id": "files", "config": {"url": "https://…"}}"#)?;
    let id = ServerId::parse(id).map_err(|error| Refusal::new(Code::BadRequest, error).about("id"))?;
    let installed = InstalledToolset::find(call.store, id.as_str()).await?.map(InstalledToolset::into_installed);
    let (new, uid) = (NewServer { id: id.clone(), name, config, enabled }, || call.fresh(Uid::parse));
    let commit = new.into_commit(installed, call.world.now, uid).map_err(|error| match error {
        AddError::Taken(_) | AddError::BuiltIn(_) | AddError::Replace(_) => {
            Refusal::new(Code::Conflict, error).about("id")
        }
        AddError::Bundle(error) => Refusal::new(Code::BadRequest, error).about("config"),
    })?;
    call.apply(commit).await?;
    let installed = InstalledToolset::find(call.store, id.as_str()).await?;
    let body = installed
        .as_ref()
        .and_then(|installed| Some(ServerBody::of(installed.servers.first()?, installed, call.world.surroundings)));
    let body = body.ok_or_else(|| Refusal::not_found(format!("{id} was changed in the meantime")))?;
    Ok(Response::json(201, &body))
}

/// Answer of `POST /local/servers/read`.
#[derive(Debug, Serialize)]
struct PastedBody {
    servers: Vec<PastedServerBody>,
    asked: Vec<AskedBody>,
    remarks: Vec<String>,
}

/// A server that was read, with the secrets that stood in it: they go back to whoever pasted them, and nowhere else.
#[derive(Debug, Serialize)]
struct PastedServerBody {
    name: String,
    id: ServerId,
    renamed: Option<&'static str>,
    config: Value,
    line: String,
    is_command: bool,
    enabled: bool,
    secrets: Vec<(String, String)>,
}

/// A value that has to be asked for.
#[derive(Debug, Serialize)]
struct AskedBody {
    name: String,
    description: Option<String>,
    hidden: bool,
    options: Vec<String>,
    default: Option<String>,
    servers: Vec<String>,
}

/// `POST /local/servers/read`: what a configuration of another program says (R318). Nothing is stored.
pub(super) async fn read<S: Store>(call: Call<'_, S>) -> Answer {
    let limits = PasteLimits::default();
    call.check_body(limits.text_bytes as u64)?;
    let text = String::from_utf8_lossy(&call.body);
    let ToolsetList { toolsets, uninstalled, .. } = ToolsetList::load(call.store).await?;
    let there = toolsets.iter().map(|installed| &installed.toolset).chain(&uninstalled);
    let known = PasteKnown {
        toolsets: there.map(|toolset| toolset.id.to_string()).collect::<BTreeSet<_>>(),
        secrets: call.world.surroundings.secrets.clone(),
    };
    let Pasted { servers, asked, remarks } =
        Pasted::read(&text, &known, &limits).map_err(|error| Refusal::new(Code::BadRequest, error))?;
    let servers = servers.into_iter().map(|server| PastedServerBody {
        renamed: server.renamed.map(|why| match why {
            Renamed::Spelling => "spelling",
            Renamed::Taken => "taken",
        }),
        line: server_line(&server.config),
        is_command: server.config.get("command").is_some(),
        name: server.name,
        id: server.id,
        config: server.config,
        enabled: server.enabled,
        secrets: server.secrets.into_iter().map(|(name, value)| (name.into(), value.into_inner())).collect(),
    });
    let asked = asked.into_iter().map(|asked| AskedBody {
        name: asked.name.into(),
        description: asked.description,
        hidden: asked.hidden,
        options: asked.options,
        default: asked.default,
        servers: asked.servers,
    });
    Ok(Response::json(200, &PastedBody { servers: servers.collect(), asked: asked.collect(), remarks }))
}

/// `POST /local/toolsets/{id}/servers/{server}/enable`: the switch of one server.
pub(super) async fn enable<S: Store>(call: Call<'_, S>) -> Answer {
    let toolsets::EnableBody { enabled } = call.json(r#"{"enabled": true}"#)?;
    let installed = toolsets::installed(&call).await?;
    let name = call.parameters.get("server");
    let Some(before) = installed.servers.iter().find(|server| server.server_id.as_str() == name) else {
        let name: String = name.chars().take(80).collect();
        return Err(Refusal::not_found(format!("the toolset {} has no server {name:?}", installed.toolset.id)));
    };
    let after = ToolsetMcpServer { enabled, ..before.clone() };
    call.apply(crate::store::Commit::default().change(before, &after)).await?;
    Ok(Response::json(200, &ServerBody::of(&after, &installed, call.world.surroundings)))
}
