//! Saving a setting, and reading the limits.

use satchel_core::record::Setting;
use satchel_core::settings::{Limits, SettingChange, Settings};
use satchel_core::store::{self, Commit, Store, StoreError};

use super::store::AppStore;
use crate::browser::clock;
use crate::browser::tab_news::{self, Topic};

/// Commits one changed setting.
pub(crate) async fn save(store: AppStore, change: SettingChange) -> Result<(), StoreError> {
    store.apply(Commit::default().put(&change.row()), clock::now()).await.map(drop)
}

/// Calls back when settings came from elsewhere.
pub(crate) fn on_news(callback: impl Fn() + 'static) {
    tab_news::on(Topic::Settings, callback);
}

/// The limits in force, as whichever tab set them last.
pub(crate) async fn limits(store: &impl Store) -> Result<Limits, StoreError> {
    Ok(all(store).await?.limits)
}

/// All settings in force. What cannot be understood is as if it were not set.
pub(crate) async fn all(store: &impl Store) -> Result<Settings, StoreError> {
    let rows = store::list::<Setting>(store).await?;
    Ok(Settings::read(rows.into_iter().flatten()).0)
}
