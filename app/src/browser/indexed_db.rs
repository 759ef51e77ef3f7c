//! The store of the browser: rows and blobs in IndexedDB. The only user of `idb`.
//!
//! IndexedDB commits a transaction as soon as control goes back to the event loop with no request pending. Therefore nothing
//! in this folder waits for anything but IndexedDB while a transaction is open, and all requests that do not depend on another's
//! answer are made before the first is waited for.

mod device_values;
mod failure;
mod indexes;
mod many;
mod rows;
mod schema;
mod store;
mod transaction;

pub(crate) use schema::{DEVICE_KEYS, NAME, SECRETS};
pub(crate) use store::IndexedDbStore;
