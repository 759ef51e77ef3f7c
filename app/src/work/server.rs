//! The server this app speaks to: which one, and whether it answers.

use std::cell::RefCell;

use satchel_core::protocol::Policy;
use satchel_core::store::StoreError;
use serde::{Deserialize, Serialize};

use super::positions;
use super::store::AppStore;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::page;
use crate::browser::secrets::{self, SecretError};
pub(crate) use crate::browser::server::ServerError;
use crate::browser::server::{self, Caller};

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
pub(crate) struct Known {
    /// Where it is, without a slash at the end.
    pub(crate) address: String,
    /// The access token. It is sent there, and nothing else is done with it.
    pub(crate) token: String,
}

/// What a server has said that holds also while it cannot be reached: which secrets it has, and what its operator does not allow (C38, C48).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerSays {
    /// The names of the secrets that have a value.
    pub(crate) secrets: Vec<String>,
    /// The ids of the toolsets that are not allowed.
    pub(crate) disabled_toolsets: Vec<String>,
}

/// Where that is remembered.
const SAYS: &str = "server_says";

/// What the server has said last.
pub(crate) async fn says(store: AppStore) -> Result<ServerSays, StoreError> {
    Ok(positions::load(store, SAYS).await?.unwrap_or_default())
}

/// Remembers what the server says, for those who cannot ask it.
async fn remember(store: &AppStore, says: ServerSays) {
    // What could not be remembered is said again at the next start.
    if says != self::says(store.clone()).await.unwrap_or_default() {
        positions::save(store.clone(), SAYS, &says).await.ok();
    }
}

fn said(policy: &Policy) -> ServerSays {
    ServerSays { secrets: policy.secrets.clone(), disabled_toolsets: policy.disabled_toolsets.clone() }
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
    remember(&store, said(&policy)).await;
    Ok(policy)
}

/// Forgets the server and its token.
pub(crate) async fn disconnect(store: AppStore) -> Result<(), SecretError> {
    remember(&store, ServerSays::default()).await;
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
        Ok(policy) => {
            remember(&store, said(&policy)).await;
            ServerStatus::Connected(policy)
        }
        Err(ServerError::TokenRefused) => ServerStatus::TokenRefused,
        Err(ServerError::Unreachable { .. }) => ServerStatus::Unreachable,
        Err(
            error @ (ServerError::BadAddress(_)
            | ServerError::OtherOrigin(_)
            | ServerError::Refused(_)
            | ServerError::NotAServer(_)
            | ServerError::NoneKnown
            | ServerError::NotKept(_)),
        ) => ServerStatus::Trouble(error.to_string()),
    }
}

/// Asks the server that this device knows; gives the body of an answer that is a success.
pub(crate) async fn ask(store: &AppStore, method: &str, path: &str, body: Option<&str>) -> Result<String, ServerError> {
    let known = known(store).await.map_err(|error| ServerError::NotKept(error.to_string()))?;
    let Known { address, token } = known.ok_or(ServerError::NoneKnown)?;
    Caller { address: &address, token: &token }.ask(method, path, body).await
}

async fn known(store: &AppStore) -> Result<Option<Known>, SecretError> {
    match store {
        AppStore::Kept(kept) => access(kept).await,
        AppStore::InMemory(_) => Ok(UNKEPT.with_borrow(Clone::clone)),
    }
}

/// How the server is reached that this device knows.
pub(crate) async fn access(store: &IndexedDbStore) -> Result<Option<Known>, SecretError> {
    let text = secrets::read(store, SECRET).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}
