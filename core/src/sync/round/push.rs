//! Sending: the blobs that the server lacks first, then the rows that need them, sealed, a page at a time.

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::SyncError;
use super::super::payload::Rows;
use super::super::seal::Binding;
use super::{Course, Progress, Round, SyncServer, Turn, refused};
use crate::digest::BlobId;
use crate::protocol::{BlobName, SyncAnswer, SyncRequest};
use crate::record::{RowKey, RowRef, Table};
use crate::store::{Durability, OutboxEntry, Store, StoredRow};
use crate::workspace::{NamedBlobs, ReadError, Trees, blobs_of, read};

/// How often a page is tried whose blobs vanish from the server, or whose number is another.
const TRIES: usize = 4;
/// Most bytes of rows in a change, packed. One row alone that has more cannot be sent.
const MOST_BYTES: usize = 16 << 20;

/// Why a row is not sent.
#[derive(Clone, Copy)]
enum Reason {
    /// What it needs is missing or damaged on this device.
    Unsound,
    /// The server has no room for what it needs.
    NoRoom,
}

impl Course {
    /// Whether a row is not sent in this round.
    fn stays(&self, row: &RowRef) -> bool {
        self.held.contains(row) || self.waiting.contains(row)
    }

    /// There is no room for these.
    fn wait(&mut self, quota_bytes: u64, entries: Vec<OutboxEntry>) {
        self.synced.full = Some(quota_bytes);
        self.waiting.extend(entries.into_iter().map(|entry| entry.row));
    }
}

/// Rows that go together.
struct Page {
    entries: Vec<OutboxEntry>,
    rows: Vec<(RowRef, StoredRow)>,
    /// What each of them names.
    named: Vec<NamedBlobs>,
}

impl<S: Store, R: SyncServer> Round<'_, S, R> {
    /// Sends what is in the outbox, until nothing is but what cannot be sent. Where the server has no room for files, what needs them waits,
    /// and all else goes: a deletion makes room.
    pub(super) async fn push(&self, course: &mut Course) -> Result<(), Turn> {
        loop {
            let outbox = self.store.outbox().await?;
            let mut due: Vec<OutboxEntry> = outbox.into_iter().filter(|entry| !course.stays(&entry.row)).collect();
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
        let page = self.with_blobs(taken, course).await?;
        let (page, beyond) = page.up_to(self.limits.names);
        rest.splice(0..0, beyond);
        Ok((page, rest))
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
        Ok(Page::of(
            taken.into_iter().zip(named).map(|((entry, stored), named)| (entry, stored, named)),
            &absent,
            course,
            Reason::Unsound,
        ))
    }

    async fn send(&self, mut page: Page, course: &mut Course) -> Result<(), Turn> {
        match self.upload(&self.names(&page), course).await {
            Ok(damaged) => {
                // A file was found damaged on this device. What needs it waits until it was set right, and all else goes.
                page = page.without(&damaged.into_iter().collect(), course, Reason::Unsound);
            }
            Err(Turn::Fault(SyncError::Full(quota_bytes))) => {
                course.synced.full = Some(quota_bytes);
                let lacking = self.lacking(&self.names(&page), course).await?;
                page = page.without(&lacking, course, Reason::NoRoom);
            }
            Err(turn) => return Err(turn),
        }
        if page.entries.is_empty() {
            return Ok(());
        }
        let names = self.names(&page);
        let Page { entries, rows, named } = page;
        let blobs: BTreeSet<BlobId> = named.iter().flat_map(NamedBlobs::all).collect();
        let written = Rows { rows, blobs: blobs.into_iter().collect(), ..Rows::default() }.write();
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
                    match self.upload(&missing, course).await {
                        Ok(damaged) if damaged.is_empty() => {}
                        Ok(_) => {
                            course.held.extend(entries.into_iter().map(|entry| entry.row));
                            return Ok(());
                        }
                        Err(Turn::Fault(SyncError::Full(quota_bytes))) => {
                            course.wait(quota_bytes, entries);
                            return Ok(());
                        }
                        Err(turn) => return Err(turn),
                    }
                }
                SyncAnswer::Full { quota_bytes } => {
                    course.wait(quota_bytes, entries);
                    return Ok(());
                }
                // An answer was lost, or another tab has sent in the meantime.
                SyncAnswer::OutOfSequence { last } if last > course.state.sequence => course.state.sequence = last,
                SyncAnswer::OutOfSequence { .. } => return Err(Turn::OtherEpoch),
                other => return Err(refused(other)),
            }
        }
        Err(SyncError::Busy.into())
    }

    /// The blobs that a page needs at the server, by the names they have there.
    fn names(&self, page: &Page) -> BTreeMap<BlobName, BlobId> {
        page.named.iter().flat_map(NamedBlobs::all).map(|id| (self.keys.name(id), id)).collect()
    }
}

impl Page {
    /// Those of some rows that can go without what is absent; the others are held. A head waits for the state it names.
    fn of(
        taken: impl Iterator<Item = (OutboxEntry, StoredRow, Option<NamedBlobs>)>,
        absent: &BTreeSet<BlobId>,
        course: &mut Course,
        reason: Reason,
    ) -> Self {
        let mut page = Self { entries: Vec::new(), rows: Vec::new(), named: Vec::new() };
        for (entry, stored, named) in taken {
            let is_headless = entry.row.table == Table::NodeHeads
                && stored.fields.get("manifest_id").and_then(|id| id.as_str()).is_some_and(|id| {
                    let manifest = RowRef { table: Table::WorkspaceManifests, key: RowKey::one(id) };
                    course.stays(&manifest)
                });
            match named {
                Some(mut named) if !is_headless && named.needed.is_disjoint(absent) => {
                    named.mentioned.retain(|id| !absent.contains(id));
                    page.rows.push((entry.row.clone(), stored));
                    page.entries.push(entry);
                    page.named.push(named);
                }
                _ => {
                    let stay = match reason {
                        Reason::Unsound => &mut course.held,
                        Reason::NoRoom => &mut course.waiting,
                    };
                    stay.insert(entry.row);
                }
            }
        }
        page
    }

    /// The same without rows that need what is absent.
    fn without(self, absent: &BTreeSet<BlobId>, course: &mut Course, reason: Reason) -> Self {
        if absent.is_empty() {
            return self;
        }
        let Self { entries, rows, named } = self;
        let rows = entries.into_iter().zip(rows).zip(named);
        Self::of(rows.map(|((entry, (_, stored)), named)| (entry, stored, Some(named))), absent, course, reason)
    }

    /// The first of its rows, which together name no more than so many blobs, and those that go later. One row alone may name more.
    fn up_to(mut self, most: usize) -> (Self, Vec<OutboxEntry>) {
        let mut names = BTreeSet::new();
        let fits = self.named.iter().take_while(|named| {
            let is_first = names.is_empty();
            names.extend(named.all());
            is_first || names.len() <= most
        });
        let fits = fits.count();
        self.rows.truncate(fits);
        self.named.truncate(fits);
        let beyond = self.entries.split_off(fits);
        (self, beyond)
    }
}
