//! Clean-up: deletes for good what was deleted longer ago than it can be brought back, and then the blobs that nothing names.

use crate::catalog::{self, ToolsetLimits};
use crate::conversation::{ConversationLimits, is_due_for_purge};
use crate::ids::ChatId;
use crate::record::{Chat, Record as _, RowRef, Table};
use crate::store::{Commit, Drops, Store, StoreError};
use crate::time::Timestamp;
use crate::workspace::{ReadError, Rows, Trees, all_rows, garbage, live_blobs, purge_chat, read};

/// How long things can be brought back.
#[derive(Clone, Copy, Debug, Default)]
pub struct UndoLimits {
    /// Chats.
    pub conversation: ConversationLimits,
    /// Toolsets.
    pub toolset: ToolsetLimits,
}

/// What a clean-up has removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Chats.
    pub chats: usize,
    /// Toolsets.
    pub toolsets: usize,
    /// Blobs.
    pub blobs: usize,
}

/// How often the search for unused blobs begins again because files were stored meanwhile. After that the next clean-up has them.
const PATIENCE: usize = 3;

/// Cleans up. A chat or a toolset that is brought back at the same moment stays (C24, C50).
pub async fn clean_up(store: &impl Store, limits: UndoLimits, now: Timestamp) -> Result<Cleaned, ReadError> {
    let chats = purge_chats(store, limits.conversation, now).await?;
    let toolsets = catalog::purge_expired(store, limits.toolset, now).await?.len();
    let mut blobs = 0;
    for _ in 0..PATIENCE {
        match drop_unused(store, now).await {
            Ok(dropped) => {
                blobs = dropped;
                break;
            }
            Err(ReadError::Store(StoreError::BlobsTouched)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Cleaned { chats, toolsets, blobs })
}

async fn purge_chats(store: &impl Store, limits: ConversationLimits, now: Timestamp) -> Result<usize, StoreError> {
    let mut purged = 0;
    for (key, stored) in store.rows(Table::Chats).await? {
        let row = RowRef { table: Table::Chats, key };
        let stamp = stored.stamp().cloned();
        // A row that cannot be read is never deleted by itself (R317).
        let Ok(chat) = stored.record::<Chat>(&row) else { continue };
        if !is_due_for_purge(&chat, limits, now) {
            continue;
        }
        let commit = purge_chat(&chat.id, &rows_of(store, &chat.id).await?).expect(row, stamp);
        match store.apply(commit, now).await {
            Ok(_) => purged += 1,
            // It was brought back in another tab just now.
            Err(StoreError::Changed(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(purged)
}

/// Every row that belongs to a chat, its own included.
async fn rows_of(store: &impl Store, chat: &ChatId) -> Result<Rows, StoreError> {
    let mut rows = Rows::new();
    let own = RowRef { table: Chat::TABLE, key: crate::record::RowKey::one(chat.as_str()) };
    if let Some(stored) = store.row(&own).await? {
        rows.insert(own, stored);
    }
    for table in [Table::Messages, Table::ToolCalls, Table::WorkspaceManifests, Table::NodeHeads] {
        let found = store.rows_where(table, "chat_id", chat.as_str()).await?;
        rows.extend(found.into_iter().map(|(key, stored)| (RowRef { table, key }, stored)));
    }
    let approvals = store.rows(Table::Approvals).await?;
    rows.extend(approvals.into_iter().map(|(key, stored)| (RowRef { table: Table::Approvals, key }, stored)));
    Ok(rows)
}

/// Drops the blobs that nothing names. Where a tree cannot be read nothing is dropped: what is below it is not known.
async fn drop_unused(store: &impl Store, now: Timestamp) -> Result<usize, ReadError> {
    let touched = store.blobs_touched().await?;
    let rows = all_rows(store).await?;
    let live = match read(store, &mut Trees::default(), |trees| live_blobs(trees, &rows)).await {
        Ok(live) => live,
        Err(ReadError::Workspace(_damaged)) => return Ok(0),
        Err(error) => return Err(error),
    };
    let unused = garbage(store.blob_ids().await?, &live);
    let count = unused.len();
    if count > 0 {
        store.apply(Commit { drops: Some(Drops { blobs: unused, touched }), ..Commit::default() }, now).await?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests;
