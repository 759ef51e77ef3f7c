//! The copies of indexed fields beside each row, which IndexedDB finds rows by: whether they fit the fields, and how they come to.
//!
//! They can differ where an index is younger than the row, or where something other than the app has written. Such a row is all there, and
//! nobody who looks it up by that field finds it.

use idb::ObjectStore;
use satchel_core::record::Table;
use satchel_core::store::{Durability, StoreError, StoredRow};
use wasm_bindgen::JsValue;

use super::failure;
use super::rows::{row_from_js, row_to_js, same_index};
use super::store::IndexedDbStore;
use super::transaction::put;

impl IndexedDbStore {
    /// How many rows are not found by their fields.
    pub(crate) async fn stale_indexes(&self) -> Result<usize, StoreError> {
        let mut stale = 0;
        for table in indexed() {
            let transaction = self.read(&[table.name()])?;
            stale += stale_rows(table, &transaction.store(table.name())?).await?.len();
        }
        Ok(stale)
    }

    /// Writes the rows anew that are not found by their fields, so that they are again. How many there were.
    pub(crate) async fn mend_indexes(&self) -> Result<usize, StoreError> {
        let mut mended = 0;
        for table in indexed() {
            let transaction = self.write(&[table.name()], Durability::Strict)?;
            let store = transaction.store(table.name())?;
            let stale = stale_rows(table, &store).await?;
            for (key, row) in &stale {
                put(&store, key, &row_to_js(table, row))?;
            }
            transaction.finish().await?;
            mended += stale.len();
        }
        Ok(mended)
    }
}

fn indexed() -> impl Iterator<Item = Table> {
    Table::ALL.into_iter().filter(|table| !table.indexed().is_empty())
}

/// The rows whose copies do not fit, with their keys.
async fn stale_rows(table: Table, store: &ObjectStore) -> Result<Vec<(JsValue, StoredRow)>, StoreError> {
    let keys = store.get_all_keys(None, None).map_err(failure::of)?.into_future();
    let values = store.get_all(None, None).map_err(failure::of)?.into_future();
    let (keys, values) = futures_util::try_join!(keys, values).map_err(failure::of)?;
    let rows = keys.into_iter().zip(values).filter_map(|(key, value)| {
        let row = row_from_js(&value);
        (!same_index(table, &value, &row)).then_some((key, row))
    });
    Ok(rows.collect())
}
