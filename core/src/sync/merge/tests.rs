//! The laws of a join, and what a commit does with rows of other devices.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use serde_json::json;

use super::*;
use crate::at_once::at_once;
use crate::ids::{ChatId, DeviceId, MessageId};
use crate::record::{Chat, Content, Message, Role, RowKey, Setting, Table};
use crate::store::{Commit, MemoryStore, Store as _};
use crate::time::Timestamp;

fn device(number: u8) -> DeviceId {
    DeviceId::parse(format!("0198c5a4-7c1e-7000-8000-0000000000{number:02x}")).expect("is a UUID")
}

fn stamp(wall: u64, by: u8) -> Stamp {
    Stamp::first(Timestamp::from_millis(wall), device(by))
}

fn stamps() -> impl Strategy<Value = Stamp> {
    (0..12_u64, 0..3_u8).prop_map(|(wall, by)| stamp(wall, by))
}

/// Rows of any history: some fields, each with a stamp, and perhaps a deletion.
fn rows() -> impl Strategy<Value = StoredRow> {
    let field = (prop_oneof![Just("a"), Just("b"), Just("c")], any::<u8>(), stamps());
    (prop::collection::vec(field, 0..4), prop::option::of(stamps())).prop_map(|(writes, deleted)| {
        let mut row = StoredRow { deleted, ..StoredRow::default() };
        for (name, value, stamp) in writes {
            row.fields.insert(name.into(), json!(value));
            row.stamps.insert(name.into(), stamp);
        }
        // As every store has it: nothing that a deletion took away.
        merge(&row, &row.clone())
    })
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 4000, ..Default::default() })]

    /// C28
    #[test]
    fn the_order_makes_no_difference(a in rows(), b in rows()) {
        prop_assert_eq!(merge(&a, &b), merge(&b, &a));
    }

    #[test]
    fn the_grouping_makes_no_difference(a in rows(), b in rows(), c in rows()) {
        prop_assert_eq!(merge(&merge(&a, &b), &c), merge(&a, &merge(&b, &c)));
    }

    #[test]
    fn repetition_makes_no_difference(a in rows(), b in rows()) {
        prop_assert_eq!(merge(&a, &a), a.clone());
        let both = merge(&a, &b);
        prop_assert_eq!(merge(&both, &b), both.clone());
        prop_assert_eq!(merge(&both, &a), both);
    }
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn setting(value: &str) -> Setting {
    Setting { key: "theme".into(), value: value.into() }
}

fn row_of(store: &MemoryStore, row: &RowRef) -> StoredRow {
    at_once(store.stored(std::slice::from_ref(row))).expect("reads").remove(0).expect("is there")
}

/// Everything of one store to another, as sync would bring it.
fn bring(from: &MemoryStore, to: &MemoryStore, now: u64) {
    let mut rows = Vec::new();
    for table in Table::ALL {
        for key in at_once(from.row_keys(table)).expect("reads") {
            let row = RowRef { table, key };
            let stored = row_of(from, &row);
            let ours = at_once(to.stored(std::slice::from_ref(&row))).expect("reads").remove(0);
            let chat = ours.and_then(|ours| ours.fields.get("chat_id")?.as_str().map(str::to_owned));
            let part_of = chat.map(|chat| RowRef { table: Table::Chats, key: RowKey::one(chat) });
            rows.push(Theirs { row, stored, part_of });
        }
    }
    at_once(to.apply(Commit { incoming: Some(Incoming::new(rows)), ..Commit::default() }, at(now))).expect("applies");
}

