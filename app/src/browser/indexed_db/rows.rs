//! How keys and rows look inside IndexedDB.
//!
//! A key of one part is a string and a longer one an array of strings, so that the database can be read by eye and indexed.
//! A row is an object with its fields and its stamps each as one JSON text: a page of rows then crosses from JavaScript as
//! a few strings and not as thousands of property reads.

use js_sys::{Array, Object, Reflect};
use satchel_core::record::{RowKey, Table};
use satchel_core::store::StoredRow;
use satchel_core::sync::Stamp;
use wasm_bindgen::{JsCast, JsValue};

/// The key as IndexedDB has it.
pub(super) fn key_to_js(key: &RowKey) -> JsValue {
    match key.parts() {
        [part] => part.into(),
        parts => parts.iter().map(JsValue::from).collect::<Array>().into(),
    }
}

/// The key that [`key_to_js`] made; nothing where the database holds a key that is not ours.
pub(super) fn key_from_js(key: &JsValue) -> Option<RowKey> {
    if let Some(part) = key.as_string() {
        return Some(RowKey::one(part));
    }
    let parts: Option<Vec<String>> = key.dyn_ref::<Array>()?.iter().map(|part| part.as_string()).collect();
    RowKey::from_parts(parts?)
}

/// The row as IndexedDB has it.
pub(super) fn row_to_js(table: Table, row: &StoredRow) -> JsValue {
    let object = Object::new();
    let set = |name: &str, value: String| {
        Reflect::set(&object, &name.into(), &value.into()).expect("a fresh object takes properties");
    };
    set("fields", serde_json::to_string(&row.fields).expect("a map of JSON values is JSON"));
    set("stamps", serde_json::to_string(&row.stamps).expect("a map of texts is JSON"));
    if let Some(deleted) = &row.deleted {
        set("deleted", deleted.to_string());
    }
    // IndexedDB indexes properties, so what a table is looked up by stands beside the texts once more.
    for field in table.indexed() {
        if let Some(value) = row.fields.get(*field).and_then(serde_json::Value::as_str) {
            set(&index_property(field), value.to_owned());
        }
    }
    object.into()
}

/// The property that holds an indexed field; apart from the row's own properties by its name.
pub(super) fn index_property(field: &str) -> String {
    format!("by_{field}")
}

/// The row that [`row_to_js`] made. What was damaged reads as empty, so that the row itself, and not the whole table, is
/// reported as unreadable.
pub(super) fn row_from_js(value: &JsValue) -> StoredRow {
    let text = |name: &str| Reflect::get(value, &name.into()).ok().and_then(|value| value.as_string());
    StoredRow {
        fields: text("fields").and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default(),
        stamps: text("stamps").and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default(),
        deleted: text("deleted").and_then(|stamp| Stamp::parse(&stamp).ok()),
    }
}

/// Whether the copies of a row's indexed fields are what they should be. What has no readable fields has no copies to compare.
pub(super) fn same_index(table: Table, value: &JsValue, row: &StoredRow) -> bool {
    table.indexed().iter().all(|field| {
        let Some(wanted) = row.fields.get(*field).and_then(serde_json::Value::as_str) else { return true };
        let found = Reflect::get(value, &index_property(field).into()).ok().and_then(|found| found.as_string());
        found.as_deref() == Some(wanted)
    })
}
