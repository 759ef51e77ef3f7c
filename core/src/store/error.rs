//! Why a store could not do what it was asked.

use crate::digest::BlobId;
use crate::record::RowRef;

/// What a store can fail with.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The commit relies on blobs that are not there. Nothing was written.
    #[error("required content is not stored ({}, the first is {})", .0.len(), .0[0])]
    MissingBlobs(Vec<BlobId>),
    /// The commit relies on a row that has changed since it was read. Nothing was written.
    #[error("{0} was changed elsewhere in the meantime")]
    Changed(RowRef),
    /// The commit drops blobs, and another one has begun to rely on some since they were found. Nothing was written.
    #[error("files were stored while the clean-up was looking for those that nothing needs")]
    BlobsTouched,
    /// The stored form of a row does not fit its type. The other rows are not affected.
    #[error("the stored row {row} cannot be read")]
    Unreadable {
        /// Which row.
        row: RowRef,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// There is no room left on the device. Nothing was written.
    #[error("there is no room left for Satchel on this device")]
    Full,
    /// The store was closed because another tab runs a newer version of the app.
    #[error("another tab runs a newer version of Satchel; reload this one to continue")]
    Superseded,
    /// A tab of an older version keeps the store from being upgraded.
    #[error(
        "another tab with an older version of Satchel is blocking the upgrade of your data; close that tab, then reload this one"
    )]
    Blocked,
    /// The browser closed the store, as it does when site data is cleared.
    #[error("the browser has closed the storage, perhaps because site data was cleared; reload to continue")]
    Closed,
    /// The data was written by a newer version of the app than this one.
    #[error("the data on this device was written by a newer version of Satchel; reload to get that version")]
    TooNew,
    /// There is no storage to be had, as in some private windows.
    #[error("this browser gives Satchel no storage ({0}); leave private mode or allow site data for this address")]
    Unavailable(String),
    /// The storage itself failed.
    #[error("the storage of this browser failed: {0}")]
    Backend(String),
}

impl StoreError {
    /// Whether the same commit, made again from fresh reads, may succeed.
    #[must_use]
    pub fn can_retry(&self) -> bool {
        match self {
            Self::Changed(_) | Self::BlobsTouched | Self::Backend(_) => true,
            Self::MissingBlobs(_)
            | Self::Unreadable { .. }
            | Self::Full
            | Self::Superseded
            | Self::Blocked
            | Self::Closed
            | Self::TooNew
            | Self::Unavailable(_) => false,
        }
    }
}
