//! Which blobs are needed (C24), and with that, which are not.
//!
//! A blob lives while any row names it. Rows are read here as plain values, not by their types: a row that this version
//! cannot read, or a field that it does not know, keeps its blobs as well. To keep one blob too many costs some space, to
//! drop one too many loses a file. Rows within their undo time are rows like any other; what ends it is their deletion, as
//! by [`purge_chat`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::trees::Walk;
use super::{Entry, FileEntry, Totals, Tree, TreeFault, Trees, WorkspaceError, WorkspacePath, empty_root, references};
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::record::{Draft, RowRef, Table};
use crate::store::{Commit, StoredRow};

/// The rows of all tables.
pub type Rows = BTreeMap<RowRef, StoredRow>;

/// Every blob that a row names, be it by way of trees. Fails where a tree cannot be read, since nobody knows what it would
/// have named: nothing may be freed then.
pub fn live_blobs(trees: &Trees, rows: &Rows) -> Result<BTreeSet<BlobId>, WorkspaceError> {
    let mut live = BTreeSet::new();
    for (_, stored) in alive(rows) {
        stored.fields.values().for_each(|value| name_blobs(value, &mut live));
    }
    let folders = walk_all(trees, rows, &mut |file| {
        live.insert(file.sha256);
    })?;
    live.extend(folders);
    Ok(live)
}

/// The blobs that one row names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedBlobs {
    /// Without these the row is broken.
    pub needed: BTreeSet<BlobId>,
    /// These may be blobs, or only read as such.
    pub mentioned: BTreeSet<BlobId>,
}

impl NamedBlobs {
    /// All of them; some may come twice.
    pub fn all(&self) -> impl Iterator<Item = BlobId> {
        self.needed.iter().chain(&self.mentioned).copied()
    }
}

/// The blobs that a row names, be it by way of trees: what has to go with it to another device. A deleted row names none.
pub fn blobs_of(trees: &Trees, row: &RowRef, stored: &StoredRow) -> Result<NamedBlobs, WorkspaceError> {
    let mut named = NamedBlobs::default();
    if !stored.is_alive() {
        return Ok(named);
    }
    named.needed = references::blobs(row, stored);
    stored.fields.values().for_each(|value| name_blobs(value, &mut named.mentioned));
    let one = Rows::from([(row.clone(), stored.clone())]);
    let folders = walk_all(trees, &one, &mut |file| {
        named.needed.insert(file.sha256);
    })?;
    // The folder without files need not be stored.
    named.needed.extend(folders.into_iter().filter(|folder| *folder != empty_root()));
    Ok(named)
}

/// How many different files all states of all chats hold, and their bytes.
pub fn stored_files(trees: &Trees, rows: &Rows) -> Result<Totals, WorkspaceError> {
    let mut sizes = BTreeMap::new();
    walk_all(trees, rows, &mut |file| {
        sizes.insert(file.sha256, file.size);
    })?;
    Ok(Totals { files: sizes.len() as u64, bytes: sizes.values().sum() })
}

/// The stored blobs that nothing needs.
#[must_use]
pub fn garbage(stored: impl IntoIterator<Item = BlobId>, live: &BTreeSet<BlobId>) -> Vec<BlobId> {
    stored.into_iter().filter(|id| !live.contains(id)).collect()
}

/// Deletes a chat for good, with everything that belongs to it. What this leaves without a name is garbage (R042).
#[must_use]
pub fn purge_chat(chat: &ChatId, rows: &Rows) -> Commit {
    let belongs = |row: &RowRef, stored: &StoredRow| match row.table {
        Table::Chats => row.key.parts() == [chat.as_str()],
        Table::Messages | Table::ToolCalls | Table::WorkspaceManifests | Table::NodeHeads | Table::Approvals => {
            stored.fields.get("chat_id").and_then(Value::as_str) == Some(chat.as_str())
        }
        Table::Drafts => row.key.parts().first().is_some_and(|place| Draft::is_of_chat(place, chat)),
        Table::Settings
        | Table::Positions
        | Table::Toolsets
        | Table::Packages
        | Table::ToolsetFiles
        | Table::Tools
        | Table::ToolRenderConfigs
        | Table::ToolOverrides
        | Table::ToolsetMcpServers
        | Table::SavedToolsets
        | Table::Kv
        | Table::Pins
        | Table::Grants
        | Table::ToolMetrics
        | Table::PythonPackages
        | Table::McpSeen => false,
    };
    let doomed = alive(rows).filter(|(row, stored)| belongs(row, stored));
    doomed.fold(Commit::default(), |commit, (row, _)| commit.delete(row.clone()))
}

/// The rows that were not deleted.
pub(super) fn alive(rows: &Rows) -> impl Iterator<Item = (&RowRef, &StoredRow)> {
    rows.iter().filter(|(_, stored)| stored.is_alive())
}

/// The tree that a row of `workspace_manifests` names.
fn root_of(row: &RowRef, stored: &StoredRow) -> Option<BlobId> {
    let root = stored.fields.get("root").filter(|_| row.table == Table::WorkspaceManifests)?;
    BlobId::parse(root.as_str()?).ok()
}

/// Shows every file of every state, as often as it comes up in different folders; gives the names of all folders.
fn walk_all(
    trees: &Trees,
    rows: &Rows,
    on_file: &mut dyn FnMut(FileEntry),
) -> Result<BTreeSet<BlobId>, WorkspaceError> {
    let roots: BTreeSet<BlobId> = alive(rows).filter_map(|(row, stored)| root_of(row, stored)).collect();
    let mut walk = Walk::over(trees);
    let mut seen = BTreeSet::new();
    for root in roots {
        if seen.insert(root)
            && let Some(tree) = walk.root(root)?
        {
            walk_below(&mut walk, (root, tree), 1, &mut seen, on_file)?;
        }
    }
    walk.finish(seen)
}

/// A folder that was seen is not walked again, wherever it is met: what is below it is the same.
fn walk_below<'t>(
    walk: &mut Walk<'t>,
    (id, tree): (BlobId, &'t Tree),
    depth: usize,
    seen: &mut BTreeSet<BlobId>,
    on_file: &mut dyn FnMut(FileEntry),
) -> Result<(), WorkspaceError> {
    if depth > WorkspacePath::MAX_DEPTH {
        return Err(WorkspaceError::Damaged { tree: id, fault: TreeFault::Paths });
    }
    for (_, entry) in tree.entries() {
        match entry {
            Entry::File(file) => on_file(file),
            Entry::Tree(folder) => {
                if seen.insert(folder.sha256)
                    && let Some(tree) = walk.root(folder.sha256)?
                {
                    walk_below(walk, (folder.sha256, tree), depth + 1, seen, on_file)?;
                }
            }
        }
    }
    Ok(())
}

/// Every text that reads as the name of a blob, with or without `cas:` before it.
fn name_blobs(value: &Value, names: &mut BTreeSet<BlobId>) {
    let mut name = |text: &str| {
        let digits = text.strip_prefix("cas:").unwrap_or(text);
        if digits.len() == 64 {
            names.extend(BlobId::parse(digits));
        }
    };
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => name(text),
        Value::Array(values) => values.iter().for_each(|value| name_blobs(value, names)),
        Value::Object(members) => {
            members.keys().for_each(|key| name(key));
            members.values().for_each(|value| name_blobs(value, names));
        }
    }
}

#[cfg(test)]
mod tests;
