//! The IndexedDB store against the contract all stores share, and against data of older versions.

mod old_data;

use std::cell::Cell;
use std::rc::Rc;

use idb::DatabaseEvent as _;
use satchel_core::ids::DeviceId;
use satchel_core::record::{Draft, Record as _, RowKey, Setting, Table};
use satchel_core::store::contract::{self, Harness};
use satchel_core::store::{Blob, Commit, Durability, Store as _, StoreError, get};
use satchel_core::time::Timestamp;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use super::super::schema::Version;
use super::IndexedDbStore;
use crate::browser::random;

wasm_bindgen_test_configure!(run_in_browser);

/// A database of its own for each test.
struct Profile {
    name: String,
    device: DeviceId,
}

impl Profile {
    fn new() -> Self {
        Self { name: format!("test-{}", random::device_id()), device: random::device_id() }
    }

    async fn open_at(&self, version: Version) -> IndexedDbStore {
        IndexedDbStore::open_at(&self.name, version, self.device.clone(), || {}).await.expect("opens")
    }
}

impl Harness for Profile {
    type Store = IndexedDbStore;

    async fn fresh(device: DeviceId) -> Self {
        Self { device, ..Self::new() }
    }

    async fn open(&self) -> Self::Store {
        self.open_at(Version::CURRENT).await
    }
}

