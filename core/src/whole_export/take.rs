//! Takes an export in: its bytes first, then all of its rows in one commit.
//!
//! Rows are merged as rows of another device are: of each field the newer write stays. Beyond that an import brings back and never takes
//! away. What was deleted here lives again, since whoever imports it wants it; what never changes stays as it is here; and so does
//! what decides about trust, pins and servers, whatever stamps a file may claim; nor does a file loosen what guards ([`restrained`]). The
//! same export a second time, or where it was made, changes nothing.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::layout::blob_path;
use super::restrained::restrained;
use super::{Kind, Opened, TakeError};
use crate::bundle::archive::Archive;
use crate::digest::BlobId;
use crate::record::{Chat, RowKey, RowRef, Table};
use crate::store::{Blob, Commit, Put, Store, StoreError, StoredRow, list};
use crate::sync::{Incoming, Theirs, merge};
use crate::time::Timestamp;

/// Bytes that are stored at once.
const BATCH_BYTES: usize = 8 << 20;
/// Rows that are looked at once.
const ROWS_AT_ONCE: usize = 1_000;
/// How often bytes are stored again that a clean-up has dropped before their rows came.
const TRIES: usize = 3;

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taking {
    /// The files that are stored.
    pub done: u64,
    /// Of how many.
    pub of: u64,
}

/// What an import came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Rows that are new here.
    pub added: usize,
    /// Rows that were here and have changed.
    pub changed: usize,
    /// Rows that were deleted here and live again.
    pub revived: usize,
    /// Chats among all of these.
    pub chats: usize,
    /// Files that were not here, or were damaged here.
    pub files: usize,
}

