//! What other devices have written, and what they are sent of this one.

use super::{Harness, at, device, setting};
use crate::digest::BlobId;
use crate::ids::DeviceId;
use crate::record::{RowKey, RowRef, Setting, Table};
use crate::store::{Blob, Commit, MemoryStore, Store as _, StoreError, StoredRow, get};
use crate::sync::{Incoming, Theirs};

/// What has to be sent of a deleted row is its tombstone.
pub async fn deleted_rows_are_read_as_they_are_kept<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let [kept, deleted, never] = ["kept", "deleted", "never"].map(|key| RowRef::of(&setting(key, 1)));
    store.apply(Commit::default().put(&setting("kept", 1)).put(&setting("deleted", 1)), at(1)).await.expect("applies");
    let stamp = store.apply(Commit::default().delete(deleted.clone()), at(2)).await.expect("applies");
    let found = store.stored(&[deleted.clone(), never, kept]).await.expect("reads");
    assert_eq!(found[0], Some(StoredRow { deleted: Some(stamp), ..StoredRow::default() }));
    assert_eq!((found[1].is_none(), found[2].as_ref().is_some_and(StoredRow::is_alive)), (true, true));
    let keys = store.row_keys(Table::Settings).await.expect("reads");
    assert_eq!(keys, ["deleted", "kept"].map(RowKey::one));
    assert_eq!(store.stored(&[]).await.expect("reads"), []);
}

/// R264: of each field the newer write stays, nothing of it is to be sent, and a write after it is newer than what came.
pub async fn rows_of_other_devices_are_merged<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let there = MemoryStore::new(DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d2").expect("is a UUID"));
    let row = RowRef::of(&setting("theme", 0));
    store.apply(Commit::default().put(&setting("theme", "old")), at(1)).await.expect("applies");
    store.mark_sent(&store.outbox().await.expect("reads")).await.expect("marks");
    // A day ahead.
    there.apply(Commit::default().put(&setting("theme", "new")), at(86_400_000)).await.expect("applies");
    let blob = Blob::new(b"with it".to_vec());
    let theirs = async || there.stored(std::slice::from_ref(&row)).await.expect("reads").remove(0).expect("is there");
    let bring = async |needs: BlobId| {
        let incoming = Incoming::new(vec![Theirs { row: row.clone(), stored: theirs().await, part_of: None }]);
        Commit { incoming: Some(incoming), ..Commit::default() }.require(needs)
    };
    let refused = store.apply(bring(blob.id()).await, at(2)).await;
    assert!(matches!(refused, Err(StoreError::MissingBlobs(_))), "{refused:?}");
    store.apply(bring(blob.id()).await.blob(blob.clone()), at(2)).await.expect("applies");
    assert_eq!(get(&store, RowKey::one("theme")).await.expect("reads"), Some(setting("theme", "new")));
    assert_eq!(store.outbox().await.expect("reads"), []);

    store.apply(Commit::default().put(&setting("theme", "mine")), at(3)).await.expect("applies");
    store.apply(bring(blob.id()).await, at(4)).await.expect("applies");
    assert_eq!(get(&store, RowKey::one("theme")).await.expect("reads"), Some(setting("theme", "mine")));
    // The clock that is ahead has moved this row's stamps, and no other's.
    let stamp = store.apply(Commit::default().put(&setting("other", 1)), at(5)).await.expect("applies");
    assert!(stamp.wall() < at(86_400_000), "{stamp}");

    there.apply(Commit::default().delete(row.clone()), at(2 * 86_400_000)).await.expect("applies");
    store.apply(bring(blob.id()).await, at(6)).await.expect("applies");
    assert_eq!(get::<Setting>(&store, RowKey::one("theme")).await.expect("reads"), None);
}

/// F5: a server that has lost rows gets them again.
pub async fn rows_are_sent_again_on_request<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let commit = Commit::default().put(&setting("kept", 1)).put(&setting("deleted", 1));
    store.apply(commit, at(1)).await.expect("applies");
    store.apply(Commit::default().delete(RowRef::of(&setting("deleted", 1))), at(2)).await.expect("applies");
    let all = store.outbox().await.expect("reads");
    assert_eq!(all.len(), 2);
    store.mark_sent(&all).await.expect("marks");
    let resend = vec![all[0].row.clone(), all[1].row.clone(), RowRef::of(&setting("never", 1))];
    store.apply(Commit { resend, ..Commit::default() }, at(3)).await.expect("applies");
    assert_eq!(store.outbox().await.expect("reads"), all);
}
