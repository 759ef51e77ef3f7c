//! The server this app speaks to: which one, and whether it answers.

use std::cell::RefCell;

use satchel_core::protocol::Policy;
use satchel_core::record::{Position, RowKey, RowRef};
use satchel_core::store::{self, Commit, Store as _, StoreError};

use super::store::AppStore;
pub(crate) use crate::browser::server::ServerError;
use crate::browser::{clock, page, secrets, server};

/// How things stand with the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerStatus {
    /// None was ever connected; the app works without.
    NotConnected,
    /// It answers, and takes us for an account.
    Connected(Policy),
    /// It answers, but not to our token.
    TokenRefused,
    /// It does not answer.
    Unreachable,
    /// Something answers that is no server of ours.
    NotAServer,
}

thread_local! {
    /// The token of an app that runs without storage: as long as the tab, like everything else then.
    static UNKEPT_TOKEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

const TOKEN: &str = "access-token";
const ADDRESS: &str = "server";

/// The address of the server: the one the user gave, or the one this page came from.
pub(crate) async fn address(store: AppStore) -> Result<String, StoreError> {
    let kept: Option<Position> = store::get(&store, RowKey::one(ADDRESS)).await?;
    Ok(kept.and_then(|kept| kept.value.as_str().map(str::to_owned)).unwrap_or_else(page::origin))
}

/// Tries a token on a server and, only if it is accepted, keeps both in place of older ones.
pub(crate) async fn connect(store: AppStore, url: String, token: String) -> Result<Policy, ServerError> {
    let policy = server::policy(&url, &token).await?;
    let not_kept = |error: String| ServerError::NotKept(error);
    match &store {
        AppStore::Kept(kept) => {
            secrets::keep(kept, TOKEN, &token).await.map_err(|error| not_kept(error.to_string()))?;
        }
        AppStore::InMemory(_) => UNKEPT_TOKEN.set(Some(token)),
    }
    let address = Position { place: ADDRESS.into(), value: url.trim_end_matches('/').into() };
    let commit = Commit::default().put(&address);
    store.apply(commit, clock::now()).await.map_err(|error| not_kept(error.to_string()))?;
    Ok(policy)
}

/// Forgets the server and its token.
pub(crate) async fn disconnect(store: AppStore) -> Result<(), ServerError> {
    let failed = |error: String| ServerError::NotKept(error);
    match &store {
        AppStore::Kept(kept) => secrets::forget(kept, TOKEN).await.map_err(|error| failed(error.to_string()))?,
        AppStore::InMemory(_) => UNKEPT_TOKEN.set(None),
    }
    let row = RowRef::of(&Position { place: ADDRESS.into(), value: serde_json::Value::Null });
    store.apply(Commit::default().delete(row), clock::now()).await.map(drop).map_err(|error| failed(error.to_string()))
}

/// Looks how things stand.
pub(crate) async fn check(store: AppStore) -> ServerStatus {
    let token = match &store {
        AppStore::Kept(kept) => secrets::read(kept, TOKEN).await.ok().flatten(),
        AppStore::InMemory(_) => UNKEPT_TOKEN.with_borrow(Clone::clone),
    };
    let (Some(token), Ok(address)) = (token, address(store).await) else { return ServerStatus::NotConnected };
    match server::policy(&address, &token).await {
        Ok(policy) => ServerStatus::Connected(policy),
        Err(ServerError::TokenRefused) => ServerStatus::TokenRefused,
        Err(ServerError::Unreachable { .. }) => ServerStatus::Unreachable,
        Err(
            ServerError::BadAddress(_) | ServerError::Refused(_) | ServerError::NotAServer(_) | ServerError::NotKept(_),
        ) => ServerStatus::NotAServer,
    }
}
