//! A second tab that is quicker.

use crate::digest::BlobId;
use crate::record::{RowKey, RowRef, Table};
use crate::store::{Commit, Lookup, OutboxEntry, Rows, Store, StoreError, StoredRow};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// A store to which another tab writes just before each commit, and just after each look.
pub(super) struct Meddling<'a, S, F> {
    pub(super) store: &'a S,
    pub(super) before_apply: F,
    pub(super) after_look_up: &'a dyn Fn(),
}

impl<S: Store, F: Fn()> Store for Meddling<'_, S, F> {
    async fn apply(&self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError> {
        (self.before_apply)();
        self.store.apply(commit, now).await
    }

    async fn look_up<const N: usize>(&self, wanted: [Lookup<'_>; N]) -> Result<[Rows; N], StoreError> {
        let found = self.store.look_up(wanted).await;
        (self.after_look_up)();
        found
    }

    async fn stored(&self, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError> {
        self.store.stored(rows).await
    }

    async fn row_keys(&self, table: Table) -> Result<Vec<RowKey>, StoreError> {
        self.store.row_keys(table).await
    }

    async fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.blob(id).await
    }

    async fn missing_blobs(&self, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError> {
        self.store.missing_blobs(ids).await
    }

    async fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError> {
        self.store.blob_ids().await
    }

    async fn blobs_touched(&self) -> Result<Option<Stamp>, StoreError> {
        self.store.blobs_touched().await
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        self.store.outbox().await
    }

    async fn mark_sent(&self, sent: &[OutboxEntry]) -> Result<(), StoreError> {
        self.store.mark_sent(sent).await
    }
}
