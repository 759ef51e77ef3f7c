//! Compaction: everything that this device has, sealed, in the place of the changes it came from, so that a new device need not read the
//! whole past. Tombstones are in it.

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::SyncError;
use super::super::payload::Rows;
use super::super::seal::Binding;
use super::{Course, Progress, Round, SyncServer, Turn, refused};
use crate::digest::BlobId;
use crate::protocol::{BlobName, SyncAnswer, SyncRequest, SyncStatus};
use crate::record::{RowRef, Scope, Table};
use crate::store::{Durability, Store};
use crate::workspace::{ReadError, Trees, blobs_of, read};

impl<S: Store, R: SyncServer> Round<'_, S, R> {
    /// Makes a snapshot if the log has grown long, or something in it is damaged at the server, and this device has all of it and nothing
    /// else.
    pub(super) async fn compact_if_due(&self, course: &mut Course) -> Result<(), Turn> {
        let SyncStatus { log_changes, log_bytes, damaged, .. } = course.status;
        // Blobs that only the log names go with it, and make room.
        let is_tight =
            course.room() < course.status.quota_bytes / 10 && log_changes >= self.limits.compact_changes / 20;
        let is_long = log_changes >= self.limits.compact_changes || log_bytes >= self.limits.compact_bytes;
        let is_whole = course.held.is_empty() && course.state.cursor == course.status.head;
        if !(is_long || is_tight || damaged) || !is_whole || !self.store.outbox().await?.is_empty() {
            return Ok(());
        }
        if course.status.snapshot.as_ref().is_some_and(|snapshot| snapshot.position == course.state.cursor) {
            // One snapshot takes the place of another only if it ends later.
            self.push_nothing(course).await?;
        }
        (self.told)(Progress::Compacting);
        let Some((parts, blobs)) = self.everything(course).await? else { return Ok(()) };
        let position = course.state.cursor;
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        for (part, rows) in (0..count).zip(parts) {
            let binding = Binding::SnapshotPart { device: self.device, position, part, parts: count };
            let sealed = self.keys.seal(binding, &rows.write());
            let request = SyncRequest::PutSnapshotPart { position, part };
            match self.ask(Some(&course.state.epoch), request, vec![sealed]).await?.0 {
                SyncAnswer::Done => {}
                // Another device was quicker.
                SyncAnswer::NotCurrent => return Ok(()),
                other => return Err(refused(other)),
            }
        }
        let names: BTreeMap<BlobName, BlobId> = blobs.into_iter().map(|id| (self.keys.name(id), id)).collect();
        let all: Vec<BlobName> = names.keys().copied().collect();
        for some in all.chunks(self.limits.names.max(1)) {
            let request = SyncRequest::NameSnapshot { position, names: some.to_vec() };
            if !self.say_with_blobs(request, &names, course).await? {
                return Ok(());
            }
        }
        let request = SyncRequest::FinishSnapshot { position, parts: count, names: Vec::new() };
        course.synced.compacted = self.say_with_blobs(request, &names, course).await?;
        Ok(())
    }

    /// Says something that needs blobs, and gives the server those that it lacks; whether it was taken.
    async fn say_with_blobs(
        &self,
        request: SyncRequest,
        names: &BTreeMap<BlobName, BlobId>,
        course: &mut Course,
    ) -> Result<bool, Turn> {
        for _ in 0..2 {
            match self.ask(Some(&course.state.epoch), request.clone(), Vec::new()).await?.0 {
                SyncAnswer::Done => return Ok(true),
                SyncAnswer::MissingBlobs { names: missing } => {
                    let missing = missing.into_iter().filter_map(|name| Some((name, *names.get(&name)?))).collect();
                    self.upload(&missing, course).await?;
                }
                // Another device was quicker.
                SyncAnswer::NotCurrent => return Ok(false),
                other => return Err(refused(other)),
            }
        }
        Ok(false)
    }

    /// Adds a change without rows, so that the log ends later.
    async fn push_nothing(&self, course: &mut Course) -> Result<(), Turn> {
        let sequence = course.state.sequence + 1;
        let sealed = self.keys.seal(Binding::Change { device: self.device, sequence }, &Rows::default().write());
        let request = SyncRequest::Push { sequence, names: Vec::new() };
        match self.ask(Some(&course.state.epoch), request, vec![sealed]).await?.0 {
            SyncAnswer::Pushed { position } if position == course.state.cursor + 1 => {
                course.state.sequence = sequence;
                course.state.cursor = position;
                course.state.seen.insert(self.device.clone(), sequence);
                course.status.head = position;
                Ok(self.keep(&course.state, Durability::Relaxed).await?)
            }
            // Somebody else has added something; the next round has it.
            SyncAnswer::Pushed { .. } | SyncAnswer::OutOfSequence { .. } => Err(SyncError::Busy.into()),
            other => Err(refused(other)),
        }
    }

    /// Every row that syncs, in parts, and all blobs that they need; nothing where a file is missing or damaged here.
    async fn everything(&self, course: &Course) -> Result<Option<(Vec<Rows>, BTreeSet<BlobId>)>, Turn> {
        let mut trees = Trees::default();
        let (mut parts, mut all) = (vec![Rows { seen: course.state.seen.clone(), ..Rows::default() }], BTreeSet::new());
        let (mut bytes, mut needs) = (0, BTreeSet::new());
        for table in Table::ALL.into_iter().filter(|table| table.scope() == Scope::Synced) {
            let keys = self.store.row_keys(table).await?;
            for some in keys.chunks(self.limits.change_rows) {
                let refs: Vec<RowRef> = some.iter().map(|key| RowRef { table, key: key.clone() }).collect();
                let stored = self.store.stored(&refs).await?;
                let mut found = Vec::with_capacity(refs.len());
                for (row, stored) in refs.into_iter().zip(stored).filter_map(|(row, stored)| Some((row, stored?))) {
                    match read(self.store, &mut trees, |trees| blobs_of(trees, &row, &stored)).await {
                        Ok(named) => found.push((row, stored, named)),
                        Err(ReadError::Workspace(_damaged)) => return Ok(None),
                        Err(ReadError::Store(error)) => return Err(error.into()),
                    }
                }
                let named: BTreeSet<BlobId> = found.iter().flat_map(|(.., named)| named.all()).collect();
                let absent = self.store.missing_blobs(&named.into_iter().collect::<Vec<_>>()).await?;
                let absent: BTreeSet<BlobId> = absent.into_iter().collect();
                for (row, stored, named) in found {
                    if !named.needed.is_disjoint(&absent) {
                        return Ok(None);
                    }
                    needs.extend(named.all().filter(|id| !absent.contains(id)));
                    bytes += serde_json::to_vec(&stored).map_or(0, |json| json.len());
                    let part = parts.last_mut().expect("there is always one");
                    part.rows.push((row, stored));
                    if bytes >= self.limits.change_bytes {
                        part.blobs = needs.iter().copied().collect();
                        all.append(&mut needs);
                        bytes = 0;
                        parts.push(Rows::default());
                    }
                }
            }
        }
        parts.last_mut().expect("there is always one").blobs = needs.iter().copied().collect();
        all.append(&mut needs);
        Ok(Some((parts, all)))
    }
}
