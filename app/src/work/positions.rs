//! Remembering where the user was.

use satchel_core::record::{Position, RowKey};
use satchel_core::store::{self, Commit, Store as _, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::store::AppStore;
use crate::browser::clock;

/// What was remembered of a place; nothing where it is in a shape this version does not know.
pub(crate) async fn load<T: DeserializeOwned>(store: AppStore, place: &str) -> Result<Option<T>, StoreError> {
    let position: Option<Position> = store::get(&store, RowKey::one(place)).await?;
    Ok(position.and_then(|position| serde_json::from_value(position.value).ok()))
}

/// Remembers a place.
pub(crate) async fn save<T: Serialize>(store: AppStore, place: &str, value: &T) -> Result<(), StoreError> {
    store.apply(change(place, value), clock::now()).await.map(drop)
}

/// The commit that remembers a place: by itself it may be lost in a power cut, with another it is as durable as that one.
pub(crate) fn change<T: Serialize>(place: &str, value: &T) -> Commit {
    let value = serde_json::to_value(value).expect("a position is a plain struct");
    Commit::relaxed().put(&Position { place: place.into(), value })
}
