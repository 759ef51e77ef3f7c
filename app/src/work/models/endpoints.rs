//! Endpoints that the browser reaches by itself: which there are, their keys, and what they say of their models (R322).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::{Either, select};
use satchel_core::model::{Endpoint, EndpointsError, Keyed, NoListing, endpoints, read_models, set_endpoints};
use satchel_core::network::Address;
use satchel_core::protocol::{ModelSummary, ProviderName};
use satchel_core::store::{Commit, Store as _, StoreError};

use crate::browser::outgoing::{self, Outgoing};
use crate::browser::secrets::{self, SecretError};
use crate::browser::{clock, page};
use crate::work::store::AppStore;

/// How long an endpoint may take.
const PATIENCE: u64 = 15;
/// The longest list that is read.
const LONGEST_LIST: u64 = 4 << 20;

/// Why an endpoint was not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    #[error(transparent)]
    Endpoints(#[from] EndpointsError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// What is done with the key of an endpoint that is kept.
pub(crate) enum Key {
    /// It stays as it is.
    Stays,
    /// This one from now on.
    Is(String),
    /// It goes.
    Goes,
}

thread_local! {
    /// The keys of an app that runs without storage: as long as the tab, like everything else then.
    static UNKEPT: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Those that the user has set up.
pub(crate) async fn list(store: &AppStore) -> Result<Vec<Endpoint>, StoreError> {
    endpoints(store).await
}

/// Keeps an endpoint, in place of the one of its name.
pub(crate) async fn keep(store: &AppStore, endpoint: Endpoint, key: Key) -> Result<(), KeepError> {
    let name = key_name(&endpoint.name);
    let mut all = list(store).await?;
    match all.iter_mut().find(|other| other.name == endpoint.name) {
        Some(other) => *other = endpoint,
        None => all.push(endpoint),
    }
    let setting = set_endpoints(&all)?;
    match key {
        Key::Stays => {}
        Key::Is(key) => keep_key(store, &name, key).await?,
        Key::Goes => forget_key(store, &name).await?,
    }
    store.apply(Commit::default().put(&setting), clock::now()).await?;
    Ok(())
}

/// Removes an endpoint, and its key from this device.
pub(crate) async fn remove(store: &AppStore, name: &ProviderName) -> Result<(), KeepError> {
    let mut all = list(store).await?;
    all.retain(|endpoint| endpoint.name != *name);
    store.apply(Commit::default().put(&set_endpoints(&all)?), clock::now()).await?;
    Ok(forget_key(store, &key_name(name)).await?)
}

/// Whether the key of an endpoint is on this device.
pub(crate) async fn has_key(store: &AppStore, name: &ProviderName) -> Result<bool, SecretError> {
    Ok(key(store, name).await?.is_some())
}

/// Asks an endpoint for its models, with the key that is kept where it wants one.
pub(crate) async fn models(store: &AppStore, endpoint: &Endpoint) -> Result<Vec<ModelSummary>, NoListing> {
    if !endpoint.wants_key {
        return ask(endpoint, None).await;
    }
    let key = key(store, &endpoint.name).await.map_err(|error| NoListing::KeyUnreadable(error.to_string()))?;
    ask(endpoint, Some(&key.ok_or(NoListing::KeyNotHere)?)).await
}

/// Asks an endpoint for its models.
pub(crate) async fn ask(endpoint: &Endpoint, key: Option<&str>) -> Result<Vec<ModelSummary>, NoListing> {
    let base = endpoint.base_url.as_str();
    let host = Address::parse(base).map_or_else(|_| base.to_owned(), |address| address.granted_as());
    let href = endpoint.format.models_endpoint(base);
    let asked = std::pin::pin!(fetch(endpoint, &href, &host, key));
    let limit = std::pin::pin!(clock::wait(Duration::from_secs(PATIENCE)));
    match select(asked, limit).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => Err(NoListing::Slow { host: host.clone(), seconds: PATIENCE }),
    }
}

async fn fetch(endpoint: &Endpoint, href: &str, host: &str, key: Option<&str>) -> Result<Vec<ModelSummary>, NoListing> {
    let headers = endpoint.format.headers(key.map(str::trim)).into_iter();
    let headers: Vec<(String, String)> = headers.map(|(name, value)| (name.to_owned(), value)).collect();
    let outgoing = Outgoing { method: "GET", href, headers: &headers, body: None };
    let Ok(incoming) = outgoing::send(outgoing).await else { return Err(silence(href, host).await) };
    let (status, is_ok) = (incoming.status(), incoming.is_ok());
    let not_a_list = || NoListing::NotAList { host: host.to_owned() };
    let body = incoming.body(LONGEST_LIST, |_, _| {}).await.map_err(|_cut_off| not_a_list())?.to_vec();
    if !is_ok {
        let keyed = if key.is_some() { Keyed::WithKey } else { Keyed::WithoutKey };
        return Err(NoListing::of_response(host, href, keyed, status, &body));
    }
    read_models(&body).ok_or_else(not_a_list)
}

/// Why there is no answer. A browser does not tell; but a question whose answer stays unread gets through where only the reading is
/// forbidden.
async fn silence(href: &str, host: &str) -> NoListing {
    let (host, origin) = (host.to_owned(), page::origin());
    let is_private = Address::parse(href).is_ok_and(|address| address.is_private());
    if origin.starts_with("https:") && href.starts_with("http:") && !is_private {
        NoListing::Mixed { host }
    } else if outgoing::is_anyone_there(href).await {
        NoListing::Closed { host, origin }
    } else {
        NoListing::NoAnswer { host }
    }
}

/// The name that the key of an endpoint is sealed under.
pub(crate) fn key_name(endpoint: &ProviderName) -> String {
    format!("endpoint/{endpoint}")
}

async fn key(store: &AppStore, endpoint: &ProviderName) -> Result<Option<String>, SecretError> {
    let name = key_name(endpoint);
    match store {
        AppStore::Kept(kept) => secrets::read(kept, &name).await,
        AppStore::InMemory(_) => Ok(UNKEPT.with_borrow(|keys| keys.get(&name).cloned())),
    }
}

async fn keep_key(store: &AppStore, name: &str, key: String) -> Result<(), SecretError> {
    match store {
        AppStore::Kept(kept) => secrets::keep(kept, name, &key).await,
        AppStore::InMemory(_) => {
            UNKEPT.with_borrow_mut(|keys| keys.insert(name.to_owned(), key));
            Ok(())
        }
    }
}

async fn forget_key(store: &AppStore, name: &str) -> Result<(), SecretError> {
    match store {
        AppStore::Kept(kept) => secrets::forget(kept, name).await,
        AppStore::InMemory(_) => {
            UNKEPT.with_borrow_mut(|keys| keys.remove(name));
            Ok(())
        }
    }
}
