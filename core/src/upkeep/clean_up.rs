//! Clean-up: deletes for good what was deleted longer ago than it can be brought back, and then the blobs that nothing names.

use crate::catalog::{self, ToolsetLimits};
use crate::conversation::{ConversationLimits, is_due_for_purge};
use crate::ids::ChatId;
use crate::record::{Chat, Record as _, RowKey, RowRef, Table};
use crate::store::{Commit, Drops, Store, StoreError, StoredRow};
use crate::sync::Stamp;
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
    let blobs = free(store, now).await?;
    Ok(Cleaned { chats, toolsets, blobs })
}

/// Deletes a deleted chat for good, before its time is over; whether it did. One that was brought back meanwhile stays.
pub async fn purge_deleted_chat(store: &impl Store, id: &ChatId, now: Timestamp) -> Result<bool, ReadError> {
    let row = RowRef { table: Table::Chats, key: RowKey::one(id.as_str()) };
    let Some(stored) = store.row(&row).await?.filter(StoredRow::is_alive) else { return Ok(false) };
    let stamp = stored.stamp().cloned();
    let is_deleted = stored.record::<Chat>(&row)?.soft_deleted_at.is_some();
    let gone = is_deleted && purge_one(store, id, row, stamp, now).await?;
    if gone {
        free(store, now).await?;
    }
    Ok(gone)
}

/// Drops what nothing names; how many blobs that were.
async fn free(store: &impl Store, now: Timestamp) -> Result<usize, ReadError> {
    for _ in 0..PATIENCE {
        match drop_unused(store, now).await {
            Err(ReadError::Store(StoreError::BlobsTouched)) => {}
            dropped => return dropped,
        }
    }
    Ok(0)
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
        purged += usize::from(purge_one(store, &chat.id, row, stamp, now).await?);
    }
    Ok(purged)
}

/// Deletes a chat for good, if its row is still what it was; whether it did.
async fn purge_one(
    store: &impl Store,
    id: &ChatId,
    row: RowRef,
    stamp: Option<Stamp>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let commit = purge_chat(id, &rows_of(store, id).await?).expect(row, stamp);
    match store.apply(commit, now).await {
        Ok(_) => Ok(true),
        // It was brought back in another tab just now.
        Err(StoreError::Changed(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Every row that belongs to a chat, its own included.
async fn rows_of(store: &impl Store, chat: &ChatId) -> Result<Rows, StoreError> {
    let mut rows = Rows::new();
    let own = RowRef { table: Chat::TABLE, key: RowKey::one(chat.as_str()) };
    if let Some(stored) = store.row(&own).await? {
        rows.insert(own, stored);
    }
    for table in [Table::Messages, Table::ToolCalls, Table::WorkspaceManifests, Table::NodeHeads] {
        let found = store.rows_where(table, "chat_id", chat.as_str()).await?;
        rows.extend(found.into_iter().map(|(key, stored)| (RowRef { table, key }, stored)));
    }
    // What is typed in it and not sent goes with it, and names files of it.
    for table in [Table::Approvals, Table::Drafts] {
        let found = store.rows(table).await?;
        rows.extend(found.into_iter().map(|(key, stored)| (RowRef { table, key }, stored)));
    }
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
