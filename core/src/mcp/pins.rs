//! Pins of tools of MCP servers: what a tool was when it was first used (C14).
//!
//! A tool is used when a model is offered it or when it is called, whichever comes first. From then on it has to stay what it is: its whole
//! object and the identity of its server. One that has changed is switched off until somebody has looked at what changed and approved it,
//! and nothing that was approved before counts any more. A pin that cannot be read switches off as well.

use serde_json::Value;

use super::{SeenTool, ref_id};
use crate::approval::{self, Definition};
use crate::bundle::canonical_json;
use crate::catalog::{EffectiveTool, ToolId};
use crate::digest::BlobId;
use crate::protocol::McpIdentity;
use crate::record::Pin;
use crate::store::{Commit, Store, StoreError};
use crate::time::Timestamp;

/// Whether a tool is what it was.
#[derive(Clone, Debug, PartialEq)]
pub enum PinStanding {
    /// It was never used.
    New,
    /// It is what it was.
    Same,
    /// It is something else.
    Changed(Box<Pin>),
    /// What it was cannot be read.
    Unreadable,
}

impl PinStanding {
    /// The standing of a tool that has this pin.
    pub(super) fn of(pin: Option<&Result<Pin, StoreError>>, received: &Value, identity: &str) -> Self {
        match pin {
            None => Self::New,
            Some(Err(_)) => Self::Unreadable,
            Some(Ok(pin)) if pin.definition_hash == definition_hash(received, identity) => Self::Same,
            Some(Ok(pin)) => Self::Changed(Box::new(pin.clone())),
        }
    }
}

/// Who gives the tools of a server: its name for itself, and where it is. Its version is no part of it: every tool says itself what it is.
#[must_use]
pub fn server_identity(identity: Option<&McpIdentity>, config: &Value) -> String {
    let name = identity.map_or("", |identity| identity.name.as_str());
    let mut reached = config.clone();
    if let Value::Object(members) = &mut reached {
        // Variables and headers are credentials more often than not; which server it is, they do not say.
        members.retain(|key, _| matches!(key.as_str(), "command" | "args" | "cwd" | "url"));
    }
    format!("{name} {}", canonical_json(&reached))
}

/// The name of a whole tool with the identity of its server. The order of keys means nothing in JSON and is no part of it.
pub(super) fn definition_hash(received: &Value, identity: &str) -> BlobId {
    BlobId::of(format!("satchel mcp tool 1\n{identity}\n{}", canonical_json(received)).as_bytes())
}

impl SeenTool {
    /// Its definition, as approvals and pins know it.
    #[must_use]
    pub fn definition(&self) -> Definition {
        Definition {
            value: self.received.clone(),
            identity: self.identity.clone(),
            hash: definition_hash(&self.received, &self.identity),
        }
    }

    /// The row that remembers it.
    #[must_use]
    pub fn to_pin(&self, now: Timestamp) -> Pin {
        let definition = self.definition();
        let server = match &self.tool.tool_id {
            ToolId::Mcp(key, _) => key.server.as_str(),
            ToolId::BuiltIn(_) | ToolId::Toolset(..) => "",
        };
        Pin {
            tool_id: self.tool.tool_id.clone(),
            toolset_id: self.tool.toolset_id.clone(),
            definition_hash: definition.hash,
            identity: definition.identity,
            definition: definition.value,
            ref_id: Some(ref_id(server, &self.received)),
            pinned_at: now,
        }
    }
}

/// Pins those of the tools that were never used before; to be applied before they are used.
#[must_use]
pub fn pin_first<'a>(tools: impl IntoIterator<Item = &'a EffectiveTool<'a>>, now: Timestamp) -> Commit {
    let new = tools.into_iter().filter_map(|tool| tool.seen.filter(|seen| seen.pin == PinStanding::New));
    new.fold(Commit::default(), |commit, seen| commit.put(&seen.to_pin(now)))
}

/// Takes a tool for what it is now: from here on it is pinned as that, and whoever was asked about it before is asked again.
pub async fn approve(store: &impl Store, tool: &SeenTool, now: Timestamp) -> Result<Commit, StoreError> {
    let withdrawn = approval::withdraw_all(store, &tool.tool.tool_id).await?;
    Ok(withdrawn.put(&tool.to_pin(now)))
}
