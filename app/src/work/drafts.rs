//! Keeping what was typed and not sent.

use satchel_core::record::{Draft, RowKey, RowRef};
use satchel_core::store::{self, Commit, Store as _, StoreError};

use super::store::AppStore;
use crate::browser::clock;

/// What was typed at a place; empty where nothing was.
pub(crate) async fn load(store: AppStore, place: &str) -> Result<String, StoreError> {
    let draft: Option<Draft> = store::get(&store, RowKey::one(place)).await?;
    Ok(draft.map(|draft| draft.text).unwrap_or_default())
}

/// Keeps what is typed at a place; an empty text leaves nothing behind.
pub(crate) async fn save(store: AppStore, place: &str, text: &str) -> Result<(), StoreError> {
    let draft = Draft { place: place.into(), text: text.into() };
    let commit =
        if text.is_empty() { Commit::relaxed().delete(RowRef::of(&draft)) } else { Commit::relaxed().put(&draft) };
    store.apply(commit, clock::now()).await.map(drop)
}
