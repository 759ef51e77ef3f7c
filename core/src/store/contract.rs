//! What every store must do, as one suite that every implementer runs: natively for the memory store, in Chromium for the
//! IndexedDB store.
//!
//! A new case is written as a function here and named in [`every_case`](crate::every_store_case), and from then on both stores are held to it.

use serde_json::json;

use super::{
    Blob, Commit, Drops, Durability, Lookup, OutboxEntry, Store, StoreError, get, list, list_where, record_of,
    records_of,
};
use crate::digest::BlobId;
use crate::ids::{ChatId, DeviceId, ManifestId};
use crate::record::{Chat, Draft, Node, NodeHead, Position, Record as _, RowKey, RowRef, Setting, Table};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// How a suite gets at the store it tests.
#[expect(async_fn_in_trait, reason = "only tests implement this")]
pub trait Harness {
    /// The store under test.
    type Store: Store;

    /// A place for one store, empty, of this device.
    async fn fresh(device: DeviceId) -> Self;

    /// Opens the store. A second call gives what a second tab, or the next start, would have.
    async fn open(&self) -> Self::Store;
}

/// Hands the name of every case to the macro `$run`, which makes a test of each.
#[macro_export]
macro_rules! every_store_case {
    ($run:ident) => {
        $run! {
            a_record_reads_back
            an_empty_commit_succeeds
            blobs_are_stored_once_under_their_names
            blobs_are_listed_by_name
            several_blobs_come_in_the_order_asked_for
            a_missing_required_blob_refuses_the_whole_commit
            a_required_blob_may_come_with_the_commit
            writing_a_blob_again_heals_it
            dropped_blobs_are_gone
            nothing_is_dropped_once_another_commit_relies_on_blobs
            a_changed_row_refuses_the_whole_commit
            an_expected_absence_holds_for_a_deleted_row
            only_changed_fields_get_a_new_stamp
            a_change_of_one_field_leaves_another_tabs_field
            writing_equal_values_writes_nothing
            stamps_grow_though_the_clock_goes_back
            two_tabs_never_make_the_same_stamp
            a_deleted_row_is_gone_and_can_come_back
            a_row_written_and_deleted_in_one_commit_is_gone
            the_outbox_holds_one_entry_a_row
            a_row_changed_while_being_sent_stays_in_the_outbox
            device_local_rows_never_reach_the_outbox
            both_durabilities_are_there_at_the_next_start
            an_unreadable_row_does_not_hide_the_others
            keys_of_several_parts_are_kept_apart
            rows_come_sorted_by_key
            rows_are_found_by_an_indexed_field
            several_lookups_are_answered_in_their_order
            keys_are_listed_without_their_rows
        }
    };
}

pub use every_store_case as every_case;

fn device() -> DeviceId {
    DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID")
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn setting(key: &str, value: impl Into<serde_json::Value>) -> Setting {
    Setting { key: key.into(), value: value.into() }
}

async fn stamp_of(store: &impl Store, row: &RowRef) -> Option<Stamp> {
    store.row(row).await.expect("reads").and_then(|row| row.stamp().cloned())
}

/// The simplest thing: what was put is there, for this handle and for another.
pub async fn a_record_reads_back<H: Harness>() {
    let place = H::fresh(device()).await;
    let theme = setting("theme", "dark");
    place.open().await.apply(Commit::default().put(&theme), at(1)).await.expect("applies");
    for store in [place.open().await, place.open().await] {
        assert_eq!(get(&store, theme.key()).await.expect("reads"), Some(theme.clone()));
        assert_eq!(get::<Setting>(&store, RowKey::one("other")).await.expect("reads"), None);
    }
}

/// A commit of nothing is no error.
pub async fn an_empty_commit_succeeds<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    store.apply(Commit::default(), at(1)).await.expect("applies");
    assert_eq!(store.outbox().await.expect("reads"), []);
}

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

/// R313: what is new is found by its key.
pub async fn keys_are_listed_without_their_rows<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    assert_eq!(store.row_keys(Table::Settings).await.expect("reads"), []);
    let commit = ["b", "a", "c"].into_iter().fold(Commit::default(), |commit, key| commit.put(&setting(key, 1)));
    store.apply(commit, at(1)).await.expect("applies");
    assert_eq!(store.row_keys(Table::Settings).await.expect("reads"), ["a", "b", "c"].map(RowKey::one));
    store.apply(Commit::default().delete(RowRef::of(&setting("b", 1))), at(2)).await.expect("applies");
    let left = store.row_keys(Table::Settings).await.expect("reads");
    assert!(["a", "c"].map(RowKey::one).iter().all(|key| left.contains(key)), "{left:?}");
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

