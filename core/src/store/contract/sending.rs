//! What has to be sent to other devices, and what never is.

use serde_json::json;

use super::{Harness, at, device, setting};
use crate::record::{Draft, Position, Record as _, RowRef};
use crate::store::{Commit, Store as _, get};

/// Coalesced: ten changes of a row are one row to send, with the newest stamp.
pub async fn the_outbox_holds_one_entry_a_row<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    store.apply(Commit::default().put(&setting("b", 0)), at(1)).await.expect("applies");
    let mut last = None;
    for number in 0..10 {
        last = Some(store.apply(Commit::default().put(&setting("a", number)), at(2)).await.expect("applies"));
    }
    let outbox = store.outbox().await.expect("reads");
    assert_eq!(outbox.iter().map(|entry| entry.row.to_string()).collect::<Vec<_>>(), ["settings/a", "settings/b"]);
    assert_eq!(Some(&outbox[0].stamp), last.as_ref());
}

/// A change made while its predecessor is on the wire is not forgotten.
pub async fn a_row_changed_while_being_sent_stays_in_the_outbox<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    store.apply(Commit::default().put(&setting("a", 1)).put(&setting("b", 1)), at(1)).await.expect("applies");
    let on_the_wire = store.outbox().await.expect("reads");
    store.apply(Commit::default().put(&setting("a", 2)), at(2)).await.expect("applies");
    store.mark_sent(&on_the_wire).await.expect("marks");
    let left = store.outbox().await.expect("reads");
    assert_eq!(left.iter().map(|entry| entry.row.to_string()).collect::<Vec<_>>(), ["settings/a"]);
}

/// Drafts and positions stay here, and leave no tombstone behind.
pub async fn device_local_rows_never_reach_the_outbox<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let draft = Draft { place: "composer/new".into(), text: "secret plan".into(), ..Draft::default() };
    let position = Position { place: "panes".into(), value: json!({"chats": true}) };
    store.apply(Commit::relaxed().put(&draft).put(&position), at(1)).await.expect("applies");
    assert_eq!(get(&store, draft.key()).await.expect("reads"), Some(draft.clone()));
    store.apply(Commit::relaxed().delete(RowRef::of(&draft)), at(2)).await.expect("applies");
    assert_eq!(get::<Draft>(&store, draft.key()).await.expect("reads"), None);
    assert_eq!(store.outbox().await.expect("reads"), []);
}
