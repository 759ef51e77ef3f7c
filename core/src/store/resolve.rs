//! What a commit does to the rows it touches: decided once, for every store.

use std::collections::BTreeMap;

use super::{Commit, Expect, OutboxEntry, StoreError, StoredRow};
use crate::digest::BlobId;
use crate::ids::DeviceId;
use crate::record::{RowRef, Scope};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// The device, and the last stamp it made or saw. Kept in the store itself, so that tabs share one clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// This device.
    pub device: DeviceId,
    /// The last stamp, if there ever was one.
    pub last: Option<Stamp>,
}

/// What a store found inside the transaction, before writing anything.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The clock.
    pub clock: Clock,
    /// Every row of [`Commit::touched`] that is there, tombstones included.
    pub rows: BTreeMap<RowRef, StoredRow>,
    /// Those of [`Commit::required_elsewhere`] that are not stored.
    pub missing: Vec<BlobId>,
    /// The stamp of the last commit that brought or required blobs.
    pub blobs_touched: Option<Stamp>,
}

/// What a store has to write, in the same transaction, after the blobs of the commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Writes {
    /// The rows that change.
    pub rows: BTreeMap<RowRef, RowWrite>,
    /// The entries to set in the outbox, each in place of an older one of the same row.
    pub outbox: Vec<OutboxEntry>,
    /// The stamp of this commit: newer than anything it writes over, be that of a clock that is ahead.
    pub stamp: Stamp,
    /// The clock's new last stamp. A clock that is ahead elsewhere does not move it, so that it harms only the fields it wrote.
    pub clock: Stamp,
}

impl Writes {
    /// A stamp of this device that is newer than one it has seen.
    pub(crate) fn after(&self, seen: Option<&Stamp>) -> Stamp {
        seen.map_or_else(|| self.clock.clone(), |seen| seen.next(self.clock.wall(), self.clock.device().clone()))
    }
}

/// What becomes of one row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowWrite {
    /// It is replaced by this.
    Put(StoredRow),
    /// It is removed without a trace.
    Remove,
}

/// Works out what to write, or why nothing may be written.
pub fn resolve(commit: &Commit, seen: Seen, now: Timestamp) -> Result<Writes, StoreError> {
    if !seen.missing.is_empty() {
        return Err(StoreError::MissingBlobs(seen.missing));
    }
    if commit.drops.as_ref().is_some_and(|drops| drops.touched != seen.blobs_touched) {
        return Err(StoreError::BlobsTouched);
    }
    for Expect { row, stamp } in &commit.expects {
        let found = seen.rows.get(row).filter(|row| row.is_alive()).and_then(StoredRow::stamp);
        if found != stamp.as_ref() {
            return Err(StoreError::Changed(row.clone()));
        }
    }

    let Clock { device, last } = seen.clock;
    let clock = match &last {
        Some(last) => last.next(now, device),
        None => Stamp::first(now, device),
    };
    let mut rows = seen.rows;
    let mut writes = Writes { rows: BTreeMap::new(), outbox: Vec::new(), stamp: clock.clone(), clock };
    if let Some(incoming) = &commit.incoming {
        (incoming.take)(incoming.rows(), &mut rows, &mut writes);
    }
    for row in commit.puts.iter().map(|put| &put.row).chain(&commit.deletes) {
        let newest = rows.get(row).and_then(StoredRow::stamp);
        if newest.is_some_and(|newest| *newest >= writes.stamp) {
            writes.stamp = writes.after(newest);
        }
    }
    let stamp = writes.stamp.clone();
    let mut written = BTreeMap::new();
    for put in &commit.puts {
        if put.must_exist && !rows.get(&put.row).is_some_and(StoredRow::is_alive) {
            return Err(StoreError::Changed(put.row.clone()));
        }
        let row = rows.entry(put.row.clone()).or_default();
        let mut changed = false;
        for (name, value) in &put.fields {
            if row.fields.get(name) != Some(value) {
                row.fields.insert(name.clone(), value.clone());
                row.stamps.insert(name.clone(), stamp.clone());
                changed = true;
            }
        }
        if changed {
            written.insert(put.row.clone(), RowWrite::Put(row.clone()));
        }
    }
    for deleted in &commit.deletes {
        let Some(row) = rows.get_mut(deleted).filter(|row| row.is_alive()) else { continue };
        let write = match deleted.table.scope() {
            Scope::Synced => {
                *row = StoredRow { deleted: Some(stamp.clone()), ..StoredRow::default() };
                RowWrite::Put(row.clone())
            }
            Scope::DeviceLocal => {
                *row = StoredRow::default();
                RowWrite::Remove
            }
        };
        written.insert(deleted.clone(), write);
    }
    writes.outbox.extend(
        commit
            .resend
            .iter()
            .filter(|row| row.table.scope() == Scope::Synced)
            .filter_map(|row| Some(OutboxEntry { row: row.clone(), stamp: rows.get(row)?.stamp()?.clone() })),
    );
    let sent = written.keys().filter(|row| row.table.scope() == Scope::Synced);
    writes.outbox.extend(sent.map(|row| OutboxEntry { row: row.clone(), stamp: stamp.clone() }));
    writes.rows.extend(written);
    Ok(writes)
}
