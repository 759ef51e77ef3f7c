//! One transaction: opened with a durability, and either finished or abandoned.

use idb::{ObjectStore, Query, Transaction, TransactionResult};
use js_sys::{Array, Object, Reflect};
use satchel_core::store::{Durability, StoreError};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbDatabase, IdbTransaction};

use super::failure;

/// What a transaction may do.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    ReadOnly,
    ReadWrite,
}

#[wasm_bindgen]
extern "C" {
    /// `IDBDatabase` once more, for the one call that `idb` and web-sys do not offer: a transaction with a durability.
    #[wasm_bindgen(extends = Object)]
    type DurableDatabase;

    #[wasm_bindgen(method, catch)]
    fn transaction(
        this: &DurableDatabase,
        stores: &Array,
        mode: &str,
        options: &Object,
    ) -> Result<IdbTransaction, JsValue>;
}

/// A transaction that has not been committed yet.
pub(super) struct OpenTransaction {
    raw: IdbTransaction,
}

impl OpenTransaction {
    /// Opens a transaction over these object stores.
    pub(super) fn begin(
        database: &IdbDatabase,
        stores: &[&str],
        mode: Mode,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let names: Array = stores.iter().map(|name| JsValue::from(*name)).collect();
        let mode = match mode {
            Mode::ReadOnly => "readonly",
            Mode::ReadWrite => "readwrite",
        };
        let durability = match durability {
            Durability::Strict => "strict",
            Durability::Relaxed => "relaxed",
        };
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &durability.into()).expect("a fresh object takes properties");
        let database: &DurableDatabase = database.unchecked_ref();
        match database.transaction(&names, mode, &options) {
            Ok(raw) => Ok(Self { raw }),
            Err(thrown) => Err(failure::of(idb::Error::TransactionOpenFailed(thrown))),
        }
    }

    /// One of its object stores.
    pub(super) fn store(&self, name: &str) -> Result<ObjectStore, StoreError> {
        self.raw
            .object_store(name)
            .map(Into::into)
            .map_err(|thrown| failure::of(idb::Error::ObjectStoreNotFound(thrown)))
    }

    /// The durability that the browser was asked for.
    #[cfg(test)]
    pub(super) fn durability(&self) -> Option<String> {
        Reflect::get(&self.raw, &"durability".into()).ok().and_then(|durability| durability.as_string())
    }

    /// Commits, and waits until that is as durable as the transaction asked for.
    pub(super) async fn finish(self) -> Result<(), StoreError> {
        let outcome = Transaction::from(self.raw.clone()).commit().map_err(failure::of)?.await;
        match outcome {
            Ok(TransactionResult::Committed) => Ok(()),
            // A failed request aborts the transaction; the exception on it says why, better than the request's own event.
            Ok(TransactionResult::Aborted) | Err(_) => Err(failure::of_abort(self.raw.error())),
        }
    }

    /// Takes back everything, because of `reason`.
    pub(super) fn abandon(self, reason: StoreError) -> StoreError {
        match Transaction::from(self.raw).abort() {
            Ok(_) => reason,
            Err(error) => failure::of(error),
        }
    }
}

/// The value under a key.
pub(super) async fn get(store: &ObjectStore, key: &JsValue) -> Result<Option<JsValue>, StoreError> {
    store.get(Query::from(key.clone())).map_err(failure::of)?.await.map_err(failure::of)
}

/// Makes the request and leaves its outcome to the end of the transaction.
pub(super) fn put(store: &ObjectStore, key: &JsValue, value: &JsValue) -> Result<(), StoreError> {
    store.put(value, Some(key)).map(drop).map_err(failure::of)
}
