//! The worker's own connection to the store, opened when it is first needed.

use std::cell::RefCell;

use satchel_core::catalog::{self, ToolsetLimits};
use satchel_core::store::StoreError;

use crate::browser::indexed_db::{IndexedDbStore, NAME};
use crate::browser::spawn::spawn;
use crate::browser::{clock, random};

thread_local! {
    static STORE: RefCell<Option<IndexedDbStore>> = const { RefCell::new(None) };
}

/// A handle of the store.
pub(super) async fn open() -> Result<IndexedDbStore, StoreError> {
    if let Some(store) = STORE.with_borrow(Clone::clone) {
        return Ok(store);
    }
    // The page hears by itself that it was superseded; here every later job is refused with that reason.
    let store = IndexedDbStore::open(NAME, random::device_id(), || {}).await?;
    STORE.set(Some(store.clone()));
    spawn({
        let store = store.clone();
        async move {
            // What could not be deleted for good now will be at another start; until then nobody sees it.
            catalog::purge_expired(&store, ToolsetLimits::default(), clock::now()).await.ok();
        }
    });
    Ok(store)
}