/// A clock a day ahead wins the field it wrote, until that field is written by somebody who has seen it; every other field is
/// ordered as if that clock were right.
#[test]
fn a_wrong_clock_harms_the_field_it_touches_and_no_other() {
    const DAY: u64 = 86_400_000;
    let (ahead, right, other) = (MemoryStore::new(device(1)), MemoryStore::new(device(2)), MemoryStore::new(device(3)));
    let kept = |store: &MemoryStore, value: &str, key: &str, now: u64| {
        let row = Setting { key: key.into(), value: value.into() };
        at_once(store.apply(Commit::default().put(&row), at(now))).expect("applies");
    };
    kept(&ahead, "from the future", "theme", 10 + DAY);
    bring(&ahead, &right, 20);
    // Who has seen it writes over it.
    kept(&right, "now", "theme", 30);
    bring(&right, &ahead, 40 + DAY);
    assert_eq!(row_of(&ahead, &RowRef::of(&setting(""))).fields["value"], "now");
    // And what else it writes is no newer than its own clock: a later write elsewhere wins.
    kept(&right, "early", "language", 50);
    kept(&other, "late", "language", 60);
    bring(&right, &other, 70);
    let language = RowRef { table: Table::Settings, key: RowKey::one("language") };
    assert_eq!(row_of(&other, &language).fields["value"], "late");
}

fn chat() -> Chat {
    Chat::new(ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"), "Old", at(1))
}

/// A chat that was renamed on one device after it was deleted on another lives on both, with its title, its other fields and its messages.
#[test]
fn a_chat_written_after_its_deletion_comes_back_whole() {
    let (here, there) = (MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    let message = Message {
        id: MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b1").expect("is a UUID"),
        chat_id: chat().id,
        parent_id: None,
        role: Role::User,
        content: Content::Text("kept".into()),
        tool_calls: Vec::new(),
        tool_call_id: None,
        metadata: Map::new(),
        created_at: at(1),
    };
    at_once(here.apply(Commit::default().put(&chat()).put(&message), at(10))).expect("applies");
    bring(&here, &there, 20);
    let purge = Commit::default().delete(RowRef::of(&chat())).delete(RowRef::of(&message));
    at_once(here.apply(purge, at(30))).expect("applies");
    let renamed = Chat { title: "New".into(), ..chat() };
    at_once(there.apply(Commit::default().change(&chat(), &renamed), at(40))).expect("applies");
    bring(&here, &there, 50);
    bring(&there, &here, 60);
    bring(&here, &there, 70);
    for store in [&here, &there] {
        let found = at_once(crate::store::get::<Chat>(store, RowKey::one(chat().id.as_str()))).expect("reads");
        assert_eq!(found, Some(renamed.clone()));
        assert!(row_of(store, &RowRef::of(&message)).is_alive());
    }
    assert_eq!(row_of(&here, &RowRef::of(&message)), row_of(&there, &RowRef::of(&message)));
    // What was written again is on its way to everybody else.
    let outbox = at_once(there.outbox()).expect("reads");
    assert!(outbox.iter().any(|entry| entry.row == RowRef::of(&message)), "{outbox:?}");

    // A message that was deleted by itself stays deleted.
    at_once(here.apply(Commit::default().delete(RowRef::of(&message)), at(80))).expect("applies");
    bring(&here, &there, 90);
    assert!(!row_of(&there, &RowRef::of(&message)).is_alive());
}

/// What is only of a device is not taken from another one, whatever that one sends.
#[test]
fn rows_of_the_device_are_not_taken_from_another() {
    let store = MemoryStore::new(device(1));
    let row = RowRef { table: Table::Approvals, key: RowKey::one("evil:tool") };
    let stored = StoredRow {
        fields: Map::from_iter([("tool_id".to_owned(), json!("evil:tool"))]),
        stamps: BTreeMap::from([("tool_id".to_owned(), stamp(1, 2))]),
        deleted: None,
    };
    let incoming = Incoming::new(vec![Theirs { row: row.clone(), stored, part_of: None }]);
    at_once(store.apply(Commit { incoming: Some(incoming), ..Commit::default() }, at(1))).expect("applies");
    assert_eq!(at_once(store.stored(&[row])).expect("reads"), [None]);
}
