//! Logging in at a server on the web: OAuth 2.1, run by this server for the account.
//!
//! rmcp knows the steps: discovery, registration, PKCE, exchange and refresh. Each of its requests goes through the server's one way
//! out, and what a login gives is sealed in the vault. The person's browser only ever sees the page where they sign in and a page that
//! says how it went; the code that comes back with them can be used once, by this server alone.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use axum::body::Bytes;
use axum::http::{HeaderValue, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, CredentialStore, OAuthHttpClient,
    OAuthHttpClientFuture, OAuthHttpRequest, StoredCredentials,
};
use satchel_core::catalog::ServerKey;
use satchel_core::network::Address;

use crate::database::{AccountId, DatabaseError};
use crate::outbound::{Outbound, OutboundError, Trust};
use crate::vault::{LoginPlace, PutError, Secret, Vault};

/// Where a browser comes back to.
pub const CALLBACK: &str = "/oauth/callback";
/// How long a login may take.
const TIME: Duration = Duration::from_secs(600);
/// Most logins that wait at once.
const MOST: usize = 64;
/// Largest answer of an authorization server.
const ANSWER_BYTES: usize = 1024 * 1024;
/// How long one may take.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// Whose login, and where.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) outbound: Outbound,
    pub(super) vault: Vault,
    pub(super) account: AccountId,
    pub(super) key: ServerKey,
    pub(super) address: Uri,
    pub(super) trust: Trust,
}

/// What a login gave, for requests; without a login there is nothing to give.
#[derive(Clone, Default)]
pub(super) struct Bearer(Option<Arc<AuthorizationManager>>);

/// Why there is no token, or no login.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LoginError {
    /// Somebody has to sign in.
    #[error("it needs a login")]
    Required,
    /// It did not work.
    #[error("the login failed: {0}")]
    Failed(String),
    /// Too many at once.
    #[error("{MOST} logins are already waiting to be finished; finish one, or try again in a few minutes")]
    TooMany,
}

/// The logins that somebody has begun; clones share them.
#[derive(Clone, Default)]
pub(super) struct Logins {
    begun: Arc<Mutex<HashMap<String, Begun>>>,
}

struct Begun {
    account: AccountId,
    key: ServerKey,
    session: AuthorizationSession,
    at: Instant,
}

impl Place {
    async fn manager(&self) -> Result<AuthorizationManager, LoginError> {
        let client = Arc::new(WayOut { place: self.clone() });
        let address = self.address.to_string();
        let mut manager = AuthorizationManager::new_with_oauth_http_client(address, client).await.map_err(failed)?;
        manager.set_credential_store(SealedStore { place: self.clone() });
        Ok(manager)
    }

    /// What is kept of an earlier login at exactly this address. A token is for who gave it, and whoever has the server's place by now may be
    /// somebody else.
    async fn kept(&self) -> Result<Option<Secret>, DatabaseError> {
        let address = self.address.to_string();
        self.vault.login(&LoginPlace { account: &self.account, key: &self.key, address: &address }).await
    }

    async fn keep(&self, login: Option<&Secret>) -> Result<(), PutError> {
        let address = self.address.to_string();
        self.vault.put_login(&LoginPlace { account: &self.account, key: &self.key, address: &address }, login).await
    }

    /// What an earlier login gave.
    pub(super) async fn bearer(&self) -> Result<Bearer, LoginError> {
        if !self.kept().await.is_ok_and(|kept| kept.is_some()) {
            return Ok(Bearer(None));
        }
        let mut manager = self.manager().await?;
        let usable = manager.initialize_from_store().await.map_err(failed)?;
        Ok(Bearer(usable.then(|| Arc::new(manager))))
    }
}

impl Bearer {
    /// The header that shows the login; one that has run out is renewed first.
    pub(super) async fn token(&self) -> Result<Option<HeaderValue>, LoginError> {
        let Some(manager) = &self.0 else { return Ok(None) };
        let token = Secret::new(manager.get_access_token().await.map_err(failed)?);
        let mut value = HeaderValue::try_from(format!("Bearer {}", token.reveal()))
            .map_err(|_| LoginError::Failed("the token has characters that cannot be sent".to_owned()))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// Renews a login that was refused although it had not run out; whether it could be.
    pub(super) async fn renew(&self) -> bool {
        match &self.0 {
            Some(manager) => manager.refresh_token().await.is_ok(),
            None => false,
        }
    }
}

impl Logins {
    /// Begins a login: where the person has to go.
    pub(super) async fn begin(
        &self,
        place: &Place,
        challenge: Option<&str>,
        origin: &str,
    ) -> Result<String, LoginError> {
        let mut manager = place.manager().await?;
        let found = manager.resolve_metadata_from_challenge(challenge).await.map_err(failed)?;
        manager.set_metadata(found.metadata);
        // Only a native application may be come back to over plain http, and only on the machine itself.
        let kind = if origin.starts_with("https://") { "web" } else { "native" };
        let request = AuthorizationRequest::new(format!("{origin}{CALLBACK}"))
            .with_client_name("Satchel")
            .with_application_type(kind);
        let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| failed(error))?;
        let url = session.get_authorization_url().to_owned();
        let state = state_of(&url).ok_or_else(|| LoginError::Failed("it has no state".to_owned()))?;
        let mut begun = self.locked();
        begun.retain(|_, login| login.at.elapsed() < TIME);
        if begun.len() >= MOST {
            return Err(LoginError::TooMany);
        }
        begun.insert(
            state,
            Begun { account: place.account.clone(), key: place.key.clone(), session, at: Instant::now() },
        );
        Ok(url)
    }

