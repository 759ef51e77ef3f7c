//! A store for tests: the device stops at one of its operations.

use std::cell::Cell;

use super::{Commit, Lookup, OutboxEntry, Rows, Store, StoreError, StoredRow};
use crate::digest::BlobId;
use crate::record::{RowKey, RowRef, Table};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// When the device stops: as the operation begins, or when it is done and nobody hears of it any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    Before,
    After,
}

/// A store that answers no operation from the `at`-th on.
pub(crate) struct Stopping<'a, S> {
    pub(crate) store: &'a S,
    pub(crate) at: usize,
    pub(crate) moment: Moment,
    pub(crate) done: Cell<usize>,
}

impl<S: Store> Stopping<'_, S> {
    /// Whether it has.
    pub(crate) fn has_stopped(&self) -> bool {
        self.done.get() >= self.at
    }

    async fn answer<T>(&self, operation: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let stopped = || Err(StoreError::Backend("the device has stopped".into()));
        if self.has_stopped() {
            return stopped();
        }
        self.done.set(self.done.get() + 1);
        match (self.has_stopped(), self.moment) {
            (true, Moment::Before) => stopped(),
            (true, Moment::After) => operation.await.and_then(|_unheard| stopped()),
            (false, _) => operation.await,
        }
    }
}

impl<S: Store> Store for Stopping<'_, S> {
    async fn apply(&self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError> {
        self.answer(self.store.apply(commit, now)).await
    }

    async fn look_up<const N: usize>(&self, wanted: [Lookup<'_>; N]) -> Result<[Rows; N], StoreError> {
        self.answer(self.store.look_up(wanted)).await
    }

    async fn stored(&self, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError> {
        self.answer(self.store.stored(rows)).await
    }

    async fn row_keys(&self, table: Table) -> Result<Vec<RowKey>, StoreError> {
        self.answer(self.store.row_keys(table)).await
    }

    async fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.answer(self.store.blob(id)).await
    }

    async fn missing_blobs(&self, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError> {
        self.answer(self.store.missing_blobs(ids)).await
    }

    async fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError> {
        self.answer(self.store.blob_ids()).await
    }

    async fn blobs_touched(&self) -> Result<Option<Stamp>, StoreError> {
        self.answer(self.store.blobs_touched()).await
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        self.answer(self.store.outbox()).await
    }

    async fn mark_sent(&self, sent: &[OutboxEntry]) -> Result<(), StoreError> {
        self.answer(self.store.mark_sent(sent)).await
    }
}