macro_rules! run {
    ($($case:ident)*) => {
        $(
            #[wasm_bindgen_test]
            async fn $case() {
                contract::$case::<Profile>().await;
            }
        )*
    };
}
contract::every_case!(run);

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// I9: a database as version 1 left it, spelled out here and made by none of today's code, is read and written on.
#[wasm_bindgen_test]
async fn data_written_by_version_1_is_read() {
    let profile = Profile::new();
    let mut opening = idb::Factory::new().expect("is there").open(&profile.name, Some(1)).expect("opens");
    opening.on_upgrade_needed(|event| {
        let database = event.database().expect("is being made");
        for store in ["settings", "blobs", "outbox", "meta"] {
            database.create_object_store(store, idb::ObjectStoreParams::new()).expect("is made");
        }
    });
    let old = opening.await.expect("opens");
    let device = "0198c5a4-7c1e-7000-8000-0000000000d1";
    let stamp = format!("0198c5a47c1e-00000000-{device}");
    let row = js_sys::Object::new();
    let stamps = format!(r#"{{"key":"{stamp}","value":"{stamp}"}}"#);
    for (name, value) in [("fields", r#"{"key":"theme","value":"dark"}"#), ("stamps", &stamps)] {
        js_sys::Reflect::set(&row, &name.into(), &value.into()).expect("is set");
    }
    let outbox_key: js_sys::Array = ["settings", "theme"].into_iter().map(JsValue::from).collect();
    let blob = Blob::new(b"kept".to_vec());
    let written: [(&str, JsValue, JsValue); 5] = [
        ("settings", "theme".into(), row.into()),
        ("meta", "device".into(), device.into()),
        ("meta", "last_stamp".into(), stamp.clone().into()),
        ("outbox", outbox_key.into(), stamp.clone().into()),
        ("blobs", blob.id().to_string().into(), js_sys::Uint8Array::from(blob.bytes()).into()),
    ];
    let transaction =
        old.transaction(&["settings", "meta", "outbox", "blobs"], idb::TransactionMode::ReadWrite).expect("begins");
    for (store, key, value) in &written {
        transaction.object_store(store).expect("is there").put(value, Some(key)).expect("is put");
    }
    transaction.commit().expect("commits").await.expect("commits");
    old.close();

    let store = profile.open().await;
    let theme: Option<Setting> = get(&store, RowKey::one("theme")).await.expect("reads");
    assert_eq!(theme, Some(Setting { key: "theme".into(), value: "dark".into() }));
    assert_eq!(store.blob(blob.id()).await.expect("reads"), Some(b"kept".to_vec()));
    let outbox = store.outbox().await.expect("reads");
    assert_eq!(outbox.first().map(|entry| entry.stamp.to_string()), Some(stamp.clone()));
    let draft = Draft { place: "composer/new".into(), text: "on it".into(), ..Draft::default() };
    let next = store.apply(Commit::relaxed().put(&draft), at(1)).await.expect("applies");
    assert!(next.to_string() > stamp && next.device().as_str() == device, "the clock does not go on: {next}");
}

/// What a commit asks for is what the browser is asked for.
#[wasm_bindgen_test]
async fn a_transaction_has_the_durability_of_its_commit() {
    let store = Profile::new().open().await;
    for (durability, name) in [(Durability::Strict, "strict"), (Durability::Relaxed, "relaxed")] {
        let transaction = store.write(&["meta"], durability).expect("begins");
        assert_eq!(transaction.durability().as_deref(), Some(name));
        transaction.finish().await.expect("commits");
    }
}

/// Whatever version of the schema is there, this one reads all of it and can go on writing.
#[wasm_bindgen_test]
async fn data_of_every_older_version_is_read() {
    for version in Version::ALL {
        let profile = Profile::new();
        let old = profile.open_at(version).await;
        let theme = Setting { key: "theme".into(), value: "dark".into() };
        let blob = Blob::new(b"kept".to_vec());
        let id = blob.id();
        let written = old.apply(Commit::default().put(&theme).blob(blob), at(1)).await.expect("applies");
        let outbox = old.outbox().await.expect("reads");
        old.close();

        let new = profile.open().await;
        assert_eq!(get(&new, theme.key()).await.expect("reads"), Some(theme), "from {version:?}");
        assert_eq!(new.blob(id).await.expect("reads"), Some(b"kept".to_vec()), "from {version:?}");
        assert_eq!(new.outbox().await.expect("reads"), outbox, "from {version:?}");
        let draft = Draft { place: "composer/new".into(), text: "on it".into(), ..Draft::default() };
        let later = new.apply(Commit::relaxed().put(&draft), at(1)).await.expect("applies");
        assert!(later > written, "the clock goes on from {version:?}");
        assert_eq!(get(&new, draft.key()).await.expect("reads"), Some(draft), "from {version:?}");
    }
}

/// A copy that does not fit its field, as no code of ours leaves it, is counted and set right, in every table that has one.
#[wasm_bindgen_test]
async fn rows_that_are_not_found_by_their_fields_are_set_right() {
    let store = Profile::new().open().await;
    let message = |id: &str| {
        let fields = serde_json::json!({ "id": id, "chat_id": "here" }).to_string();
        let row = js_sys::Object::new();
        js_sys::Reflect::set(&row, &"fields".into(), &fields.into()).expect("is set");
        row
    };
    let (bare, wrong) = (message("bare"), message("wrong"));
    js_sys::Reflect::set(&wrong, &"by_chat_id".into(), &"elsewhere".into()).expect("is set");
    let transaction = store.write(&["messages"], Durability::Strict).expect("begins");
    for (key, row) in [("bare", bare), ("wrong", wrong)] {
        super::put(&transaction.store("messages").expect("is there"), &key.into(), &row).expect("is put");
    }
    transaction.finish().await.expect("commits");

    let found = async |chat: &str| store.rows_where(Table::Messages, "chat_id", chat).await.expect("looks up").len();
    assert_eq!((found("here").await, found("elsewhere").await), (0, 1));
    assert_eq!(store.stale_indexes().await.expect("counts"), 2);
    assert_eq!(store.mend_indexes().await.expect("mends"), 2);
    assert_eq!((found("here").await, found("elsewhere").await), (2, 0));
    assert_eq!(store.stale_indexes().await.expect("counts"), 0);
}

/// Every table of core has its store and its indexes, whichever step made them.
#[wasm_bindgen_test]
async fn every_table_can_be_read_and_looked_up() {
    let store = Profile::new().open().await;
    for table in Table::ALL {
        assert_eq!(store.rows(table).await.expect("has its store"), [], "{table}");
        for field in table.indexed() {
            assert_eq!(store.rows_where(table, field, "x").await.expect("has its index"), [], "{table} by {field}");
        }
    }
}

/// The device is named once; a later start keeps that name whatever it brings.
#[wasm_bindgen_test]
async fn a_device_keeps_its_name() {
    let profile = Profile::new();
    let theme = |value: &str| Commit::default().put(&Setting { key: "theme".into(), value: value.into() });
    let first = profile.open().await.apply(theme("dark"), at(1)).await.expect("applies");
    let again = Profile { device: random::device_id(), name: profile.name.clone() }.open().await;
    let second = again.apply(theme("light"), at(2)).await.expect("applies");
    assert_eq!(first.device(), &profile.device);
    assert_eq!(second.device(), &profile.device);
}

/// A tab that must make room for an upgrade is told, and refuses to go on instead of failing oddly.
#[wasm_bindgen_test]
async fn a_tab_makes_room_for_an_upgrade_and_says_so() {
    let profile = Profile::new();
    let told = Rc::new(Cell::new(false));
    let old = IndexedDbStore::open_at(&profile.name, Version::Foundation, profile.device.clone(), {
        let told = Rc::clone(&told);
        move || told.set(true)
    });
    let old = old.await.expect("opens");
    let new = profile.open().await;
    assert!(told.get());
    let commit = || Commit::default().put(&Setting { key: "theme".into(), value: "dark".into() });
    assert!(matches!(old.apply(commit(), at(1)).await, Err(StoreError::Superseded)));
    new.apply(commit(), at(2)).await.expect("applies");
}

/// Data of a newer version is not touched, and the sentence says what to do.
#[wasm_bindgen_test]
async fn data_of_a_newer_version_is_refused() {
    let profile = Profile::new();
    profile.open().await.close();
    let outcome =
        IndexedDbStore::open_at(&profile.name, Version::Foundation, profile.device.clone(), || {}).await.map(drop);
    assert!(matches!(outcome, Err(StoreError::TooNew)), "{outcome:?}");
}

/// I8: secrets are sealed, read back, and forgotten; the stored form does not hold them.
#[wasm_bindgen_test]
async fn secrets_are_stored_sealed() {
    use crate::browser::indexed_db::SECRETS;
    use crate::browser::secrets;

    let store = Profile::new().open().await;
    secrets::keep(&store, "access-token", "hunter2hunter2").await.expect("is kept");
    assert_eq!(secrets::read(&store, "access-token").await.expect("reads").as_deref(), Some("hunter2hunter2"));
    let stored: js_sys::Array =
        store.device_value(SECRETS, "access-token").await.expect("reads").expect("is there").into();
    let bytes: Vec<u8> = stored.iter().flat_map(|part| js_sys::Uint8Array::new(&part).to_vec()).collect();
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"), "the secret is readable in storage");

    store.set_device_value(SECRETS, "other", &stored).await.expect("is written");
    assert_eq!(secrets::read(&store, "other").await.expect("reads"), None, "a secret was read under another's name");
    secrets::forget(&store, "access-token").await.expect("is forgotten");
    assert_eq!(secrets::read(&store, "access-token").await.expect("reads"), None);
    assert_eq!(store.outbox().await.expect("reads"), []);
}