    /// Ends a login: whose it was, and how it went. Nothing when nobody has begun it, or when it has ended already.
    pub(super) async fn end(
        &self,
        state: &str,
        code: Option<&str>,
        issuer: Option<&str>,
    ) -> Option<(AccountId, ServerKey, Result<(), LoginError>)> {
        let login = self.locked().remove(state).filter(|login| login.at.elapsed() < TIME)?;
        let outcome = match code {
            Some(code) => {
                login.session.handle_callback_with_issuer(code, state, issuer).await.map(drop).map_err(failed)
            }
            None => Err(LoginError::Failed("it was refused".to_owned())),
        };
        Some((login.account, login.key, outcome))
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state that an authorization address carries.
fn state_of(url: &str) -> Option<String> {
    let query = url.split_once('?')?.1.split('#').next()?;
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("state="))
        .map(ToOwned::to_owned)
        .filter(|state| !state.is_empty())
}

/// What went wrong, without anything that was sent.
fn failed(error: AuthError) -> LoginError {
    match error {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) | AuthError::TokenExpired => {
            LoginError::Required
        }
        AuthError::RegistrationFailed(_) => LoginError::Failed("this server could not be registered there".to_owned()),
        AuthError::PkceUnsupported => LoginError::Failed("it does not offer PKCE with S256".to_owned()),
        AuthError::AuthorizationServerMismatch { .. } | AuthError::AuthorizationServerMissingIssuer { .. } => {
            LoginError::Failed("the answer is not from where the login was begun".to_owned())
        }
        AuthError::TokenExchangeFailed(_) => LoginError::Failed("the code was not accepted".to_owned()),
        AuthError::TokenRefreshFailed(_) => LoginError::Failed("the login could not be renewed".to_owned()),
        AuthError::NoAuthorizationSupport => LoginError::Failed("it does not say where to sign in".to_owned()),
        other => {
            tracing::debug!(error = %other, "a login at an MCP server failed");
            LoginError::Failed("its authorization server could not be used".to_owned())
        }
    }
}

/// rmcp's requests, through the server's one way out.
struct WayOut {
    place: Place,
}

impl WayOut {
    /// What the operator trusts is the server's own host; where that sends us is chosen by it.
    fn trust(&self, uri: &Uri) -> Trust {
        let same = uri.host() == self.place.address.host() && uri.port_u16() == self.place.address.port_u16();
        if same { self.place.trust } else { Trust::Account }
    }

    async fn send(
        &self,
        asked: OAuthHttpRequest,
    ) -> Result<axum::http::Response<Vec<u8>>, rmcp::transport::OAuthHttpClientError> {
        let (head, body) = asked.request.into_parts();
        let trust = self.trust(&head.uri);
        let address = Address::parse(&head.uri.to_string()).map_err(|fault| fault.to_string())?;
        if trust == Trust::Account && !address.is_https() && !self.place.outbound.rules().lists(&address) {
            return Err(format!("{} is asked for tokens without encryption", address.host()).into());
        }
        let request = axum::http::Request::from_parts(head, Full::new(Bytes::from(body)));
        let sent = async {
            let (head, body) = self.place.outbound.send(trust, request).await?.into_parts();
            let body = Limited::new(body, ANSWER_BYTES).collect().await.map_err(|error| error.to_string())?;
            Ok(axum::http::Response::from_parts(head, body.to_bytes().to_vec()))
        };
        let host = address.host();
        tokio::time::timeout(ANSWER_TIME, sent)
            .await
            .unwrap_or_else(|_| Err(OutboundError::NoAnswer { host, seconds: ANSWER_TIME.as_secs() }.into()))
    }
}

impl OAuthHttpClient for WayOut {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.send(request))
    }
}

/// What a login gave, in the vault.
struct SealedStore {
    place: Place,
}

#[async_trait]
impl CredentialStore for SealedStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let kept = self.place.kept().await.map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        Ok(kept.and_then(|kept| serde_json::from_str(kept.reveal()).ok()))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let text = Secret::new(serde_json::to_string(&credentials).expect("plain data can be written as JSON"));
        self.place.keep(Some(&text)).await.map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.place.keep(None).await.map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Bearer(hidden)" } else { "Bearer(none)" })
    }
}

impl fmt::Debug for Logins {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Logins({})", self.locked().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_found_in_the_address() {
        assert_eq!(state_of("https://a.test/authorize?a=b&state=xyz-1&c=d#e").as_deref(), Some("xyz-1"));
        for without in ["https://a.test/authorize", "https://a.test/?state=", "https://a.test/?mystate=1"] {
            assert_eq!(state_of(without), None, "{without}");
        }
    }
}
