//! Whether a tool may run: what asks, what was asked before, and what each answer means (R197, R307).
//!
//! An approval is never for a name alone. It is bound to the hash of the tool's whole definition, which has the package in it, so that
//! a tool that has become another one asks again (C14). Hints that a tool gives about itself choose the button that is ready to be
//! pressed, and nothing else: they are the author's words.

mod remembered;
mod request;

pub use remembered::{Remembered, remember, remembered, withdraw, withdraw_all, withdraw_of_package};
pub use request::{Answer, ApprovalRequest, DefaultButton, Denied, Hints, Verdict};

use serde_json::Value;

use crate::bundle::canonical_json;
use crate::catalog::{EffectiveTool, ToolId};
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::mcp::{SeenTool, ref_id};
use crate::record::{Approval, Pin, RowKey, RowRef, Tool, ToolKind};
use crate::store::{self, Rows, Store, StoreError};
use crate::time::Timestamp;

/// The whole definition of a tool with the identity of who gives it, and its name (C14).
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// What the tool is, by its author's words.
    pub value: Value,
    /// The package it is in, the toolset of an HTTP tool, or the MCP server that offers it.
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
        // An HTTP tool is nothing but its definition. Another tool of its bundle may change without it, which makes another package.
        let identity = match (tool.kind, &tool.toolset_id) {
            (ToolKind::Http, Some(toolset)) => toolset.to_string(),
            _ => tool.package.to_string(),
        };
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
        let reference = |seen: &SeenTool| match &seen.tool.tool_id {
            ToolId::Mcp(key, _) => Some(ref_id(key.server.as_str(), &seen.received)),
            ToolId::BuiltIn(_) | ToolId::Toolset(..) => None,
        };
        Pin {
            tool_id: tool.declared.tool_id.clone(),
            toolset_id: Some(tool.toolset.clone()),
            definition_hash: self.hash,
            identity: self.identity.clone(),
            definition: self.value.clone(),
            ref_id: tool.seen.and_then(reference),
            pinned_at: now,
        }
    }
}

/// Whether a call of this tool in this chat may be made. What asks is the effective `requires_confirmation` (C41): as declared, off
/// where nothing is declared, and whatever the user has put over it.
/// `found` is what was stored under [`approval_rows`].
#[must_use]
pub fn standing(tool: &EffectiveTool<'_>, definition: &Definition, found: &[Rows; 2]) -> Standing {
    if !tool.requires_confirmation {
        return Standing::Free;
    }
    // What cannot be read approves nothing.
    let mut approvals = found.iter().flat_map(|rows| store::records_of::<Approval>(rows.clone())).flatten();
    match approvals.any(|approval| approval.definition_hash == definition.hash) {
        true => Standing::Remembered,
        false => Standing::Ask,
    }
}

/// Where it is kept that a tool need not ask: in all chats, and in this one.
#[must_use]
pub fn approval_rows(tool: &ToolId, chat: &ChatId) -> [RowRef; 2] {
    [None, Some(chat.clone())].map(|chat_id| {
        let (definition_hash, approved_at) = (BlobId::of(b""), Timestamp::default());
        RowRef::of(&Approval { tool_id: tool.clone(), chat_id, definition_hash, approved_at })
    })
}

/// The pin of a tool: what it was when it was first used, or last approved as what it had become. One that cannot be read is not shown.
pub async fn pin(store: &impl Store, tool: &ToolId) -> Result<Option<Pin>, StoreError> {
    match store::get::<Pin>(store, RowKey::one(tool.to_string())).await {
        Err(StoreError::Unreadable { .. }) => Ok(None),
        found => found,
    }
}

#[cfg(test)]
mod tests;
