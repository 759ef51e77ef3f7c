//! Verifying: is everything of a chat, or of all of them, still what its name says, and do its Python calls do again what they did
//! (R310)?
//!
//! Nothing is changed. [`rehash`] hashes every blob again and follows every state to its last file; [`rerun`] makes calls once more on the
//! files they saw, and compares. Whether the user wants that is asked before; here it is done.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::digest::BlobId;
use crate::ids::{ChatId, ToolCallId};
use crate::python::CallPython;
use crate::record::{RowRef, Table, ToolCall};
use crate::store::{Lookup, Store, StoreError, StoredRow, records_of};
use crate::time::Timestamp;
use crate::tool_run::{Again, Rerunner};
use crate::whole_export::Extent;
use crate::workspace::{Checked, Entry, Finding, ReadError, Rows, Stored, Tree, Trees, blobs_of, check, inspect, read};

/// What was hashed again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashed {
    /// How many blobs.
    pub blobs: usize,
    /// How many states of files were followed to their last file.
    pub manifests: usize,
    /// Everything that is not as it should be, a sentence each.
    pub findings: Vec<String>,
}

/// A call that was run again, or why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rerun {
    /// The call.
    pub call: ToolCallId,
    /// Its chat.
    pub chat: ChatId,
    /// The tool.
    pub tool_id: String,
    /// When it was made.
    pub started_at: Timestamp,
    /// What the second run has shown.
    pub again: Again,
}

/// Hashes everything again. `go_on` is told how far it is, and nothing comes of it once it says no.
pub async fn rehash(
    store: &impl Store,
    extent: &Extent,
    go_on: impl Fn(Checked) -> bool,
) -> Result<Option<Hashed>, ReadError> {
    let report = match extent {
        Extent::All => inspect(store, go_on).await?,
        Extent::Chat(chat) => {
            let rows = rows_of(store, chat).await?;
            let Some(blobs) = hash_named(store, &rows, go_on).await? else { return Ok(None) };
            Some(read(store, &mut Trees::default(), |trees| check(trees, &rows, &blobs)).await?)
        }
    };
    Ok(report.map(|report| Hashed {
        blobs: report.blobs,
        manifests: report.manifests,
        findings: report.findings.iter().map(Finding::to_string).collect(),
    }))
}

/// The calls of a chat, or of all, in the order in which they were made.
pub async fn calls(store: &impl Store, extent: &Extent) -> Result<Vec<ToolCall>, StoreError> {
    let wanted = match extent {
        Extent::All => Lookup::All(Table::ToolCalls),
        Extent::Chat(chat) => Lookup::Where(Table::ToolCalls, "chat_id", chat.as_str()),
    };
    let [found] = store.look_up([wanted]).await?;
    // One that cannot be read is found by the check.
    let mut calls: Vec<ToolCall> = records_of(found).into_iter().flatten().collect();
    calls.sort_by(|one, other| (one.started_at, &one.id).cmp(&(other.started_at, &other.id)));
    Ok(calls)
}

/// Makes the calls once more, one after the other. `go_on` is told how many are done, and what is done by then is what comes of it once it
/// says no.
pub async fn rerun<S: Store, P: CallPython + ?Sized>(
    rerunner: &Rerunner<'_, S, P>,
    calls: &[ToolCall],
    go_on: impl Fn(u64, u64) -> bool,
) -> Result<Vec<Rerun>, StoreError> {
    let mut reruns = Vec::with_capacity(calls.len());
    for (done, call) in calls.iter().enumerate() {
        if !go_on(done as u64, calls.len() as u64) {
            break;
        }
        let again = rerunner.run_again(call).await?;
        let ToolCall { id, chat_id, tool_id, started_at, .. } = call.clone();
        reruns.push(Rerun { call: id, chat: chat_id, tool_id, started_at, again });
    }
    Ok(reruns)
}

/// The rows of a chat.
async fn rows_of(store: &impl Store, chat: &ChatId) -> Result<Rows, StoreError> {
    let chat_row = RowRef { table: Table::Chats, key: crate::record::RowKey::one(chat.as_str()) };
    let tables = [Table::Messages, Table::ToolCalls, Table::WorkspaceManifests, Table::NodeHeads];
    let of_chat = |table| Lookup::Where(table, "chat_id", chat.as_str());
    let [messages, calls, manifests, heads] = tables.map(of_chat);
    let found = store.look_up([Lookup::Row(&chat_row), messages, calls, manifests, heads]).await?;
    let tables = [Table::Chats].into_iter().chain(tables);
    let rows = tables
        .zip(found)
        .flat_map(|(table, rows)| rows.into_iter().map(move |(key, stored)| (RowRef { table, key }, stored)));
    Ok(rows.collect())
}

/// Hashes the blobs that rows name, those below their trees included; each once, and one in memory at a time.
async fn hash_named(
    store: &impl Store,
    rows: &Rows,
    go_on: impl Fn(Checked) -> bool,
) -> Result<Option<BTreeMap<BlobId, Stored>>, StoreError> {
    let (mut trees, mut waiting) = (BTreeSet::new(), BTreeSet::new());
    for (row, stored) in rows {
        match root_of(row, stored) {
            Some(root) => drop(trees.insert(root)),
            None => waiting.extend(blobs_of(&Trees::default(), row, stored).unwrap_or_default().needed),
        }
    }
    waiting.extend(&trees);
    let mut hashed = BTreeMap::new();
    while let Some(id) = waiting.pop_first() {
        let done = hashed.len() as u64;
        if !go_on(Checked { blobs: done, of: done + 1 + waiting.len() as u64 }) {
            return Ok(None);
        }
        let Some(bytes) = store.blob(id).await? else { continue };
        let is_sound = BlobId::of(&bytes) == id;
        hashed.insert(id, if is_sound { Stored::Sound { size: bytes.len() as u64 } } else { Stored::Broken });
        if let Some(tree) = (is_sound && trees.contains(&id)).then(|| Tree::parse(&bytes).ok()).flatten() {
            for (_, entry) in tree.entries() {
                let below = match entry {
                    Entry::File(file) => file.sha256,
                    Entry::Tree(folder) => {
                        // It may have been hashed as somebody's file already; what is below it has not.
                        if trees.insert(folder.sha256) {
                            hashed.remove(&folder.sha256);
                        }
                        folder.sha256
                    }
                };
                if !hashed.contains_key(&below) {
                    waiting.insert(below);
                }
            }
        }
    }
    Ok(Some(hashed))
}

fn root_of(row: &RowRef, stored: &StoredRow) -> Option<BlobId> {
    let root = stored.fields.get("root").filter(|_| row.table == Table::WorkspaceManifests)?;
    BlobId::parse(root.as_str()?).ok()
}