/// `expects`: who read an old state does not overwrite a new one.
pub async fn a_changed_row_refuses_the_whole_commit<H: Harness>() {
    let place = H::fresh(device()).await;
    let (here, there) = (place.open().await, place.open().await);
    let row = RowRef::of(&setting("theme", 0));
    here.apply(Commit::default().put(&setting("theme", "dark")), at(1)).await.expect("applies");
    let seen = stamp_of(&here, &row).await;
    there.apply(Commit::default().put(&setting("theme", "light")), at(2)).await.expect("applies");

    let late = Commit::default().expect(row.clone(), seen).put(&setting("theme", "system")).put(&setting("other", 1));
    match here.apply(late, at(3)).await {
        Err(StoreError::Changed(changed)) => assert_eq!(changed, row),
        other => panic!("expected a refusal, got {other:?}"),
    }
    let rows: Vec<Setting> = list(&here).await.expect("reads").into_iter().map(|row| row.expect("is a row")).collect();
    assert_eq!(rows, [setting("theme", "light")]);

    let fresh = stamp_of(&here, &row).await;
    here.apply(Commit::default().expect(row, fresh).put(&setting("theme", "system")), at(4)).await.expect("applies");
}

/// "No such row" is true before the first write and after a delete, and false in between.
pub async fn an_expected_absence_holds_for_a_deleted_row<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let row = RowRef::of(&setting("name", 0));
    let create = |value: u64| Commit::default().expect(row.clone(), None).put(&setting("name", value));
    store.apply(create(1), at(1)).await.expect("applies");
    assert!(matches!(store.apply(create(2), at(2)).await, Err(StoreError::Changed(_))));
    store.apply(Commit::default().delete(row.clone()), at(3)).await.expect("applies");
    store.apply(create(4), at(4)).await.expect("applies");
}

/// Stamps belong to fields, not to rows.
pub async fn only_changed_fields_get_a_new_stamp<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let first = store.apply(Commit::default().put(&setting("theme", "dark")), at(1)).await.expect("applies");
    let second = store.apply(Commit::default().put(&setting("theme", "light")), at(2)).await.expect("applies");
    let row = store.row(&RowRef::of(&setting("theme", 0))).await.expect("reads").expect("is there");
    assert_eq!(row.stamps.get("key"), Some(&first));
    assert_eq!(row.stamps.get("value"), Some(&second));
    assert_eq!(row.stamp(), Some(&second));
}

/// A change names only what it changes: of two tabs that change different fields, neither undoes the other.
pub async fn a_change_of_one_field_leaves_another_tabs_field<H: Harness>() {
    let place = H::fresh(device()).await;
    let (here, there) = (place.open().await, place.open().await);
    let chat = Chat {
        id: ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"),
        title: "Old".into(),
        created_at: at(1),
        modified_at: at(1),
        enabled_tools: None,
        model: None,
        max_tool_iterations: None,
        forked_from: None,
        soft_deleted_at: None,
    };
    here.apply(Commit::default().put(&chat), at(1)).await.expect("applies");
    let renamed = Chat { title: "New".into(), ..chat.clone() };
    let touched = Chat { modified_at: at(2), ..chat.clone() };
    there.apply(Commit::default().change(&chat, &renamed), at(2)).await.expect("applies");
    here.apply(Commit::default().change(&chat, &touched), at(3)).await.expect("applies");
    let now: Option<Chat> = get(&here, chat.key()).await.expect("reads");
    assert_eq!(now, Some(Chat { title: "New".into(), modified_at: at(2), ..chat.clone() }));

    there.apply(Commit::default().delete(RowRef::of(&chat)), at(4)).await.expect("applies");
    let late = here.apply(Commit::default().change(&chat, &renamed), at(5)).await;
    assert!(matches!(late, Err(StoreError::Changed(_))), "half a row came back: {late:?}");
}

