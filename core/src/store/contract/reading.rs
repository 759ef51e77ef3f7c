//! What was stored is found again: by its key, by a field, in order.

use serde_json::json;

use super::{Harness, at, device, setting};
use crate::ids::{ChatId, ManifestId};
use crate::record::{Draft, Node, NodeHead, Record as _, RowKey, RowRef, Setting, Table};
use crate::store::{Blob, Commit, Durability, Lookup, Store as _, get, list, list_where, record_of, records_of};

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
