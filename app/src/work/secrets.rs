//! Secrets and variables that toolsets and providers need (C38): in the vault of the server, or, where none is connected, sealed on this
//! device. They go in, and no screen gets one back.

use std::cell::RefCell;
use std::collections::BTreeMap;

use satchel_core::catalog::SecretPlace;
use satchel_core::protocol::{PutSecret, SecretList, SecretName, SecretSummary, SecretValue};

use super::models::providers::read;
use super::server::{self, ServerError};
use super::store::AppStore;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::secrets::{self, SecretError};
use crate::browser::url;

/// Why something was not done to a secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretsError {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Device(#[from] SecretError),
    #[error("it is no longer on this device")]
    Gone,
    #[error("a secret has at least one character")]
    Empty,
}

/// Where a secret is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// The server's vault.
    Server,
    /// This device.
    Device,
}

thread_local! {
    /// The secrets of an app that runs without storage: as long as the tab, like everything else then.
    static UNKEPT: RefCell<BTreeMap<SecretName, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Secrets of the user's own are sealed under names that begin so.
const OWN: &str = "secret/";

/// Those in the server's vault.
pub(crate) async fn in_vault(store: &AppStore) -> Result<Vec<SecretSummary>, ServerError> {
    let answer = server::ask(store, "GET", "/api/v1/secrets", None).await?;
    read::<SecretList>(&answer).map(|list| list.secrets)
}

/// The names of those on this device.
pub(crate) async fn on_device(store: &AppStore) -> Result<Vec<SecretName>, SecretError> {
    match store {
        AppStore::Kept(kept) => sealed_names(kept).await,
        AppStore::InMemory(_) => Ok(UNKEPT.with_borrow(|kept| kept.keys().cloned().collect())),
    }
}

/// The names of those that are sealed on this device.
pub(crate) async fn sealed_names(store: &IndexedDbStore) -> Result<Vec<SecretName>, SecretError> {
    let names = secrets::names(store).await?;
    let own = names.iter().filter_map(|name| name.strip_prefix(OWN));
    Ok(own.filter_map(|name| SecretName::parse(name).ok()).collect())
}

/// Keeps a secret.
pub(crate) async fn keep(
    store: &AppStore,
    keeper: Keeper,
    name: &SecretName,
    value: SecretValue,
) -> Result<(), SecretsError> {
    if value.reveal().is_empty() {
        return Err(SecretsError::Empty);
    }
    match (keeper, store) {
        (Keeper::Server, _) => put_in_vault(store, name, value).await?,
        (Keeper::Device, AppStore::Kept(kept)) => secrets::keep(kept, &own(name), value.reveal()).await?,
        (Keeper::Device, AppStore::InMemory(_)) => {
            UNKEPT.with_borrow_mut(|kept| kept.insert(name.clone(), value.into_inner()));
        }
    }
    Ok(())
}

/// Keeps one in the vault.
pub(crate) async fn put_in_vault(store: &AppStore, name: &SecretName, value: SecretValue) -> Result<(), ServerError> {
    let body = serde_json::to_string(&PutSecret { value }).expect("a text is JSON");
    server::ask(store, "PUT", &path(name), Some(&body)).await.map(drop)
}

/// Removes one from where it is.
pub(crate) async fn remove(store: &AppStore, name: &SecretName, place: SecretPlace) -> Result<(), SecretsError> {
    match place {
        SecretPlace::Nowhere | SecretPlace::NotNeeded => {}
        SecretPlace::Vault | SecretPlace::Damaged => drop(server::ask(store, "DELETE", &path(name), None).await?),
        SecretPlace::Device => forget(store, name).await?,
    }
    Ok(())
}

/// Hands one of this device over to the vault.
pub(crate) async fn move_to_vault(store: &AppStore, name: &SecretName) -> Result<(), SecretsError> {
    let value = match store {
        AppStore::Kept(kept) => secrets::read(kept, &own(name)).await?,
        AppStore::InMemory(_) => UNKEPT.with_borrow(|kept| kept.get(name).cloned()),
    };
    put_in_vault(store, name, SecretValue::new(value.ok_or(SecretsError::Gone)?)).await?;
    Ok(forget(store, name).await?)
}

async fn forget(store: &AppStore, name: &SecretName) -> Result<(), SecretError> {
    match store {
        AppStore::Kept(kept) => secrets::forget(kept, &own(name)).await,
        AppStore::InMemory(_) => {
            UNKEPT.with_borrow_mut(|kept| kept.remove(name));
            Ok(())
        }
    }
}

fn own(name: &SecretName) -> String {
    format!("{OWN}{name}")
}

fn path(name: &SecretName) -> String {
    format!("/api/v1/secrets/{}", url::segment(name.as_str()))
}
