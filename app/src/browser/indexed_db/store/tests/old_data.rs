//! Databases as each version of the schema left them, opened by today's app (I9).
//!
//! `old_data.json` has what every step made and rows as the app wrote them at that time, spelled out: no code of today makes them. A new step
//! adds to it; what is there is never changed.

use idb::{DatabaseEvent as _, KeyPath, ObjectStoreParams, TransactionMode};
use js_sys::{Array, Object, Reflect};
use satchel_core::record::{
    Approval, Chat, Draft, Grant, KeptValue, McpSeen, Message, NodeHead, Package, Pin, Position, PythonPackages,
    Record, RowKey, RowRef, SavedToolset, Setting, Table, Tool, ToolCall, ToolMetrics, ToolOverride, ToolRenderConfig,
    Toolset, ToolsetFile, ToolsetMcpServer, WorkspaceManifest,
};
use satchel_core::store::{Commit, Store as _};
use serde::Deserialize;
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::super::schema::Version;
use super::{Harness as _, Profile};

const DEVICE: &str = "0198c5a4-7c1e-7000-8000-0000000000d1";
const STAMP: &str = "0198c5a47c1e-00000000-0198c5a4-7c1e-7000-8000-0000000000d1";

/// What a step made, and what was written by the app of then.
#[derive(Deserialize)]
struct Step {
    version: u32,
    stores: Vec<String>,
    /// Each by its store and its field.
    indexes: Vec<(String, String)>,
    rows: Vec<OldRow>,
}

#[derive(Deserialize)]
struct OldRow {
    store: String,
    key: Vec<String>,
    /// The properties beside the texts, which indexes find the row by.
    by: Map<String, Value>,
    fields: Map<String, Value>,
}

impl OldRow {
    fn table(&self) -> Table {
        Table::ALL.into_iter().find(|table| table.name() == self.store).expect("the table is still there")
    }

    fn key(&self) -> RowKey {
        RowKey::from_parts(self.key.clone()).expect("has parts")
    }

    fn to_js(&self) -> JsValue {
        let stamps: Map<String, Value> = self.fields.keys().map(|field| (field.clone(), STAMP.into())).collect();
        let texts = [("fields", Value::Object(self.fields.clone())), ("stamps", Value::Object(stamps))];
        let row = Object::new();
        let set = |name: &str, value: &str| {
            Reflect::set(&row, &name.into(), &value.into()).expect("is set");
        };
        texts.iter().for_each(|(name, value)| set(name, &value.to_string()));
        self.by.iter().for_each(|(name, value)| set(name, value.as_str().expect("is a text")));
        row.into()
    }

    fn key_to_js(&self) -> JsValue {
        match self.key.as_slice() {
            [part] => part.into(),
            parts => parts.iter().map(JsValue::from).collect::<Array>().into(),
        }
    }
}

fn steps() -> Vec<Step> {
    serde_json::from_str(include_str!("old_data.json")).expect("is JSON")
}

/// Makes a database as the last of these steps left it, with all that was written up to then.
async fn make(profile: &Profile, steps: &[Step]) {
    let version = steps.last().map(|step| step.version);
    let mut opening = idb::Factory::new().expect("is there").open(&profile.name, version).expect("opens");
    let made: Vec<(String, Vec<String>)> = (steps.iter().flat_map(|step| &step.stores))
        .map(|store| {
            let all = steps.iter().flat_map(|step| &step.indexes);
            (store.clone(), all.filter(|(of, _)| of == store).map(|(_, field)| field.clone()).collect())
        })
        .collect();
    opening.on_upgrade_needed(move |event| {
        let database = event.database().expect("is being made");
        for (name, indexes) in &made {
            let store = database.create_object_store(name, ObjectStoreParams::new()).expect("is made");
            for field in indexes {
                store.create_index(field, KeyPath::new_single(&format!("by_{field}")), None).expect("is made");
            }
        }
    });
    let old = opening.await.expect("opens");
    let stores: Vec<&String> = steps.iter().flat_map(|step| &step.stores).collect();
    let transaction = old.transaction(&stores, TransactionMode::ReadWrite).expect("begins");
    let put = |store: &str, key: &JsValue, value: &JsValue| {
        transaction.object_store(store).expect("is there").put(value, Some(key)).expect("is put");
    };
    put("meta", &"device".into(), &DEVICE.into());
    put("meta", &"last_stamp".into(), &STAMP.into());
    for row in steps.iter().flat_map(|step| &step.rows) {
        put(&row.store, &row.key_to_js(), &row.to_js());
    }
    transaction.commit().expect("commits").await.expect("commits");
    old.close();
}

