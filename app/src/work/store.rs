//! The store the app runs on: the browser's, or one in memory where the browser gives none.

use satchel_core::digest::BlobId;
use satchel_core::record::{RowKey, RowRef, Table};
use satchel_core::store::{Commit, Lookup, MemoryStore, OutboxEntry, Rows, Store, StoreError, StoredRow};
use satchel_core::sync::Stamp;
use satchel_core::time::Timestamp;

use crate::browser::indexed_db::IndexedDbStore;

/// A handle on the store; a clone is another one on the same data.
#[derive(Clone)]
pub(crate) enum AppStore {
    /// IndexedDB: kept.
    Kept(IndexedDbStore),
    /// Memory: gone with the tab, by the user's own choice.
    InMemory(MemoryStore),
}

/// Does the same to whichever store it is.
macro_rules! either {
    ($store:expr, $name:ident => $call:expr) => {
        match $store {
            AppStore::Kept($name) => $call.await,
            AppStore::InMemory($name) => $call.await,
        }
    };
}

impl Store for AppStore {
    async fn apply(&self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError> {
        either!(self, store => store.apply(commit, now))
    }

    async fn look_up<const N: usize>(&self, wanted: [Lookup<'_>; N]) -> Result<[Rows; N], StoreError> {
        either!(self, store => store.look_up(wanted))
    }

    async fn stored(&self, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError> {
        either!(self, store => store.stored(rows))
    }

    async fn row_keys(&self, table: Table) -> Result<Vec<RowKey>, StoreError> {
        either!(self, store => store.row_keys(table))
    }

    async fn row_keys_where(&self, table: Table, field: &str, value: &str) -> Result<Vec<RowKey>, StoreError> {
        either!(self, store => store.row_keys_where(table, field, value))
    }

    async fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        either!(self, store => store.blob(id))
    }

    async fn blobs(&self, ids: &[BlobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        either!(self, store => store.blobs(ids))
    }

    async fn missing_blobs(&self, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError> {
        either!(self, store => store.missing_blobs(ids))
    }

    async fn blobs_touched(&self) -> Result<Option<Stamp>, StoreError> {
        either!(self, store => store.blobs_touched())
    }

    async fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError> {
        either!(self, store => store.blob_ids())
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        either!(self, store => store.outbox())
    }

    async fn mark_sent(&self, sent: &[OutboxEntry]) -> Result<(), StoreError> {
        either!(self, store => store.mark_sent(sent))
    }
}
