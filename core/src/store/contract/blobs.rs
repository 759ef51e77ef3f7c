//! What is stored under the hash of its bytes.

use super::{Harness, at, device, setting};
use crate::digest::BlobId;
use crate::record::{Record as _, Setting};
use crate::store::{Blob, Commit, Drops, Store as _, StoreError, get, list};

/// R031
pub async fn blobs_are_stored_once_under_their_names<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let (first, again) = (Blob::new(b"same".to_vec()), Blob::new(b"same".to_vec()));
    let empty = Blob::new(Vec::new());
    let other = BlobId::of(b"other");
    store.apply(Commit::default().blob(first.clone()).blob(empty.clone()), at(1)).await.expect("applies");
    store.apply(Commit::default().blob(again), at(2)).await.expect("applies again");
    assert_eq!(store.blob(first.id()).await.expect("reads"), Some(b"same".to_vec()));
    assert_eq!(store.blob(empty.id()).await.expect("reads"), Some(Vec::new()));
    assert_eq!(store.blob(other).await.expect("reads"), None);
    assert_eq!(store.missing_blobs(&[other, first.id()]).await.expect("reads"), [other]);
}

/// R311: what is to be checked has to be found first, named by a row or not.
pub async fn blobs_are_listed_by_name<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    assert_eq!(store.blob_ids().await.expect("reads"), []);
    let blobs = ["one", "two", "three"].map(|text| Blob::new(text.as_bytes().to_vec()));
    let mut names = blobs.iter().map(Blob::id).collect::<Vec<_>>();
    names.sort();
    let commit = blobs.into_iter().fold(Commit::default(), Commit::blob);
    store.apply(commit, at(1)).await.expect("applies");
    assert_eq!(store.blob_ids().await.expect("reads"), names);
}

/// The folders of one level of a workspace are asked for together.
pub async fn several_blobs_come_in_the_order_asked_for<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let [one, two] = ["one", "two"].map(|text| Blob::new(text.as_bytes().to_vec()));
    store.apply(Commit::default().blob(one.clone()).blob(two.clone()), at(1)).await.expect("applies");
    let found = store.blobs(&[two.id(), BlobId::of(b"none"), one.id(), two.id()]).await.expect("reads");
    let [one, two] = [one, two].map(|blob| Some(blob.into_bytes()));
    assert_eq!(found, [two.clone(), None, one, two]);
    assert_eq!(store.blobs(&[]).await.expect("reads"), Vec::<Option<Vec<u8>>>::new());
}

/// However many are asked about, and however many others there are.
pub async fn of_many_blobs_the_missing_ones_are_told<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let blobs: Vec<Blob> = (0..300_u32).map(|number| Blob::new(number.to_string().into_bytes())).collect();
    let stored = blobs.iter().step_by(3).cloned().fold(Commit::default(), Commit::blob);
    store.apply(stored, at(1)).await.expect("applies");
    for asked in [300, 40] {
        let ids: Vec<BlobId> = blobs.iter().take(asked).map(Blob::id).collect();
        let missing: Vec<BlobId> =
            ids.iter().enumerate().filter(|(number, _)| number % 3 != 0).map(|(_, id)| *id).collect();
        assert_eq!(store.missing_blobs(&ids).await.expect("reads"), missing);
    }
}

/// Atomic, and `requires`: neither the row nor the blob of a refused commit is there.
pub async fn a_missing_required_blob_refuses_the_whole_commit<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let (theme, blob, missing) = (setting("theme", "dark"), Blob::new(b"new".to_vec()), BlobId::of(b"missing"));
    let commit = Commit::default().blob(blob.clone()).put(&theme).require(missing);
    match store.apply(commit, at(1)).await {
        Err(StoreError::MissingBlobs(ids)) => assert_eq!(ids, [missing]),
        other => panic!("expected a refusal, got {other:?}"),
    }
    assert_eq!(get::<Setting>(&store, theme.key()).await.expect("reads"), None);
    assert_eq!(store.blob(blob.id()).await.expect("reads"), None);
    assert_eq!(store.outbox().await.expect("reads"), []);
}

/// I3: a blob and the row that names it may come together.
pub async fn a_required_blob_may_come_with_the_commit<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let blob = Blob::new(b"picture".to_vec());
    let id = blob.id();
    store.apply(Commit::default().require(id).blob(blob).put(&setting("a", 1)), at(1)).await.expect("applies");
    store.apply(Commit::default().require(id).put(&setting("b", 1)), at(2)).await.expect("applies");
    assert_eq!(list::<Setting>(&store).await.expect("reads").len(), 2);
}

/// F10: bytes that no longer fit their name are replaced by those that do.
pub async fn writing_a_blob_again_heals_it<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let sound = Blob::new(b"sound".to_vec());
    store.apply(Commit::default().blob(Blob::named(sound.id(), b"soumd".to_vec())), at(1)).await.expect("applies");
    store.apply(Commit::default().blob(sound.clone()), at(2)).await.expect("applies");
    assert_eq!(store.blob(sound.id()).await.expect("reads"), Some(b"sound".to_vec()));
}

/// C24
pub async fn dropped_blobs_are_gone<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let (kept, dropped) = (Blob::new(b"kept".to_vec()), Blob::new(b"dropped".to_vec()));
    store.apply(Commit::default().blob(kept.clone()).blob(dropped.clone()), at(1)).await.expect("applies");
    let touched = store.blobs_touched().await.expect("reads");
    // Rows that have nothing to do with blobs do not hold the clean-up up.
    store.apply(Commit::default().put(&setting("theme", "dark")), at(2)).await.expect("applies");
    let drops = Drops { blobs: vec![dropped.id()], touched };
    store.apply(Commit { drops: Some(drops), ..Commit::default() }, at(3)).await.expect("applies");
    assert_eq!(store.missing_blobs(&[kept.id(), dropped.id()]).await.expect("reads"), [dropped.id()]);
}

/// C24: a blob that another tab has begun to rely on since it was found unused stays.
pub async fn nothing_is_dropped_once_another_commit_relies_on_blobs<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let blob = Blob::new(b"unused".to_vec());
    store.apply(Commit::default().blob(blob.clone()), at(1)).await.expect("applies");
    let touched = store.blobs_touched().await.expect("reads");
    store.apply(Commit::default().require(blob.id()), at(2)).await.expect("applies");
    let drops = Drops { blobs: vec![blob.id()], touched };
    let refused = store.apply(Commit { drops: Some(drops), ..Commit::default() }, at(3)).await;
    assert!(matches!(refused, Err(StoreError::BlobsTouched)), "{refused:?}");
    assert_eq!(store.missing_blobs(&[blob.id()]).await.expect("reads"), []);
}
