//! Providers that the server reaches, and the keys in its vault.

use satchel_core::protocol::{ModelList, ModelSummary, ProviderList, ProviderName, ProviderSettings, ProviderSummary};
use serde::de::DeserializeOwned;

use crate::browser::{page, url};
use crate::work::server::{self, ServerError};
use crate::work::store::AppStore;

/// Those that the account can use.
pub(crate) async fn list(store: &AppStore) -> Result<Vec<ProviderSummary>, ServerError> {
    let answer = server::ask(store, "GET", "/api/v1/providers", None).await?;
    read::<ProviderList>(&answer).map(|list| list.providers)
}

/// The models of one.
pub(crate) async fn models(store: &AppStore, name: &ProviderName) -> Result<Vec<ModelSummary>, ServerError> {
    let answer = server::ask(store, "GET", &format!("{}/models", path(name)), None).await?;
    read::<ModelList>(&answer).map(|list| list.models)
}

/// Adds one, or changes it.
pub(crate) async fn put(store: &AppStore, name: &ProviderName, settings: &ProviderSettings) -> Result<(), ServerError> {
    let body = serde_json::to_string(settings).expect("plain data is JSON");
    server::ask(store, "PUT", &path(name), Some(&body)).await.map(drop)
}

/// Removes one.
pub(crate) async fn delete(store: &AppStore, name: &ProviderName) -> Result<(), ServerError> {
    server::ask(store, "DELETE", &path(name), None).await.map(drop)
}

fn path(name: &ProviderName) -> String {
    format!("/api/v1/providers/{}", url::segment(name.as_str()))
}

/// What the server said. A server of another version may say it otherwise.
pub(in crate::work) fn read<T: DeserializeOwned>(answer: &str) -> Result<T, ServerError> {
    serde_json::from_str(answer).map_err(|_unreadable| ServerError::NotAServer(page::origin()))
}
