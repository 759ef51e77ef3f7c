//! The store: rows and blobs, and the one way to change them.
//!
//! Data changes by a [`Commit`] and in no other way. A commit is applied whole or not at all; the blobs its rows name are
//! stored before the rows; what it relies on (`requires`, `expects`) is checked inside the same transaction, so that neither a
//! clean-up nor another tab can win a race against it.
//!
//! What a commit means is decided here, once, by [`resolve`]: an implementer of [`Store`] only reads what the
//! commit touches, hands it to [`resolve`], and writes what comes back. There are two, and both pass the suite in `contract`:
//! [`MemoryStore`] here and the IndexedDB store of the app.

mod commit;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod error;
mod lookup;
mod memory;
mod resolve;
mod row;
#[cfg(test)]
pub(crate) mod stopping;

pub use commit::{Blob, Commit, Drops, Durability, Expect, Put};
pub use error::StoreError;
pub use lookup::{Lookup, Rows, record_of, records_of};
pub use memory::MemoryStore;
pub use resolve::{Clock, RowWrite, Seen, Writes, resolve};
pub use row::{OutboxEntry, StoredRow};

use crate::digest::BlobId;
use crate::record::{Record, RowKey, RowRef, Table};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// Keeps rows and blobs. Futures are not `Send`: a browser has one thread per store.
#[expect(async_fn_in_trait, reason = "all implementers are ours, and none of their futures crosses a thread")]
pub trait Store {
    /// Applies a commit, whole or not at all, and gives the stamp its changes carry.
    ///
    /// When this returns, a [`Durability::Strict`] commit is on the disk and a relaxed one is in the hands of the
    /// system. A commit that changes no row succeeds, and leaves nothing to send.
    async fn apply(&self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError>;

    /// Looks up rows, all as they are at one moment: no commit comes between them. A store that pays for every question answers them in
    /// one.
    async fn look_up<const N: usize>(&self, wanted: [Lookup<'_>; N]) -> Result<[Rows; N], StoreError>;

    /// One row, or nothing where there is none or it was deleted.
    async fn row(&self, row: &RowRef) -> Result<Option<StoredRow>, StoreError> {
        let [mut found] = self.look_up([Lookup::Row(row)]).await?;
        Ok(found.pop().map(|(_, stored)| stored))
    }

    /// All rows of a table that were not deleted, sorted by key.
    async fn rows(&self, table: Table) -> Result<Rows, StoreError> {
        let [found] = self.look_up([Lookup::All(table)]).await?;
        Ok(found)
    }

    /// The rows of a table whose indexed field has this value, sorted by key.
    async fn rows_where(&self, table: Table, field: &str, value: &str) -> Result<Rows, StoreError> {
        let [found] = self.look_up([Lookup::Where(table, field, value)]).await?;
        Ok(found)
    }

    /// These rows as they are kept, in the order given: a deleted one is there as its tombstone. For what is sent to other devices, all
    /// else looks rows up.
    async fn stored(&self, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError>;

    /// The keys of a table's rows, sorted, without the rows. Those of deleted rows are among them.
    async fn row_keys(&self, table: Table) -> Result<Vec<RowKey>, StoreError>;

    /// The keys of the rows whose indexed field has this value, sorted, without the rows. Those of deleted rows may be among them.
    async fn row_keys_where(&self, table: Table, field: &str, value: &str) -> Result<Vec<RowKey>, StoreError> {
        Ok(self.rows_where(table, field, value).await?.into_iter().map(|(key, _)| key).collect())
    }

    /// The bytes of a blob, or nothing where it is not stored. They are not checked against their name here.
    async fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError>;

    /// The bytes of several blobs at once, in the order given; what holds for [`Store::blob`] holds for each. A store that
    /// pays for every question answers them in one.
    async fn blobs(&self, ids: &[BlobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push(self.blob(*id).await?);
        }
        Ok(found)
    }

    /// Which of these blobs are not stored, in the order given.
    async fn missing_blobs(&self, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError>;

    /// The stamp of the last commit that brought or required blobs; see [`Drops`].
    async fn blobs_touched(&self) -> Result<Option<Stamp>, StoreError>;

    /// The names of all stored blobs, sorted. Their bytes are neither read nor checked.
    async fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError>;

    /// The rows that still have to be sent, sorted by table and key: one entry each, however often they changed.
    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError>;

    /// Takes sent rows out of the outbox, but for those that have changed since their entry was read.
    async fn mark_sent(&self, sent: &[OutboxEntry]) -> Result<(), StoreError>;
}

/// Reads one typed record.
pub async fn get<R: Record>(store: &impl Store, key: RowKey) -> Result<Option<R>, StoreError> {
    let row = RowRef { table: R::TABLE, key };
    let [found] = store.look_up([Lookup::Row(&row)]).await?;
    record_of(found)
}

/// Reads the records whose indexed field has this value; one that cannot be read comes as its own error.
pub async fn list_where<R: Record>(
    store: &impl Store,
    field: &str,
    value: &str,
) -> Result<Vec<Result<R, StoreError>>, StoreError> {
    store.rows_where(R::TABLE, field, value).await.map(records_of)
}

/// Reads every record of a table. A row that cannot be read does not hide the others: it comes as its own error.
pub async fn list<R: Record>(store: &impl Store) -> Result<Vec<Result<R, StoreError>>, StoreError> {
    store.rows(R::TABLE).await.map(records_of)
}
