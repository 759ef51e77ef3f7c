//! The way to the Satchel server, from a worker.

use satchel_core::protocol::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::{self, Incoming, Outgoing, OutgoingError};
use crate::browser::raw_bytes::RawBytes;
use crate::work::server::{self, Known};

/// Bytes of an answer; the server bounds what tools give to less.
const MOST: u64 = 64 << 20;

/// The server that this device knows.
#[derive(Clone)]
pub(in crate::core_worker) struct ServerLine(Known);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::core_worker) enum LineError {
    #[error("the Satchel server cannot be reached")]
    Unreachable,
    #[error("{message}")]
    Refused { status: u16, message: String },
    #[error("the Satchel server's answer is too large")]
    TooLarge,
    #[error("what the Satchel server answered cannot be read")]
    Unreadable,
}

impl From<OutgoingError> for LineError {
    fn from(error: OutgoingError) -> Self {
        match error {
            OutgoingError::Unreachable => Self::Unreachable,
            OutgoingError::TooLarge => Self::TooLarge,
        }
    }
}

impl ServerLine {
    /// The server, if one is known.
    pub(in crate::core_worker) async fn of(store: &IndexedDbStore) -> Option<Self> {
        server::access(store).await.ok().flatten().map(Self)
    }

    /// Whether it is the same server, known by the same token.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.0.address, &self.0.token) == (&other.0.address, &other.0.token)
    }

    /// Sends a request and waits for the head of the answer, which is a good one.
    pub(super) async fn send(&self, method: &str, path: &str, body: Option<&str>) -> Result<Incoming, LineError> {
        let Known { address, token } = &self.0;
        let mut headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let bytes = body.map(|body| RawBytes::from(body.as_bytes()));
        let href = format!("{address}{path}");
        let outgoing = Outgoing { method, href: &href, headers: &headers, body: bytes.as_ref() };
        let incoming = outgoing::send(outgoing).await?;
        if incoming.is_ok() {
            return Ok(incoming);
        }
        let status = incoming.status();
        let body = incoming.body(MOST, |_, _| {}).await?.to_vec();
        Err(refused(status, &body))
    }

    /// Sends bytes of a kind and gives those of the answer, if they are of that kind, whatever the status says. Any other answer is a refusal.
    pub(in crate::core_worker) async fn exchange(
        &self,
        path: &str,
        kind: &str,
        body: &[u8],
    ) -> Result<Vec<u8>, LineError> {
        let Known { address, token } = &self.0;
        let headers =
            [("authorization".to_owned(), format!("Bearer {token}")), ("content-type".to_owned(), kind.to_owned())];
        let (href, body) = (format!("{address}{path}"), RawBytes::from(body));
        let outgoing = Outgoing { method: "POST", href: &href, headers: &headers, body: Some(&body) };
        let incoming = outgoing::send(outgoing).await?;
        let (status, answered) = (incoming.status(), incoming.headers());
        let body = incoming.body(MOST, |_, _| {}).await?.to_vec();
        let is_of_kind = answered.iter().any(|(name, value)| name == "content-type" && value == kind);
        if is_of_kind { Ok(body) } else { Err(refused(status, &body)) }
    }

    /// Whether it answers now.
    pub(in crate::core_worker) async fn answers(&self) -> bool {
        self.say("GET", "/api/v1/policy", NOTHING).await.is_ok()
    }

    /// Asks, and reads the answer.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<T, LineError> {
        let answer = self.say(method, path, body).await?;
        serde_json::from_slice(&answer).map_err(|_| LineError::Unreadable)
    }

    /// Says something of which the answer is of no interest but that it was taken.
    pub(in crate::core_worker) async fn say(
        &self,
        method: &str,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Vec<u8>, LineError> {
        let body = body.map(|body| serde_json::to_string(body).expect("what is said is JSON"));
        let incoming = self.send(method, path, body.as_deref()).await?;
        Ok(incoming.body(MOST, |_, _| {}).await?.to_vec())
    }
}

fn refused(status: u16, body: &[u8]) -> LineError {
    let said = serde_json::from_slice::<Problem>(body).map(|problem| problem.error.message);
    let message = said.unwrap_or_else(|_| format!("the Satchel server answered {status}"));
    LineError::Refused { status, message }
}

/// No body at all.
pub(super) const NOTHING: Option<&()> = None;
