//! Values that only the browser can hold, such as a key that cannot be exported, and what is sealed by it.
//!
//! They are no rows: nothing merges, lists or sends them. See `browser::secrets`.

use satchel_core::store::{Durability, StoreError};
use wasm_bindgen::JsValue;

use super::failure;
use super::store::IndexedDbStore;
use super::transaction::{get, put};

impl IndexedDbStore {
    /// The value under a name.
    pub(crate) async fn device_value(&self, store: &str, name: &str) -> Result<Option<JsValue>, StoreError> {
        let transaction = self.read(&[store])?;
        get(&transaction.store(store)?, &name.into()).await
    }

    /// The names that there are values under.
    pub(crate) async fn device_value_names(&self, store: &str) -> Result<Vec<String>, StoreError> {
        let transaction = self.read(&[store])?;
        let keys =
            transaction.store(store)?.get_all_keys(None, None).map_err(failure::of)?.await.map_err(failure::of)?;
        Ok(keys.into_iter().filter_map(|key| key.as_string()).collect())
    }

    /// Sets the value under a name; `undefined` removes it.
    pub(crate) async fn set_device_value(&self, store: &str, name: &str, value: &JsValue) -> Result<(), StoreError> {
        let transaction = self.write(&[store], Durability::Strict)?;
        let values = transaction.store(store)?;
        if value.is_undefined() {
            values.delete(idb::Query::from(JsValue::from(name))).map_err(failure::of)?;
        } else {
            put(&values, &name.into(), value)?;
        }
        transaction.finish().await
    }

    /// Sets the value under a name unless there is one, and gives the one that is there now.
    pub(crate) async fn add_device_value(
        &self,
        store: &str,
        name: &str,
        value: &JsValue,
    ) -> Result<JsValue, StoreError> {
        let transaction = self.write(&[store], Durability::Strict)?;
        let values = transaction.store(store)?;
        let kept = match get(&values, &name.into()).await? {
            Some(kept) => kept,
            None => {
                put(&values, &name.into(), value)?;
                value.clone()
            }
        };
        transaction.finish().await?;
        Ok(kept)
    }
}
