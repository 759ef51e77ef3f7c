//! Sending: the blobs that the server lacks first, then the rows that need them, sealed, a page at a time.

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::SyncError;
use super::super::payload::Rows;
use super::super::seal::Binding;
use super::{Course, Progress, Round, SyncServer, Turn, refused};
use crate::digest::BlobId;
use crate::protocol::{BlobName, SyncAnswer, SyncRequest};
use crate::record::{RowRef, Table};
use crate::store::{Durability, OutboxEntry, Store, StoredRow};
use crate::workspace::{NamedBlobs, ReadError, Trees, blobs_of, read};

/// How often a page is tried whose blobs vanish from the server, or whose number is another.
const TRIES: usize = 4;
/// Most bytes of rows in a change, packed. One row alone that has more cannot be sent.
const MOST_BYTES: usize = 16 << 20;

/// Rows that go together.
struct Page {
    entries: Vec<OutboxEntry>,
    rows: Rows,
}

impl<S: Store, R: SyncServer> Round<'_, S, R> {
    /// Sends what is in the outbox, until nothing is but what cannot be sent.
    pub(super) async fn push(&self, course: &mut Course) -> Result<(), Turn> {
        loop {
            let outbox = self.store.outbox().await?;
            let mut due: Vec<OutboxEntry> =
                outbox.into_iter().filter(|entry| !course.held.contains(&entry.row)).collect();
            if due.is_empty() {
                return Ok(());
            }
            while !due.is_empty() {
                let sent = course.synced.sent;
                (self.told)(Progress::Sending { sent, of: sent + due.len() });
                let (page, rest) = self.page(due, course).await?;
                due = rest;
                if !page.entries.is_empty() {
                    self.send(page, course).await?;
                }
            }
        }
    }

    /// The first of the rows that are due, as many as go together, and the others.
    async fn page(
        &self,
        mut due: Vec<OutboxEntry>,
        course: &mut Course,
    ) -> Result<(Page, Vec<OutboxEntry>), SyncError> {
        let mut rest = due.split_off(due.len().min(self.limits.change_rows));
        let refs: Vec<RowRef> = due.iter().map(|entry| entry.row.clone()).collect();
        let stored = self.store.stored(&refs).await?;
        let (mut taken, mut bytes) = (Vec::new(), 0);
        for (at, (entry, stored)) in due.iter().zip(stored).enumerate() {
            let Some(stored) = stored else {
                // There is nothing to send of a row that is not there; no store of ours has such an entry.
                self.store.mark_sent(std::slice::from_ref(entry)).await?;
                continue;
            };
            let size = serde_json::to_vec(&stored).map_or(0, |json| json.len());
            if size > MOST_BYTES {
                course.held.insert(entry.row.clone());
                continue;
            }
            if bytes > 0 && bytes + size > self.limits.change_bytes {
                rest = due[at..].iter().cloned().chain(rest).collect();
                break;
            }
            bytes += size;
            taken.push((entry.clone(), stored));
        }
        Ok((self.with_blobs(taken, course).await?, rest))
    }

    /// Finds what the rows need, and leaves out those that need what is not here.
    async fn with_blobs(&self, taken: Vec<(OutboxEntry, StoredRow)>, course: &mut Course) -> Result<Page, SyncError> {
        let mut trees = Trees::default();
        let mut named = Vec::with_capacity(taken.len());
        for (entry, stored) in &taken {
            match read(self.store, &mut trees, |trees| blobs_of(trees, &entry.row, stored)).await {
                Ok(found) => named.push(Some(found)),
                Err(ReadError::Workspace(_damaged)) => named.push(None),
                Err(ReadError::Store(error)) => return Err(error.into()),
            }
        }
        let all: BTreeSet<BlobId> = named.iter().flatten().flat_map(NamedBlobs::all).collect();
        let absent = self.store.missing_blobs(&all.into_iter().collect::<Vec<_>>()).await?;
        let absent: BTreeSet<BlobId> = absent.into_iter().collect();
        let mut held_manifests = BTreeSet::new();
        let (mut entries, mut rows, mut blobs) = (Vec::new(), Vec::new(), BTreeSet::new());
        for ((entry, stored), named) in taken.into_iter().zip(named) {
            let manifest = stored.fields.get("manifest_id").and_then(|id| id.as_str());
            let is_headless =
                entry.row.table == Table::NodeHeads && manifest.is_some_and(|id| held_manifests.contains(id));
            match named {
                Some(named) if !is_headless && named.needed.is_disjoint(&absent) => {
                    blobs.extend(named.all().filter(|id| !absent.contains(id)));
                    rows.push((entry.row.clone(), stored));
                    entries.push(entry);
                }
                _ => {
                    held_manifests.extend(entry.row.key.parts().last().cloned());
                    course.held.insert(entry.row);
                }
            }
        }
        let rows = Rows { rows, blobs: blobs.into_iter().collect(), ..Rows::default() };
        Ok(Page { entries, rows })
    }

    async fn send(&self, page: Page, course: &mut Course) -> Result<(), Turn> {
        let Page { entries, rows } = page;
        let names: BTreeMap<BlobName, BlobId> = rows.blobs.iter().map(|id| (self.keys.name(*id), *id)).collect();
        if !self.upload(&names, course).await?.is_empty() {
            // A file was found damaged on this device; what needs it waits until it was set right.
            course.held.extend(entries.into_iter().map(|entry| entry.row));
            return Ok(());
        }
        let written = rows.write();
        for _ in 0..TRIES {
            let sequence = course.state.sequence + 1;
            let sealed = self.keys.seal(Binding::Change { device: self.device, sequence }, &written);
            let request = SyncRequest::Push { sequence, names: names.keys().copied().collect() };
            match self.ask(Some(&course.state.epoch), request, vec![sealed]).await?.0 {
                SyncAnswer::Pushed { position } => {
                    course.state.sequence = sequence;
                    // Nothing of another device came before it: there is nothing to read there.
                    if position == course.state.cursor + 1 {
                        course.state.cursor = position;
                        course.state.seen.insert(self.device.clone(), sequence);
                    }
                    course.status.head = course.status.head.max(position);
                    course.status.log_changes += 1;
                    course.synced.sent += entries.len();
                    // In this order: what is not noted as sent is sent again.
                    self.keep(&course.state, Durability::Relaxed).await?;
                    self.store.mark_sent(&entries).await?;
                    return Ok(());
                }
                SyncAnswer::MissingBlobs { names: missing } => {
                    let missing = missing.into_iter().filter_map(|name| Some((name, *names.get(&name)?))).collect();
                    if !self.upload(&missing, course).await?.is_empty() {
                        course.held.extend(entries.into_iter().map(|entry| entry.row));
                        return Ok(());
                    }
                }
                // An answer was lost, or another tab has sent in the meantime.
                SyncAnswer::OutOfSequence { last } if last > course.state.sequence => course.state.sequence = last,
                SyncAnswer::OutOfSequence { .. } => return Err(Turn::OtherEpoch),
                other => return Err(refused(other)),
            }
        }
        Err(SyncError::Busy.into())
    }
}