/// Takes an export in. `go_on` is told how far it is; once it says no, no row has been written and none will be.
pub async fn take(
    store: &impl Store,
    opened: &Opened,
    now: &dyn Fn() -> Timestamp,
    go_on: &dyn Fn(Taking) -> bool,
) -> Result<Option<Taken>, TakeError> {
    let mut files = 0;
    for _ in 0..TRIES {
        match bring_blobs(store, opened, now, go_on).await? {
            Some(brought) => files += brought,
            None => return Ok(None),
        }
        let (mut taken, commit) = plan(store, opened).await?;
        taken.files = files;
        if commit.puts.is_empty() && commit.incoming.is_none() {
            return Ok(Some(taken));
        }
        match store.apply(commit, now()).await {
            Ok(_) => return Ok(Some(taken)),
            // A clean-up has found them to be named by nothing, which was true until now.
            Err(StoreError::MissingBlobs(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(StoreError::BlobsTouched.into())
}

/// Stores the bytes that are not here, or are damaged here. How many that were; nothing where it was stopped.
async fn bring_blobs(
    store: &impl Store,
    opened: &Opened,
    now: &dyn Fn() -> Timestamp,
    go_on: &dyn Fn(Taking) -> bool,
) -> Result<Option<usize>, TakeError> {
    let ids: Vec<BlobId> = opened.blobs.keys().chain(opened.trees.keys()).copied().collect();
    let missing: BTreeSet<BlobId> = store.missing_blobs(&ids).await?.into_iter().collect();
    let mut archive = Archive::open(&opened.bytes, &opened.limits.of_archive()).map_err(super::Refusal::from)?;
    let (mut commit, mut bytes, mut brought) = (Commit::relaxed(), 0, 0);
    for (done, id) in ids.iter().enumerate() {
        if !go_on(Taking { done: done as u64, of: ids.len() as u64 }) {
            return Ok(None);
        }
        if !missing.contains(id) && store.blob(*id).await?.is_some_and(|here| BlobId::of(&here) == *id) {
            continue;
        }
        let content = match opened.trees.get(id) {
            Some(tree) => tree.bytes().to_vec(),
            None => archive.take(&blob_path(*id)).map_err(super::Refusal::from)?.unwrap_or_default(),
        };
        bytes += content.len();
        brought += usize::from(opened.blobs.contains_key(id));
        // Named by itself, and not by the archive, which might have changed since it was looked at.
        commit = commit.blob(Blob::new(content));
        if bytes >= BATCH_BYTES {
            store.apply(std::mem::replace(&mut commit, Commit::relaxed()), now()).await?;
            bytes = 0;
        }
    }
    if !commit.blobs.is_empty() {
        store.apply(commit, now()).await?;
    }
    Ok(Some(brought))
}

/// Whether a row is taken, and how.
enum Verdict {
    Stays,
    Merges(bool),
    Revives(Map<String, Value>),
}

/// The one commit of all rows that change anything.
async fn plan(store: &impl Store, opened: &Opened) -> Result<(Taken, Commit), StoreError> {
    let (mut taken, mut commit) = (Taken::default(), Commit::default());
    let mut incoming = Vec::new();
    let rows: Vec<(&RowRef, &StoredRow)> = opened.rows.iter().collect();
    let here = list::<Chat>(store).await?.into_iter().flatten();
    let here: BTreeSet<String> = here.map(|chat| chat.id.to_string()).collect();
    let lives =
        |part: &StoredRow| part.fields.get("chat_id").and_then(Value::as_str).is_some_and(|id| here.contains(id));
    let unused = unused_packages(store, opened).await?;
    for some in rows.chunks(ROWS_AT_ONCE) {
        let refs: Vec<RowRef> = some.iter().map(|(row, _)| (*row).clone()).collect();
        for ((row, theirs), ours) in some.iter().zip(store.stored(&refs).await?) {
            // A head that is gone here while its chat is not was moved on since: it is not one of two heads now.
            if row.table == Table::NodeHeads && ours.as_ref().is_some_and(|ours| !ours.is_alive()) && lives(theirs) {
                continue;
            }
            // Neither is a package that its toolset has moved on from; and with a chat none comes beside the one in use.
            let is_unused = of_package(row.table) && row.key.parts().first().is_some_and(|id| unused.contains(id));
            let is_gone = ours.as_ref().map_or(opened.about.kind == Kind::Chat, |ours| !ours.is_alive());
            if is_unused && is_gone {
                continue;
            }
            let theirs = &restrained(row, theirs, ours.as_ref());
            let verdict = judge(row, theirs, ours.as_ref(), opened.about.kind);
            match verdict {
                Verdict::Stays => continue,
                Verdict::Merges(is_new) => {
                    taken.added += usize::from(is_new);
                    taken.changed += usize::from(!is_new);
                    incoming.push(Theirs { row: (*row).clone(), stored: theirs.clone(), part_of: None });
                    // Other devices do not have it: it came from a file.
                    commit.resend.push((*row).clone());
                }
                Verdict::Revives(fields) => {
                    taken.revived += 1;
                    commit.puts.push(Put { row: (*row).clone(), fields, must_exist: false });
                }
            }
            taken.chats += usize::from(row.table == Table::Chats);
        }
    }
    commit.requires = opened.blobs.keys().chain(opened.trees.keys()).copied().collect();
    commit.incoming = (!incoming.is_empty()).then(|| Incoming::new(incoming));
    Ok((taken, commit))
}

fn of_package(table: Table) -> bool {
    matches!(table, Table::Packages | Table::ToolsetFiles | Table::Tools | Table::ToolRenderConfigs)
}

/// The packages of an export whose toolsets are here and will use another one.
async fn unused_packages(store: &impl Store, opened: &Opened) -> Result<BTreeSet<String>, StoreError> {
    let mut unused = BTreeSet::new();
    for (row, package) in opened.rows.iter().filter(|(row, _)| row.table == Table::Packages) {
        let Some(toolset) = package.fields.get("toolset_id").and_then(Value::as_str) else { continue };
        let toolset = RowRef { table: Table::Toolsets, key: RowKey::one(toolset) };
        let Some(here) = store.row(&toolset).await? else { continue };
        let after = match opened.rows.get(&toolset) {
            Some(theirs) if opened.about.kind == Kind::All => merge(&here, theirs),
            _ => here,
        };
        if after.fields.get("package").and_then(Value::as_str) != row.key.parts().first().map(String::as_str) {
            unused.extend(row.key.parts().first().cloned());
        }
    }
    Ok(unused)
}

fn judge(row: &RowRef, theirs: &StoredRow, ours: Option<&StoredRow>, kind: Kind) -> Verdict {
    let Some(ours) = ours else { return Verdict::Merges(true) };
    if !ours.is_alive() {
        return Verdict::Revives(theirs.fields.clone());
    }
    match row.table {
        // They never change.
        Table::Messages
        | Table::WorkspaceManifests
        | Table::NodeHeads
        | Table::Packages
        | Table::ToolsetFiles
        | Table::Tools
        | Table::ToolRenderConfigs => Verdict::Stays,
        // What the user trusts, and where their tools connect to, is not for a file to change.
        Table::Pins | Table::ToolsetMcpServers => Verdict::Stays,
        // With a chat come the toolsets that are lacking; those that are here are their user's.
        Table::Toolsets if kind == Kind::Chat => Verdict::Stays,
        Table::Chats if is_binned(ours) => {
            let mut fields = merge(ours, theirs).fields;
            fields.insert("soft_deleted_at".into(), Value::Null);
            Verdict::Revives(fields)
        }
        Table::Settings
        | Table::Toolsets
        | Table::ToolOverrides
        | Table::Chats
        | Table::ToolCalls
        | Table::SavedToolsets
        | Table::Kv => {
            if merge(ours, theirs) == *ours {
                Verdict::Stays
            } else {
                Verdict::Merges(false)
            }
        }
        // These are in no export.
        Table::Drafts
        | Table::Positions
        | Table::Grants
        | Table::Approvals
        | Table::ToolMetrics
        | Table::PythonPackages
        | Table::McpSeen => Verdict::Stays,
    }
}

/// Whether a chat was deleted and can still be brought back. An export has none such, so whoever imports it wants it back.
fn is_binned(chat: &StoredRow) -> bool {
    chat.fields.get("soft_deleted_at").is_some_and(|at| !at.is_null())
}
