//! Questions about many keys. What comes from another device comes in thousands, most of which this one has never seen: one question tells
//! which keys there are between the first and the last of them, and only what is there is read.

use idb::{KeyRange, ObjectStore, Query};
use satchel_core::store::StoreError;
use wasm_bindgen::JsValue;

use super::failure;

/// Fewer are asked for one by one.
const MANY: usize = 32;

/// The keys that a store has from the first to the last of so many. None where they are few, or where so many others stand between them that
/// to ask for each is cheaper.
pub(super) async fn keys_between(
    store: &ObjectStore,
    first: &JsValue,
    last: &JsValue,
    count: usize,
) -> Result<Option<Vec<JsValue>>, StoreError> {
    let most = 2 * count;
    let Some(limit) = u32::try_from(most).ok().filter(|_| count >= MANY) else { return Ok(None) };
    let range = KeyRange::bound(first, last, None, None).map_err(failure::of)?;
    let keys = store.get_all_keys(Some(Query::from(range)), Some(limit)).map_err(failure::of)?;
    let keys = keys.await.map_err(failure::of)?;
    Ok((keys.len() < most).then_some(keys))
}
