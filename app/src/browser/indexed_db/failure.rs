//! What IndexedDB's failures mean to the app.

use idb::Error;
use satchel_core::store::StoreError;
use wasm_bindgen::JsValue;

use crate::browser::js_error;

/// The failure of a read or a write.
pub(super) fn of(error: Error) -> StoreError {
    match &error {
        Error::DomException(exception) => by_name(&exception.name(), error.to_string()),
        Error::TransactionOpenFailed(thrown) | Error::UpdateFailed(thrown) => {
            by_name(&js_error::exception_name(thrown).unwrap_or_default(), error.to_string())
        }
        _ => StoreError::Backend(error.to_string()),
    }
}

/// The failure of opening the database.
pub(super) fn of_open(error: Error) -> StoreError {
    let name = match &error {
        Error::DomException(exception) => exception.name(),
        Error::IndexedDbOpenFailed(thrown) | Error::IndexedDbNotFound(thrown) => {
            js_error::exception_name(thrown).unwrap_or_default()
        }
        _ => String::new(),
    };
    match name.as_str() {
        "VersionError" => StoreError::TooNew,
        "QuotaExceededError" => StoreError::Full,
        _ => StoreError::Unavailable(error.to_string()),
    }
}

/// The failure of a transaction that the browser aborted, by the exception it left.
pub(super) fn of_abort(exception: Option<web_sys::DomException>) -> StoreError {
    match exception {
        Some(exception) => by_name(&exception.name(), js_error::describe(&JsValue::from(exception))),
        None => StoreError::Backend("the transaction was aborted".into()),
    }
}

fn by_name(name: &str, message: String) -> StoreError {
    match name {
        "QuotaExceededError" => StoreError::Full,
        // The connection was closed, and not by us: that is told apart before a transaction is opened.
        "InvalidStateError" => StoreError::Closed,
        _ => StoreError::Backend(message),
    }
}