/// What a row's own type says its key is.
fn read_key(table: Table, fields: &Map<String, Value>) -> Result<RowKey, serde_json::Error> {
    fn of<T: Record>(fields: &Map<String, Value>) -> Result<RowKey, serde_json::Error> {
        serde_json::from_value::<T>(Value::Object(fields.clone())).map(|record| record.key())
    }
    match table {
        Table::Settings => of::<Setting>(fields),
        Table::Drafts => of::<Draft>(fields),
        Table::Positions => of::<Position>(fields),
        Table::Toolsets => of::<Toolset>(fields),
        Table::Packages => of::<Package>(fields),
        Table::ToolsetFiles => of::<ToolsetFile>(fields),
        Table::Tools => of::<Tool>(fields),
        Table::ToolRenderConfigs => of::<ToolRenderConfig>(fields),
        Table::ToolOverrides => of::<ToolOverride>(fields),
        Table::ToolsetMcpServers => of::<ToolsetMcpServer>(fields),
        Table::Chats => of::<Chat>(fields),
        Table::Messages => of::<Message>(fields),
        Table::ToolCalls => of::<ToolCall>(fields),
        Table::WorkspaceManifests => of::<WorkspaceManifest>(fields),
        Table::NodeHeads => of::<NodeHead>(fields),
        Table::SavedToolsets => of::<SavedToolset>(fields),
        Table::Kv => of::<KeptValue>(fields),
        Table::Pins => of::<Pin>(fields),
        Table::Grants => of::<Grant>(fields),
        Table::Approvals => of::<Approval>(fields),
        Table::ToolMetrics => of::<ToolMetrics>(fields),
        Table::PythonPackages => of::<PythonPackages>(fields),
        Table::McpSeen => of::<McpSeen>(fields),
    }
}

/// I9: what any version left is all there, is understood, and is found by what it was found by.
#[wasm_bindgen_test]
async fn rows_of_every_older_version_are_read_and_found() {
    let steps = steps();
    assert_eq!(
        steps.iter().map(|step| step.version).collect::<Vec<_>>(),
        Version::ALL.map(Version::number),
        "a step has no old data"
    );
    for until in 1..=steps.len() {
        let (profile, left) = (Profile::new(), &steps[..until]);
        make(&profile, left).await;
        let store = profile.open().await;
        for row in left.iter().flat_map(|step| &step.rows) {
            let (table, key, told) = (row.table(), row.key(), format!("{} of version {until}", row.store));
            let stored = store.row(&RowRef { table, key: key.clone() }).await.expect("reads").expect("is there");
            assert_eq!(stored.fields, row.fields, "{told}");
            assert!(stored.stamps.values().all(|stamp| stamp.to_string() == STAMP), "{told}");
            assert_eq!(read_key(table, &stored.fields).expect("is understood"), key, "{told}");
            for (property, value) in &row.by {
                let (field, value) = (property.trim_start_matches("by_"), value.as_str().expect("is a text"));
                let found = store.rows_where(table, field, value).await.expect("looks up");
                assert!(found.iter().any(|(found, _)| *found == key), "{told} is not found by {field}");
            }
        }
        let next = store.apply(Commit::default(), super::at(1)).await.expect("applies");
        assert_eq!(next.device().as_str(), DEVICE, "version {until}");
        assert!(next.to_string().as_str() > STAMP, "the clock does not go on from version {until}: {next}");
        store.close();
    }
}

/// Every table has been through a step that somebody's rows went through.
#[wasm_bindgen_test]
fn every_table_has_old_rows() {
    let steps = steps();
    let has = |table: &Table| steps.iter().flat_map(|step| &step.rows).any(|row| row.table() == *table);
    assert_eq!(Table::ALL.into_iter().filter(|table| !has(table)).collect::<Vec<_>>(), []);
}

/// An index that is younger than a row does not know it until the row is set right, which the check of the storage counts and its repair does.
#[wasm_bindgen_test]
async fn calls_from_before_their_index_are_found_once_they_are_set_right() {
    let steps = steps();
    let before = &steps[..steps.iter().position(|step| step.version == 6).expect("is a step")];
    let profile = Profile::new();
    make(&profile, before).await;
    let store = profile.open().await;
    let found = async |store: &super::IndexedDbStore| {
        store.rows_where(Table::ToolCalls, "call_id", "call_1").await.expect("looks up").len()
    };
    assert_eq!((found(&store).await, store.stale_indexes().await.expect("counts")), (0, 1));
    let before = store.rows(Table::ToolCalls).await.expect("reads");
    assert_eq!(store.mend_indexes().await.expect("mends"), 1);
    assert_eq!((found(&store).await, store.stale_indexes().await.expect("counts")), (1, 0));
    assert_eq!(store.rows(Table::ToolCalls).await.expect("reads"), before, "the row itself is as it was");
    assert_eq!(store.mend_indexes().await.expect("mends"), 0);
    assert_eq!(store.outbox().await.expect("reads"), [], "nothing has to be sent for it");
}
