//! What MCP servers offered when they were last connected, and the tools that this makes (R105, C22).
//!
//! The objects that a server sent are kept as they came. From them tools are made whenever a toolset is loaded; they look like those of
//! packages, and are never stored as such.

use std::collections::BTreeSet;

use serde_json::Value;

use super::definition::definition_hash;
use super::server_identity;
use crate::approval::Hints;
use crate::catalog::{ServerId, ServerKey, Slug, ToolId, legal};
use crate::digest::BlobId;
use crate::ids::{Uid, uuid_v7};
use crate::pins::{PinStanding, Pins};
use crate::protocol::{McpIdentity, McpServerState, McpStatus};
use crate::record::{McpSeen, Pin, RowKey, Tool, ToolKind, Toolset, ToolsetMcpServer};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// How much of what a server offers is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenLimits {
    /// Tools of one server.
    pub tools: usize,
    /// Bytes of one tool.
    pub tool_bytes: usize,
    /// Characters of a tool's name.
    pub name_characters: usize,
}

impl Default for SeenLimits {
    fn default() -> Self {
        Self { tools: 1_000, tool_bytes: 256 << 10, name_characters: 200 }
    }
}

/// A server, as it was last seen.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenServer {
    /// Its name in its toolset.
    pub server: ServerId,
    /// Who it said that it is.
    pub identity: Option<McpIdentity>,
    /// When its tools last changed.
    pub seen_at: Timestamp,
    /// Its tools, in its order.
    pub tools: Vec<SeenTool>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenTool {
    /// The tool, as every other is.
    pub tool: Tool,
    /// The whole object that the server sent.
    pub received: Value,
    /// Who gives it: the server's name for itself, and where it is.
    pub identity: String,
    /// What it says about itself.
    pub hints: Hints,
    /// Whether it is what it was.
    pub pin: PinStanding,
}

impl SeenServer {
    /// The servers of a toolset that were seen, with the pins of its tools.
    pub(crate) fn all(seen: Vec<McpSeen>, servers: &[ToolsetMcpServer], toolset: &Toolset, pins: &Pins) -> Vec<Self> {
        let of = |row: McpSeen| {
            let server = servers.iter().find(|server| server.server_id == row.server_id)?;
            Some(Self::of(row, server, toolset, pins))
        };
        seen.into_iter().filter_map(of).collect()
    }

    fn of(row: McpSeen, server: &ToolsetMcpServer, toolset: &Toolset, pins: &Pins) -> Self {
        let key = server.server_key();
        let identity = server_identity(row.identity.as_ref(), &server.config);
        let mut names = BTreeSet::new();
        let tool = |received: Value| {
            let name = received.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?.to_owned();
            // Two tools of one name cannot be told apart; the first counts.
            names.insert(name.clone()).then(|| {
                let tool = tool_of(&key, name, &received, server, toolset, row.seen_at);
                let pin = pins.standing(&tool.tool_id, || definition_hash(&received, &identity));
                SeenTool { hints: hints_of(&received), identity: identity.clone(), pin, received, tool }
            })
        };
        let tools = row.tools.into_iter().filter_map(tool).collect();
        Self { server: row.server_id, identity: row.identity, seen_at: row.seen_at, tools }
    }
}

/// A tool of the same shape as those of packages.
fn tool_of(
    key: &ServerKey,
    name: String,
    received: &Value,
    server: &ToolsetMcpServer,
    toolset: &Toolset,
    seen_at: Timestamp,
) -> Tool {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let title = text(received.get("title")).or_else(|| text(received.pointer("/annotations/title")));
    let tool_id = ToolId::Mcp(key.clone(), name.clone());
    Tool {
        package: toolset.package,
        toolset_id: Some(toolset.id.clone()),
        uid: uid_of(&tool_id),
        slug: Slug::of_id(&legal(&name)).into(),
        version: toolset.version.clone(),
        name: title.unwrap_or(name),
        description: text(received.get("description")).unwrap_or_default(),
        category: None,
        input_schema: received.get("inputSchema").filter(|schema| schema.is_object()).cloned(),
        output_schema: received.get("outputSchema").filter(|schema| schema.is_object()).cloned(),
        // C41: what a server says about itself is no permission, so that its tools ask unless somebody here says otherwise.
        requires_confirmation: server.requires_confirmation,
        enabled: true,
        kind: ToolKind::Mcp,
        entrypoint: None,
        http: None,
        timeout_seconds: None,
        tags: Vec::new(),
        created_at: seen_at,
        modified_at: seen_at,
        tool_id,
    }
}

/// The second name of a tool that is in no row (C02): a digest of its first, so that it is the same every time.
fn uid_of(tool: &ToolId) -> Uid {
    let digest = BlobId::of(format!("satchel mcp tool {tool}").as_bytes());
    let random = digest.as_bytes().first_chunk().expect("a digest has 32 bytes");
    Uid::parse(uuid_v7(Timestamp::from_millis(0), *random)).expect("is spelled as a UUID")
}

fn hints_of(received: &Value) -> Hints {
    let hint = |name: &str| received.pointer(&format!("/annotations/{name}")).and_then(Value::as_bool);
    Hints { read_only: hint("readOnlyHint"), destructive: hint("destructiveHint") }
}

/// Remembers what a server that is connected offers now (R106), and forgets what was approved of tools that are not what they were (C14).
/// None where nothing is new.
pub async fn note_seen(
    store: &impl Store,
    state: &McpServerState,
    limits: &SeenLimits,
    now: Timestamp,
) -> Result<Option<Commit>, StoreError> {
    if state.status != McpStatus::Connected {
        return Ok(None);
    }
    let fits = |tool: &&Value| {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        let is_named = (1..=limits.name_characters).contains(&name.chars().count());
        is_named && tool.to_string().len() <= limits.tool_bytes
    };
    let row = McpSeen {
        toolset_id: state.key.toolset.clone(),
        server_id: state.key.server.clone(),
        identity: state.identity.clone(),
        tools: state.tools.iter().filter(fits).take(limits.tools).cloned().collect(),
        seen_at: now,
    };
    let key = RowKey::of([row.toolset_id.as_str(), row.server_id.as_str()]);
    let Some(server) = store::get::<ToolsetMcpServer>(store, key.clone()).await? else { return Ok(None) };
    let before = match store::get::<McpSeen>(store, key).await {
        Ok(before) => before,
        // What cannot be read is written anew.
        Err(StoreError::Unreadable { .. }) => None,
        Err(error) => return Err(error),
    };
    if before.is_some_and(|before| (before.identity, before.tools) == (row.identity.clone(), row.tools.clone())) {
        return Ok(None);
    }
    let identity = server_identity(row.identity.as_ref(), &server.config);
    let mut commit = Commit::default().put(&row);
    for pin in store::list_where::<Pin>(store, "toolset_id", row.toolset_id.as_str()).await?.into_iter().flatten() {
        let ToolId::Mcp(of, name) = &pin.tool_id else { continue };
        if *of != state.key {
            continue;
        }
        // One that is away for a while has not changed.
        let now = row.tools.iter().find(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
        let changed = now.is_some_and(|now| definition_hash(now, &identity) != pin.definition_hash);
        if changed {
            commit = commit.then(crate::approval::withdraw_all(store, &pin.tool_id).await?);
        }
    }
    Ok(Some(commit))
}
