//! What was approved for longer than one call: to be looked at, and to be taken back.

use super::{Definition, Verdict};
use crate::catalog::{EffectiveTool, InstalledToolset, ToolId, ToolsetId};
use crate::ids::ChatId;
use crate::record::{Approval, RowKey, RowRef, Table, Tool, Toolset};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// A remembered approval, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The row.
    pub approval: Approval,
    /// Whether the tool is still what it was approved as; if not, the row approves nothing, and can only be taken away.
    pub holds: bool,
}

/// What an answer makes the device remember: nothing for one call; else that the tool need not ask, bound to its definition, and
/// that definition, so that what has changed can be shown when it asks again (C14).
#[must_use]
pub fn remember(
    verdict: &Verdict,
    tool: &EffectiveTool<'_>,
    definition: &Definition,
    chat: &ChatId,
    now: Timestamp,
) -> Commit {
    let scope = match verdict {
        Verdict::Once | Verdict::Deny { .. } => return Commit::default(),
        Verdict::Chat => Some(chat.clone()),
        Verdict::Always => None,
    };
    let tool_id = tool.declared.tool_id.clone();
    let approval = Approval { tool_id, chat_id: scope, definition_hash: definition.hash, approved_at: now };
    Commit::default().put(&approval).put(&definition.pin(tool, now))
}

/// Everything that is remembered, by tool. Rows that cannot be read come as errors of their own and approve nothing.
pub async fn remembered(store: &impl Store) -> Result<(Vec<Remembered>, Vec<StoreError>), StoreError> {
    let (mut known, mut broken) = (Vec::new(), Vec::new());
    for row in store::list::<Approval>(store).await? {
        match row {
            Ok(approval) => {
                let holds = holds(store, &approval).await?;
                known.push(Remembered { approval, holds });
            }
            Err(error) => broken.push(error),
        }
    }
    Ok((known, broken))
}

/// Takes one back.
#[must_use]
pub fn withdraw(approval: &Approval) -> Commit {
    Commit::default().delete(RowRef::of(approval))
}

/// Takes back everything that is remembered of a tool, in all chats.
pub async fn withdraw_all(store: &impl Store, tool: &ToolId) -> Result<Commit, StoreError> {
    let table = Table::Approvals;
    let rows = store.rows_where(table, "tool_id", &tool.to_string()).await?;
    Ok(rows.into_iter().fold(Commit::default(), |commit, (key, _)| commit.delete(RowRef { table, key })))
}

/// Takes back everything that is remembered of the tools that a toolset's package has: it is about to have another one (C14). What its
/// MCP servers offer is none of the package's.
pub async fn withdraw_of_package(store: &impl Store, toolset: &ToolsetId) -> Result<Commit, StoreError> {
    let table = Table::Approvals;
    let mut commit = Commit::default();
    for (key, _) in store.rows(table).await? {
        let tool = key.parts().first().and_then(|tool| ToolId::parse(tool).ok());
        if matches!(tool, Some(ToolId::Toolset(of, _)) if of == *toolset) {
            commit = commit.delete(RowRef { table, key });
        }
    }
    Ok(commit)
}

async fn holds(store: &impl Store, approval: &Approval) -> Result<bool, StoreError> {
    if let ToolId::Mcp(key, _) = &approval.tool_id {
        let installed = InstalledToolset::find(store, key.toolset.as_str()).await?;
        let installed = installed.filter(|installed| installed.toolset.soft_deleted_at.is_none());
        let seen = installed.iter().flat_map(|installed| &installed.seen).flat_map(|server| &server.tools);
        let mut same = seen.filter(|seen| seen.tool.tool_id == approval.tool_id);
        return Ok(same.any(|seen| seen.definition().hash == approval.definition_hash));
    }
    let tools = store::list_where::<Tool>(store, "tool_id", &approval.tool_id.to_string()).await?;
    for tool in tools.into_iter().flatten() {
        // Older packages of the toolset are stored too; only the active one runs.
        let Some(toolset) = &tool.toolset_id else { continue };
        let row: Option<Toolset> = store::get(store, RowKey::one(toolset.as_str())).await?;
        let active = row.is_some_and(|row| row.package == tool.package && row.soft_deleted_at.is_none());
        if active && Definition::of(&tool).hash == approval.definition_hash {
            return Ok(true);
        }
    }
    Ok(false)
}
