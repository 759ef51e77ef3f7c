//! The server this app speaks to: which one, and whether it answers.

use std::cell::RefCell;

use satchel_core::protocol::Policy;
use serde::{Deserialize, Serialize};

use super::store::AppStore;
use crate::browser::secrets::{self, SecretError};
pub(crate) use crate::browser::server::ServerError;
use crate::browser::{page, server};

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
    /// It answers, but not as it should, or what we know of it cannot be read: a sentence that says which.
    Trouble(String),
}

thread_local! {
    /// The connection of an app that runs without storage: as long as the tab, like everything else then.
    static UNKEPT: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// The name the connection is sealed under.
const SECRET: &str = "server";

/// A server that accepted us. Address and token are sealed as one, so that a token can never be sent to another server.
#[derive(Clone, Serialize, Deserialize)]
struct Known {
    address: String,
    token: String,
}

/// The address of the server: the one the user gave, or the one this page came from.
pub(crate) async fn address(store: AppStore) -> Result<String, SecretError> {
    Ok(known(&store).await?.map_or_else(page::origin, |known| known.address))
}

/// Tries a token on a server and, only if it is accepted, keeps both in place of older ones.
pub(crate) async fn connect(store: AppStore, url: String, token: String) -> Result<Policy, ServerError> {
    let policy = server::policy(&url, &token).await?;
    let known = Known { address: url.trim_end_matches('/').into(), token };
    match &store {
        AppStore::Kept(kept) => {
            let text = serde_json::to_string(&known).expect("two texts are JSON");
            secrets::keep(kept, SECRET, &text).await.map_err(|error| ServerError::NotKept(error.to_string()))?;
        }
        AppStore::InMemory(_) => UNKEPT.set(Some(known)),
    }
    Ok(policy)
}

/// Forgets the server and its token.
pub(crate) async fn disconnect(store: AppStore) -> Result<(), SecretError> {
    match &store {
        AppStore::Kept(kept) => secrets::forget(kept, SECRET).await,
        AppStore::InMemory(_) => {
            UNKEPT.set(None);
            Ok(())
        }
    }
}

/// Looks how things stand.
pub(crate) async fn check(store: AppStore) -> ServerStatus {
    let known = match known(&store).await {
        Ok(Some(known)) => known,
        Ok(None) => return ServerStatus::NotConnected,
        Err(error) => return ServerStatus::Trouble(error.to_string()),
    };
    match server::policy(&known.address, &known.token).await {
        Ok(policy) => ServerStatus::Connected(policy),
        Err(ServerError::TokenRefused) => ServerStatus::TokenRefused,
        Err(ServerError::Unreachable { .. }) => ServerStatus::Unreachable,
        Err(
            error @ (ServerError::BadAddress(_)
            | ServerError::OtherOrigin(_)
            | ServerError::Refused(_)
            | ServerError::NotAServer(_)
            | ServerError::NotKept(_)),
        ) => ServerStatus::Trouble(error.to_string()),
    }
}

async fn known(store: &AppStore) -> Result<Option<Known>, SecretError> {
    let text = match store {
        AppStore::Kept(kept) => secrets::read(kept, SECRET).await?,
        AppStore::InMemory(_) => return Ok(UNKEPT.with_borrow(Clone::clone)),
    };
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}
