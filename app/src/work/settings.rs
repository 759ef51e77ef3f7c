//! Saving a setting.

use satchel_core::settings::SettingChange;
use satchel_core::store::{Commit, Store as _, StoreError};

use super::store::AppStore;
use crate::browser::clock;

/// Commits one changed setting.
pub(crate) async fn save(store: AppStore, change: SettingChange) -> Result<(), StoreError> {
    store.apply(Commit::default().put(&change.row()), clock::now()).await.map(drop)
}
