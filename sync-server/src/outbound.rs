//! The one way out of the server: every connection that it opens for an account is opened here.
//!
//! A name is looked up once, what it leads to is checked, and the connection goes to the very address that was checked; there is no
//! second look-up that could answer differently. Addresses that are not public are refused unless the operator has listed the host. No
//! redirect is followed and no proxy is taken from the environment, so nothing else chooses where a request ends up.
//!
//! What comes back is handed on as it comes. Opening a connection and waiting for an answer have their limits; an answer may take as
//! long as it likes, provided that it does not fall silent.

mod base_url;
mod channel;
mod connector;
mod error;
mod resolver;
mod rules;
mod streamed;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Request, Response};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

pub use base_url::{BaseUrl, BaseUrlError};
use connector::Connector;
pub use error::{OutboundError, OutboundFault};
pub use resolver::{Resolver, SystemResolver};
pub use rules::{PrivateHost, PrivateHostError, Rules, Trust};
pub use streamed::{Streamed, StreamedError};

use crate::config::Limits;

/// How long a connection may wait for its next request: less than it takes the impatient ones to close it, since a request that meets a
/// closed one is lost.
const IDLE_CONNECTION: Duration = Duration::from_secs(4);
/// Connections to one host that wait for their next request.
const IDLE_CONNECTIONS: usize = 8;
/// Most of an answer that is read at once; its head has to fit.
const BUFFER_BYTES: usize = 128 * 1024;

/// The way out.
#[derive(Clone, Debug)]
pub struct Outbound {
    // Two, so that a connection that only the operator may have is never given to an account's own request.
    for_accounts: Client<Connector, Full<Bytes>>,
    for_operator: Client<Connector, Full<Bytes>>,
    rules: Arc<Rules>,
    answer: Duration,
    silence: Duration,
}

impl Outbound {
    /// Opens the way, trusting the certificate authorities that browsers trust.
    #[must_use]
    pub fn new(rules: Rules, limits: &Limits) -> Self {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        Self::with(rules, limits, Arc::new(SystemResolver), roots)
    }

    /// Opens the way with other eyes: who looks up names, and which authorities are trusted.
    #[must_use]
    pub fn with(rules: Rules, limits: &Limits, resolver: Arc<dyn Resolver>, roots: RootCertStore) -> Self {
        let rules = Arc::new(rules);
        let seconds = |seconds: std::num::NonZeroU32| Duration::from_secs(seconds.get().into());
        let tls = tls(roots);
        let client = |trust: Trust| {
            let connector = Connector {
                rules: Arc::clone(&rules),
                trust,
                resolver: Arc::clone(&resolver),
                tls: tls.clone(),
                limit: seconds(limits.connect_seconds),
            };
            Client::builder(TokioExecutor::new())
                .pool_idle_timeout(IDLE_CONNECTION)
                .pool_timer(TokioTimer::new())
                .pool_max_idle_per_host(IDLE_CONNECTIONS)
                .http1_max_buf_size(BUFFER_BYTES)
                .build(connector)
        };
        Self {
            for_accounts: client(Trust::Account),
            for_operator: client(Trust::Operator),
            answer: seconds(limits.answer_seconds),
            silence: seconds(limits.silence_seconds),
            rules,
        }
    }

    /// Whom it lets through.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Sends a request to where its address says, on behalf of whoever chose that address.
    ///
    /// When the answer, or the wait for it, is dropped, the connection is closed.
    pub async fn send(&self, trust: Trust, request: Request<Full<Bytes>>) -> Result<Response<Streamed>, OutboundError> {
        let host = request.uri().host().unwrap_or_default().to_owned();
        let client = match trust {
            Trust::Account => &self.for_accounts,
            Trust::Operator => &self.for_operator,
        };
        match tokio::time::timeout(self.answer, client.request(request)).await {
            Ok(Ok(response)) => Ok(response.map(|body| Streamed::new(body, self.silence))),
            Ok(Err(error)) => Err(OutboundError::of_client(&error, host)),
            Err(_) => Err(OutboundError::NoAnswer { host, seconds: self.answer.as_secs() }),
        }
    }
}

fn tls(roots: RootCertStore) -> TlsConnector {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows the versions that it is built with")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    TlsConnector::from(Arc::new(config))
}
