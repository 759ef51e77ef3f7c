//! Models: who offers them, which they are, and which of them was chosen last on this device.

pub(crate) mod endpoints;
pub(crate) mod providers;

use satchel_core::conversation;
use satchel_core::model::{Manner, MannerChange, ModelChoice};
use satchel_core::record::Chat;
use satchel_core::store::{Commit, Store as _, StoreError};

use super::positions;
use super::store::AppStore;
use crate::browser::clock;
use crate::browser::tab_news::{self, Topic};

/// Where the choice is remembered.
const PLACE: &str = "model";

/// The model that was chosen last on this device.
pub(crate) async fn last(store: AppStore) -> Result<Option<ModelChoice>, StoreError> {
    positions::load(store, PLACE).await
}

/// Remembers that a model was chosen, on this device and, where one is open, with a chat.
pub(crate) async fn choose(store: AppStore, chat: Option<&Chat>, choice: &ModelChoice) -> Result<(), StoreError> {
    let remembered = positions::change(PLACE, choice);
    let commit = match chat {
        Some(chat) => conversation::choose_model(chat, choice.clone()).then(remembered),
        None => remembered,
    };
    store.apply(commit, clock::now()).await?;
    if chat.is_some() {
        tab_news::tell(Topic::Chats);
    }
    Ok(())
}

/// How models are asked to answer.
pub(crate) async fn manner(store: AppStore) -> Result<Manner, StoreError> {
    Manner::read(&store).await
}

/// Has them answer otherwise.
pub(crate) async fn change_manner(store: AppStore, change: MannerChange) -> Result<(), StoreError> {
    store.apply(Commit::default().put(&change.row()), clock::now()).await.map(drop)
}
