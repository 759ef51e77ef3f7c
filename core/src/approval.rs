//! Whether a tool may run: what asks, what was asked before, and what each answer means (R197, R307).
//!
//! An approval is never for a name alone. It is bound to the hash of the tool's whole definition, which has the package in it, so that
//! a tool that has become another one asks again (C14). Hints that a tool gives about itself choose the button that is ready to be
//! pressed, and nothing else: they are the author's words.

mod remembered;
mod request;

pub use remembered::{Remembered, remember, remembered, withdraw, withdraw_all};
pub use request::{Answer, ApprovalRequest, DefaultButton, Denied, Hints, Verdict};

use serde_json::Value;

use crate::bundle::canonical_json;
use crate::catalog::{EffectiveTool, ToolId};
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::mcp::SeenTool;
use crate::record::{Approval, Pin, RowKey, Tool};
use crate::store::{self, Store, StoreError};
use crate::time::Timestamp;

/// The whole definition of a tool with the identity of who gives it, and its name (C14).
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// What the tool is, by its author's words.
    pub value: Value,
    /// The package it is in, or the MCP server that offers it.
    pub identity: String,
    /// The name of both.
    pub hash: BlobId,
}

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The tool does not ask.
    Free,
    /// The user has said so before.
    Remembered,
    /// The user has to be asked.
    Ask,
}

impl Definition {
    /// The definition of a tool of a package. When it was installed, and its second name, which is made here, are no part of it;
    /// neither is what the user has changed about it, which is the user's own doing.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        let mut value = serde_json::to_value(tool).expect("a record has text keys and no failing serialiser");
        if let Value::Object(members) = &mut value {
            members.retain(|name, _| !matches!(name.as_str(), "uid" | "created_at" | "modified_at" | "package"));
        }
        let identity = tool.package.to_string();
        let hash = BlobId::of(format!("satchel tool 1\n{identity}\n{}", canonical_json(&value)).as_bytes());
        Self { value, identity, hash }
    }

    /// The definition of a tool that is in effect: of one of an MCP server, the whole object that the server sent.
    #[must_use]
    pub fn of_effective(tool: &EffectiveTool<'_>) -> Self {
        tool.seen.map_or_else(|| Self::of(tool.declared), SeenTool::definition)
    }

    /// The row that remembers it, so that what has changed can be shown.
    #[must_use]
    pub fn pin(&self, tool: &EffectiveTool<'_>, now: Timestamp) -> Pin {
        if let Some(seen) = tool.seen {
            return seen.to_pin(now);
        }
        Pin {
            tool_id: tool.declared.tool_id.clone(),
            toolset_id: None,
            definition_hash: self.hash,
            identity: self.identity.clone(),
            definition: self.value.clone(),
            ref_id: None,
            pinned_at: now,
        }
    }
}

/// Whether a call of this tool in this chat may be made. What asks is the effective `requires_confirmation` (C41): as declared, off
/// where nothing is declared, and whatever the user has put over it.
pub async fn standing(
    store: &impl Store,
    tool: &EffectiveTool<'_>,
    definition: &Definition,
    chat: &ChatId,
) -> Result<Standing, StoreError> {
    if !tool.requires_confirmation {
        return Ok(Standing::Free);
    }
    let tool_id = &tool.declared.tool_id;
    for scope in [None, Some(chat.clone())] {
        let row = Approval {
            tool_id: tool_id.clone(),
            chat_id: scope,
            definition_hash: definition.hash,
            approved_at: Timestamp::default(),
        };
        match store::get::<Approval>(store, key_of(&row)).await {
            Ok(Some(found)) if found.definition_hash == definition.hash => return Ok(Standing::Remembered),
            // What cannot be read approves nothing.
            Ok(_) | Err(StoreError::Unreadable { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Standing::Ask)
}

/// What a tool was when it was last approved for longer than one call, if it has become another one since.
pub async fn before(store: &impl Store, definition: &Definition, tool: &ToolId) -> Result<Option<Value>, StoreError> {
    let pin = pin(store, tool).await?;
    Ok(pin.filter(|pin| pin.definition_hash != definition.hash).map(|pin| pin.definition))
}

/// The pin of a tool: what it was when it was last approved for longer than one call. One that cannot be read is not shown.
pub async fn pin(store: &impl Store, tool: &ToolId) -> Result<Option<Pin>, StoreError> {
    match store::get::<Pin>(store, RowKey::one(tool.to_string())).await {
        Err(StoreError::Unreadable { .. }) => Ok(None),
        found => found,
    }
}

fn key_of(row: &Approval) -> RowKey {
    crate::record::Record::key(row)
}

#[cfg(test)]
mod tests;