/// Saving what is there already is not a change to send.
pub async fn writing_equal_values_writes_nothing<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let commit = || Commit::default().put(&setting("theme", "dark"));
    store.apply(commit(), at(1)).await.expect("applies");
    let sent = store.outbox().await.expect("reads");
    store.mark_sent(&sent).await.expect("marks");
    let before = stamp_of(&store, &RowRef::of(&setting("theme", 0))).await;
    store.apply(commit(), at(2)).await.expect("applies");
    assert_eq!(stamp_of(&store, &RowRef::of(&setting("theme", 0))).await, before);
    assert_eq!(store.outbox().await.expect("reads"), []);
}

/// A wall clock that is set back does no harm.
pub async fn stamps_grow_though_the_clock_goes_back<H: Harness>() {
    let place = H::fresh(device()).await;
    let mut last = None;
    for (number, now) in [1_000, 1_000, 10, 2_000, 0].into_iter().enumerate() {
        let store = place.open().await;
        let stamp = store.apply(Commit::default().put(&setting("n", number)), at(now)).await.expect("applies");
        assert!(Some(&stamp) > last.as_ref(), "{stamp:?} does not come after {last:?}");
        assert_eq!(stamp.device(), &device());
        last = Some(stamp);
    }
}

/// R043: the clock is shared, so equal moments give different stamps.
pub async fn two_tabs_never_make_the_same_stamp<H: Harness>() {
    let place = H::fresh(device()).await;
    let (here, there) = (place.open().await, place.open().await);
    let mut stamps = Vec::new();
    for number in 0..5 {
        for store in [&here, &there] {
            let commit = Commit::default().put(&setting(&format!("n{}", stamps.len()), number));
            stamps.push(store.apply(commit, at(7)).await.expect("applies"));
        }
    }
    let mut unique = stamps.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(stamps, unique);
}

/// Deleting hides a row and leaves a tombstone to send; writing again revives it.
pub async fn a_deleted_row_is_gone_and_can_come_back<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let theme = setting("theme", "dark");
    let row = RowRef::of(&theme);
    store.apply(Commit::default().put(&theme), at(1)).await.expect("applies");
    let sent = store.outbox().await.expect("reads");
    store.mark_sent(&sent).await.expect("marks");

    let deleted = store.apply(Commit::default().delete(row.clone()), at(2)).await.expect("applies");
    assert_eq!(store.row(&row).await.expect("reads"), None);
    assert_eq!(store.rows(Table::Settings).await.expect("reads"), []);
    assert_eq!(store.outbox().await.expect("reads"), [OutboxEntry { row: row.clone(), stamp: deleted }]);

    store.apply(Commit::default().put(&theme), at(3)).await.expect("applies");
    assert_eq!(get(&store, theme.key()).await.expect("reads"), Some(theme));
}

/// Deletes come after puts.
pub async fn a_row_written_and_deleted_in_one_commit_is_gone<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let theme = setting("theme", "dark");
    let row = RowRef::of(&theme);
    store.apply(Commit::default().put(&theme).delete(row.clone()), at(1)).await.expect("applies");
    assert_eq!(store.row(&row).await.expect("reads"), None);
}

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

/// Relaxed and strict differ in what a power cut may take, not in what the next start sees.
pub async fn both_durabilities_are_there_at_the_next_start<H: Harness>() {
    let place = H::fresh(device()).await;
    for (number, durability) in [Durability::Strict, Durability::Relaxed].into_iter().enumerate() {
        let blob = Blob::new(vec![7; number]);
        let (id, name) = (blob.id(), format!("n{number}"));
        let commit = Commit { durability, ..Commit::default() }.blob(blob).put(&setting(&name, number));
        place.open().await.apply(commit, at(1)).await.expect("applies");
        let next_start = place.open().await;
        assert_eq!(get(&next_start, RowKey::one(&name)).await.expect("reads"), Some(setting(&name, number)));
        assert_eq!(next_start.blob(id).await.expect("reads"), Some(vec![7; number]));
    }
}

