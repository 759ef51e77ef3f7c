//! Receiving: a page of changes at a time, its blobs before its rows, its rows in one commit with the note of how far this device is.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join;

use super::super::error::SyncError;
use super::super::merge::{Incoming, Theirs};
use super::super::payload::{PayloadError, Rows};
use super::super::seal::Binding;
use super::super::state::SyncState;
use super::{Course, Progress, Round, SyncServer, Turn, refused};
use crate::digest::BlobId;
use crate::protocol::{SyncAnswer, SyncChange, SyncRequest, SyncSnapshot};
use crate::record::{RowKey, RowRef, Table};
use crate::store::{Commit, Store, StoreError, StoredRow};

/// How often blobs are fetched again that a clean-up has dropped before their rows came.
const TRIES: usize = 3;

impl<S: Store, R: SyncServer> Round<'_, S, R> {
    /// Takes over everything after the cursor.
    pub(super) async fn pull(&self, course: &mut Course) -> Result<(), Turn> {
        let epoch = course.state.epoch.clone();
        let changes = |after| self.ask(Some(&epoch), SyncRequest::Changes { after }, Vec::new());
        let mut asked = changes(course.state.cursor).await?;
        loop {
            asked = match asked {
                (SyncAnswer::Changes { changes: page, head }, sealed) => {
                    course.status.head = head;
                    let Some(last) = page.last().map(|change| change.position) else { return Ok(()) };
                    (self.told)(Progress::Receiving(head.saturating_sub(course.state.cursor)));
                    // The next page comes while this one is taken over.
                    let (taken, next) = join(self.take_page(page, sealed, course), changes(last)).await;
                    taken?;
                    next?
                }
                (SyncAnswer::SnapshotFirst { snapshot }, _) => {
                    self.take_snapshot(&snapshot, course).await?;
                    changes(course.state.cursor).await?
                }
                (other, _) => return Err(refused(other)),
            };
        }
    }

    async fn take_page(&self, changes: Vec<SyncChange>, sealed: Vec<Vec<u8>>, course: &mut Course) -> Result<(), Turn> {
        if changes.len() != sealed.len() {
            return Err(SyncError::Unexpected("a change came without its bytes".into()).into());
        }
        let mut next = course.state.clone();
        let (mut rows, mut blobs, mut tables) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (SyncChange { position, device, sequence }, sealed) in changes.into_iter().zip(sealed) {
            let last = next.seen.get(&device).copied().unwrap_or_default();
            if position <= next.cursor || sequence > last + 1 {
                return Err(SyncError::Gap { device, last, next: sequence }.into());
            }
            let binding = Binding::Change { device: &device, sequence };
            let opened = self.keys.open(binding, &sealed).map_err(|_not_opened| SyncError::Damaged)?;
            let payload = Rows::read(&opened).map_err(not_read)?;
            if device != *self.device {
                tables.extend(payload.rows.iter().map(|(row, _)| row.table));
            }
            rows.extend(payload.rows);
            blobs.extend(payload.blobs);
            next.seen.insert(device, sequence.max(last));
            next.cursor = position;
            course.synced.received += 1;
        }
        self.take(rows, blobs, next, course).await?;
        if !tables.is_empty() {
            (self.came)(&tables);
        }
        Ok(())
    }

    async fn take_snapshot(&self, snapshot: &SyncSnapshot, course: &mut Course) -> Result<(), Turn> {
        let mut next = course.state.clone();
        for part in 0..snapshot.parts {
            (self.told)(Progress::Receiving(u64::from(snapshot.parts - part)));
            let request = SyncRequest::SnapshotPart { position: snapshot.position, part };
            let (answer, mut beside) = self.ask(Some(&course.state.epoch), request, Vec::new()).await?;
            let sealed = match (answer, beside.pop()) {
                (SyncAnswer::SnapshotPart, Some(sealed)) => sealed,
                (other, _) => return Err(refused(other)),
            };
            let SyncSnapshot { device, position, parts } = snapshot;
            let binding = Binding::SnapshotPart { device, position: *position, part, parts: *parts };
            let opened = self.keys.open(binding, &sealed).map_err(|_not_opened| SyncError::Damaged)?;
            let payload = Rows::read(&opened).map_err(not_read)?;
            for (device, sequence) in payload.seen {
                let seen = next.seen.entry(device).or_default();
                *seen = sequence.max(*seen);
            }
            // Only with the last part is the snapshot taken; half of one is no loss, and is taken again.
            let state = if part + 1 == *parts {
                next.cursor = *position;
                next.clone()
            } else {
                course.state.clone()
            };
            let tables = payload.rows.iter().map(|(row, _)| row.table).collect();
            self.take(payload.rows, payload.blobs, state, course).await?;
            (self.came)(&tables);
        }
        Ok(())
    }

    /// Takes rows over, with their blobs before them, and notes how far that is.
    async fn take(
        &self,
        rows: Vec<(RowRef, StoredRow)>,
        blobs: Vec<BlobId>,
        next: SyncState,
        course: &mut Course,
    ) -> Result<(), Turn> {
        let incoming = Incoming::new(self.with_what_they_are_part_of(rows).await?);
        for _ in 0..TRIES {
            self.bring(&blobs, course).await?;
            let commit = Commit { incoming: Some(incoming.clone()), requires: blobs.clone(), ..Commit::default() };
            match self.store.apply(next.keep(commit), (self.now)()).await {
                Ok(_) => {
                    course.state = next;
                    return Ok(());
                }
                // A clean-up has found them to be named by nothing, which was true until now.
                Err(StoreError::MissingBlobs(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(SyncError::Busy.into())
    }

    /// Says of each deleted row which chat it belongs to here, or which toolset uses the package that it is of: the deletion of the whole may
    /// have been taken back.
    async fn with_what_they_are_part_of(&self, rows: Vec<(RowRef, StoredRow)>) -> Result<Vec<Theirs>, SyncError> {
        let deleted: Vec<RowRef> =
            rows.iter().filter(|(_, stored)| stored.deleted.is_some()).map(|(row, _)| row.clone()).collect();
        let here = self.store.stored(&deleted).await?;
        let mut wholes: BTreeMap<RowRef, RowRef> = (deleted.iter().zip(here))
            .filter_map(|(row, here)| {
                let chat = here?.fields.get("chat_id")?.as_str()?.to_owned();
                Some((row.clone(), RowRef { table: Table::Chats, key: RowKey::one(chat) }))
            })
            .collect();
        let of_package = |row: &&RowRef| {
            matches!(row.table, Table::Packages | Table::Tools | Table::ToolsetFiles | Table::ToolRenderConfigs)
        };
        if deleted.iter().any(|row| of_package(&row)) {
            let active = self.active_packages(&rows).await?;
            let used = deleted.iter().filter(of_package);
            let used = used.filter_map(|row| Some((row.clone(), active.get(row.key.parts().first()?)?.clone())));
            wholes.extend(used.collect::<Vec<_>>());
        }
        let theirs = rows.into_iter().map(|(row, stored)| {
            let part_of = wholes.get(&row).cloned();
            Theirs { row, stored, part_of }
        });
        Ok(theirs.collect())
    }

    /// Which packages toolsets use, here or by the rows that come.
    async fn active_packages(&self, rows: &[(RowRef, StoredRow)]) -> Result<BTreeMap<String, RowRef>, SyncError> {
        let here = self.store.rows(Table::Toolsets).await?;
        let here = here.into_iter().map(|(key, stored)| (RowRef { table: Table::Toolsets, key }, stored));
        let come = rows.iter().filter(|(row, _)| row.table == Table::Toolsets).cloned();
        let package = |stored: &StoredRow| Some(stored.fields.get("package")?.as_str()?.to_owned());
        Ok(here.chain(come).filter_map(|(row, stored)| Some((package(&stored)?, row))).collect())
    }
}

fn not_read(error: PayloadError) -> SyncError {
    match error {
        PayloadError::Newer => SyncError::Newer,
        PayloadError::Broken => SyncError::Damaged,
    }
}
