//! What the check of the storage finds missing or damaged, fetched from the account's log (R311).

use satchel_core::digest::BlobId;
use satchel_core::store::Store as _;
use satchel_core::sync::{Round, SyncError, SyncKeys, SyncLimits};

use super::kept;
use super::line::SyncLine;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::{clock, digest};
use crate::work::store::AppStore;
use crate::work::sync;

/// Whether this device syncs.
pub(in crate::core_worker) async fn is_on(store: &IndexedDbStore) -> bool {
    sync::choice(AppStore::Kept(store.clone())).await.is_on
}

/// Fetches what sync has of these; how many are whole now. A device that does not reach its server gets none of them.
pub(in crate::core_worker) async fn repair(store: &IndexedDbStore, blobs: &[BlobId]) -> usize {
    if blobs.is_empty() {
        return 0;
    }
    // What did come is stored, whatever became of the rest; so it is looked at, and not what was said.
    fetch(store, blobs).await.ok();
    let mut whole = 0;
    for id in blobs {
        if let Ok(Some(bytes)) = store.blob(*id).await {
            whole += usize::from(digest::of(&bytes).await == *id);
        }
    }
    whole
}

async fn fetch(store: &IndexedDbStore, blobs: &[BlobId]) -> Result<(), SyncError> {
    let (server, device) = (SyncLine::of(store).await?, kept::device(store).await?);
    let keys = SyncKeys::new(&kept::settled(store, &server, &device).await?.key);
    let (server, keys, device) = (&server, &keys, &device);
    let limits = SyncLimits::default();
    Round { store, server, keys, device, limits, now: &clock::now, told: &|_| {}, came: &|_| {} }.repair(blobs).await
}