/// R317: one broken row never hides the sound ones.
pub async fn an_unreadable_row_does_not_hide_the_others<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let mut commit = Commit::default().put(&setting("good", 1)).put(&setting("torn", 1));
    commit.puts[1].fields.remove("value");
    store.apply(commit, at(1)).await.expect("applies");
    let rows = list::<Setting>(&store).await.expect("reads");
    let told: Vec<String> = rows
        .into_iter()
        .map(|row| match row {
            Ok(setting) => setting.key,
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(told, ["good", "the stored row settings/torn cannot be read"]);
}

/// `["a", "b/c"]` and `["a/b", "c"]` are two rows, though they look alike when printed.
pub async fn keys_of_several_parts_are_kept_apart<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let mut commit = Commit::default();
    for (key, value) in [(RowKey::of(["a", "b/c"]), 1), (RowKey::of(["a/b", "c"]), 2), (RowKey::one("a"), 3)] {
        commit = commit.put(&setting("x", value));
        commit.puts.last_mut().expect("was just put").row.key = key;
    }
    store.apply(commit, at(1)).await.expect("applies");
    let row = |key| RowRef { table: Table::Settings, key };
    for (key, value) in [(RowKey::of(["a", "b/c"]), 1), (RowKey::of(["a/b", "c"]), 2), (RowKey::one("a"), 3)] {
        let found = store.row(&row(key)).await.expect("reads").expect("is there");
        assert_eq!(found.fields.get("value"), Some(&json!(value)));
    }
}

/// The order is the same in every store, so that exports and listings are.
pub async fn rows_come_sorted_by_key<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    for key in ["b", "a", "ab", "Z", "ä"] {
        store.apply(Commit::default().put(&setting(key, 1)), at(1)).await.expect("applies");
    }
    let rows = store.rows(Table::Settings).await.expect("reads");
    assert_eq!(rows.iter().map(|(key, _)| key.to_string()).collect::<Vec<_>>(), ["Z", "a", "ab", "b", "ä"]);
}

/// What belongs to a chat is found without reading the others; what was deleted is not found.
pub async fn rows_are_found_by_an_indexed_field<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let uuid = |number: u32| format!("0198c5a4-7c1e-7000-8000-{number:012}");
    let head = |chat: u32, manifest: u32| NodeHead {
        chat_id: ChatId::parse(uuid(chat)).expect("is a UUID"),
        message_id: Node::Root,
        manifest_id: ManifestId::parse(uuid(manifest)).expect("is a UUID"),
    };
    let heads = [head(1, 5), head(1, 4), head(2, 6), head(1, 7)];
    let commit = heads.iter().fold(Commit::default(), Commit::put);
    store.apply(commit, at(1)).await.expect("applies");
    store.apply(Commit::default().delete(RowRef::of(&heads[3])), at(2)).await.expect("applies");
    let found: Vec<NodeHead> = (list_where(&store, "chat_id", &uuid(1)).await.expect("reads"))
        .into_iter()
        .map(|row| row.expect("is a head"))
        .collect();
    assert_eq!(found, [heads[1].clone(), heads[0].clone()]);
    assert!(list_where::<NodeHead>(&store, "chat_id", &uuid(3)).await.expect("reads").is_empty());
    let keys = store.row_keys_where(Table::NodeHeads, "chat_id", &uuid(1)).await.expect("reads");
    let (all, living) = (keys.iter(), found.iter().map(|head| head.key()));
    assert!(living.into_iter().all(|key| all.clone().any(|listed| *listed == key)), "{keys:?}");
    assert!(!keys.contains(&heads[2].key()) && keys.is_sorted(), "{keys:?}");
}

/// Different tables and kinds of questions at once, one of them twice and one that finds nothing.
pub async fn several_lookups_are_answered_in_their_order<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let draft = Draft { place: "composer/new".into(), text: "on it".into(), ..Draft::default() };
    let commit = Commit::default().put(&setting("a", 1)).put(&setting("b", 2)).put(&draft);
    store.apply(commit, at(1)).await.expect("applies");
    let (one, none) = (RowRef::of(&setting("b", 2)), RowRef::of(&setting("c", 3)));
    let wanted = [Lookup::Row(&one), Lookup::All(Table::Drafts), Lookup::Row(&none), Lookup::Row(&one)];
    let [b, drafts, c, again] = store.look_up(wanted).await.expect("reads");
    assert_eq!(record_of::<Setting>(b.clone()).expect("is read"), Some(setting("b", 2)));
    assert_eq!(records_of::<Draft>(drafts).into_iter().flatten().collect::<Vec<_>>(), [draft]);
    assert_eq!((c, again), (Vec::new(), b));
}
