//! The server's own way out, for hosts that let no page of another site read them.
//!
//! The server sends nothing of ours along but what the tool asked, and reaches no private address that its operator has not listed. What
//! matters here is whether a request may have reached its host: what was refused beforehand can still be tried another way, all else not.

use satchel_core::protocol::{
    Capability, FETCH_ANSWER_BYTES, FetchRequest, FetchResponse, Policy, Problem, frame_fetch, longest_fetch_frame,
    unframe_fetch,
};

use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::{self, Incoming, Outgoing, OutgoingError};
use crate::browser::raw_bytes::{Packer, RawBytes};
use crate::browser::url;
use crate::work::server::{self, Known};

/// The longest word of the server's own that is read.
const LONGEST_WORD: u64 = 1 << 20;

/// A server that answers and makes requests for tools.
pub(super) struct Relay(Known);

/// Why a request did not come through.
#[derive(Debug, thiserror::Error)]
pub(super) enum RelayError {
    /// The server refused; nothing has reached the host.
    #[error("{0}")]
    NotSent(String),
    /// The host may have got it.
    #[error("{0}")]
    Failed(String),
    /// The answer is larger than it may be.
    #[error("the answer is too large")]
    TooLarge,
}

impl Relay {
    /// The server that this device knows, if it answers now and does this. It is asked each time: one that has gone must not be in the way.
    pub(super) async fn find(store: &IndexedDbStore) -> Option<Self> {
        let relay = Self(server::access(store).await.ok().flatten()?);
        // Its guard refuses every other page, and the token is for nobody else.
        if url::normal(&relay.0.address)? != url::normal(&url::origin())? {
            return None;
        }
        let incoming = relay.ask("GET", "policy", None).await.ok()?;
        let policy: Policy = serde_json::from_slice(&word(incoming).await?).ok()?;
        policy.capabilities.contains(&Capability::Fetch).then_some(relay)
    }

    /// Has the server make a request.
    pub(super) async fn fetch(
        &self,
        asked: &FetchRequest,
        body: Option<&RawBytes>,
    ) -> Result<(FetchResponse, RawBytes), RelayError> {
        let head = frame_fetch(asked).map_err(|error| RelayError::NotSent(error.to_string()))?;
        let mut packer = Packer::with_length(head.len() + body.map_or(0, RawBytes::len));
        packer.add_slice(&head);
        if let Some(body) = body {
            packer.add(body);
        }
        let gone = |_| RelayError::Failed("the server went away before it had answered".into());
        let incoming = self.ask("POST", "fetch", Some(&packer.finish())).await.map_err(gone)?;
        let status = incoming.status();
        if !incoming.is_ok() {
            let said = word(incoming).await.and_then(|bytes| serde_json::from_slice::<Problem>(&bytes).ok());
            let said = said.map_or_else(|| format!("the server answered {status}"), |problem| problem.error.message);
            // Until it is past its own checks, the server has called nobody.
            return Err(if status < 500 { RelayError::NotSent(said) } else { RelayError::Failed(said) });
        }
        let limit = FETCH_ANSWER_BYTES + longest_fetch_frame() as u64;
        let whole = incoming.body(limit, |_, _| {}).await.map_err(|error| match error {
            OutgoingError::Unreachable => RelayError::Failed("the answer broke off".into()),
            OutgoingError::TooLarge => RelayError::TooLarge,
        })?;
        let beginning = whole.part(0, whole.len().min(longest_fetch_frame())).to_vec();
        let (head, at) = unframe_fetch(&beginning).map_err(|error| RelayError::Failed(error.to_string()))?;
        let body = whole.part(at, whole.len() - at);
        if body.len() as u64 > FETCH_ANSWER_BYTES {
            return Err(RelayError::TooLarge);
        }
        Ok((head, body))
    }

    async fn ask(&self, method: &str, what: &str, body: Option<&RawBytes>) -> Result<Incoming, OutgoingError> {
        let Known { address, token } = &self.0;
        let href = format!("{address}/api/v1/{what}");
        let headers = [("authorization".to_owned(), format!("Bearer {token}"))];
        outgoing::send(Outgoing { method, href: &href, headers: &headers, body }).await
    }
}

/// A short answer.
async fn word(incoming: Incoming) -> Option<Vec<u8>> {
    Some(incoming.body(LONGEST_WORD, |_, _| {}).await.ok()?.to_vec())
}
