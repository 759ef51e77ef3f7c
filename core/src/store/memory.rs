//! The store in memory: for tests, and for a page whose browser gives it no storage.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::{Clock, Commit, Lookup, OutboxEntry, RowWrite, Rows, Seen, Store, StoreError, StoredRow, resolve};
use crate::digest::BlobId;
use crate::ids::DeviceId;
use crate::record::{RowKey, RowRef, Table};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// Keeps everything in memory. A clone is a second handle on the same data, as another tab would be.
#[derive(Clone, Debug)]
pub struct MemoryStore(Rc<RefCell<Contents>>);

#[derive(Debug)]
struct Contents {
    clock: Clock,
    blobs: BTreeMap<BlobId, Vec<u8>>,
    rows: BTreeMap<RowRef, StoredRow>,
    outbox: BTreeMap<RowRef, Stamp>,
    blobs_touched: Option<Stamp>,
}

impl MemoryStore {
    /// An empty store of this device.
    #[must_use]
    pub fn new(device: DeviceId) -> Self {
        Self(Rc::new(RefCell::new(Contents {
            clock: Clock { device, last: None },
            blobs: BTreeMap::new(),
            rows: BTreeMap::new(),
            outbox: BTreeMap::new(),
            blobs_touched: None,
        })))
    }
}

impl Contents {
    fn apply(&mut self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError> {
        let mut rows = BTreeMap::new();
        rows.extend(commit.touched().into_iter().filter_map(|row| Some((row.clone(), self.rows.get(&row)?.clone()))));
        let seen = Seen {
            clock: self.clock.clone(),
            rows,
            missing: commit.required_elsewhere().into_iter().filter(|id| !self.blobs.contains_key(id)).collect(),
            blobs_touched: self.blobs_touched.clone(),
        };
        let writes = resolve(&commit, seen, now)?;
        for id in commit.drops.iter().flat_map(|drops| &drops.blobs) {
            self.blobs.remove(id);
        }
        if commit.touches_blobs() {
            self.blobs_touched = Some(writes.clock.clone());
        }
        // One that is there is written again: if its bytes were damaged, that heals it.
        self.blobs.extend(commit.blobs.into_iter().map(|blob| (blob.id(), blob.into_bytes())));
        for (row, write) in writes.rows {
            match write {
                RowWrite::Put(stored) => self.rows.insert(row, stored),
                RowWrite::Remove => self.rows.remove(&row),
            };
        }
        self.outbox.extend(writes.outbox.into_iter().map(|entry| (entry.row, entry.stamp)));
        self.clock.last = Some(writes.clock);
        Ok(writes.stamp)
    }
}

impl Contents {
    fn look_up(&self, lookup: Lookup<'_>) -> Rows {
        let table = |table| self.rows.iter().filter(move |(row, _)| row.table == table);
        let found: Vec<(&RowRef, &StoredRow)> = match lookup {
            Lookup::Row(row) => self.rows.get_key_value(row).into_iter().collect(),
            Lookup::All(all) => table(all).collect(),
            Lookup::Where(of, field, value) => {
                debug_assert!(of.indexed().contains(&field), "{of} has no index by {field}");
                let has_value = |row: &StoredRow| row.fields.get(field).and_then(Value::as_str) == Some(value);
                table(of).filter(|(_, stored)| has_value(stored)).collect()
            }
        };
        let alive = found.into_iter().filter(|(_, stored)| stored.is_alive());
        alive.map(|(row, stored)| (row.key.clone(), stored.clone())).collect()
    }
}

impl Store for MemoryStore {
    async fn apply(&self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError> {
        self.0.borrow_mut().apply(commit, now)
    }

    async fn look_up<const N: usize>(&self, wanted: [Lookup<'_>; N]) -> Result<[Rows; N], StoreError> {
        let contents = self.0.borrow();
        Ok(wanted.map(|lookup| contents.look_up(lookup)))
    }

    async fn stored(&self, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError> {
        let contents = self.0.borrow();
        Ok(rows.iter().map(|row| contents.rows.get(row).cloned()).collect())
    }

    async fn row_keys(&self, table: Table) -> Result<Vec<RowKey>, StoreError> {
        let contents = self.0.borrow();
        Ok(contents.rows.keys().filter(|row| row.table == table).map(|row| row.key.clone()).collect())
    }

    async fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.borrow().blobs.get(&id).cloned())
    }

    async fn missing_blobs(&self, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError> {
        let contents = self.0.borrow();
        Ok(ids.iter().filter(|id| !contents.blobs.contains_key(id)).copied().collect())
    }

    async fn blobs_touched(&self) -> Result<Option<Stamp>, StoreError> {
        Ok(self.0.borrow().blobs_touched.clone())
    }

    async fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError> {
        Ok(self.0.borrow().blobs.keys().copied().collect())
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        let contents = self.0.borrow();
        let entries = contents.outbox.iter();
        Ok(entries.map(|(row, stamp)| OutboxEntry { row: row.clone(), stamp: stamp.clone() }).collect())
    }

    async fn mark_sent(&self, sent: &[OutboxEntry]) -> Result<(), StoreError> {
        let mut contents = self.0.borrow_mut();
        for OutboxEntry { row, stamp } in sent {
            if contents.outbox.get(row) == Some(stamp) {
                contents.outbox.remove(row);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::at_once::at_once;
    use crate::store::contract::{self, Harness};

    struct InMemory(MemoryStore);

    impl Harness for InMemory {
        type Store = MemoryStore;

        async fn fresh(device: DeviceId) -> Self {
            Self(MemoryStore::new(device))
        }

        async fn open(&self) -> Self::Store {
            self.0.clone()
        }
    }

    macro_rules! run {
        ($($case:ident)*) => {
            $(
                #[test]
                fn $case() {
                    at_once(contract::$case::<InMemory>());
                }
            )*
        };
    }
    contract::every_case!(run);
}
