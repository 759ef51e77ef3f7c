//! `GET /api/v1/events?client={id}`: what the server tells an account's pages by itself, as server-sent events.
//!
//! Nothing is kept for later. A page that was away reads again what it shows; one that does not read is cut off, so that it comes back
//! and does just that.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Extension, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use satchel_core::protocol::{ClientId, ServerEvent};
use serde::Deserialize;
use tokio::sync::{broadcast, mpsc};

use crate::database::{Account, AccountId};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Events that a page may be behind.
const BEHIND: usize = 256;
/// Most streams of one account.
const MOST: usize = 64;
/// How often something is sent though there is nothing to tell, so that whoever is in between keeps the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Those who listen; clones share them.
#[derive(Clone, Debug)]
pub struct Events {
    listeners: Arc<Mutex<Listeners>>,
    /// Hears of which account something was told.
    news: broadcast::Sender<AccountId>,
}

impl Default for Events {
    fn default() -> Self {
        Self { listeners: Arc::default(), news: broadcast::Sender::new(BEHIND) }
    }
}

#[derive(Debug, Default)]
struct Listeners {
    by_account: HashMap<AccountId, Vec<Listener>>,
    /// The server is stopping.
    closed: bool,
}

#[derive(Debug)]
struct Listener {
    client: ClientId,
    sender: mpsc::Sender<Bytes>,
}

/// The query of the address.
#[derive(Debug, Deserialize)]
pub struct Asked {
    client: ClientId,
}

impl Events {
    /// Tells every page of an account.
    pub fn tell_account(&self, account: &AccountId, event: &ServerEvent) {
        self.tell(account, event, |_| true);
        self.note(account);
    }

    /// Says within the server that something about an account is new.
    pub fn note(&self, account: &AccountId) {
        // Where nobody listens there is nobody to tell.
        self.news.send(account.clone()).ok();
    }

    /// Hears of which account something is new.
    #[must_use]
    pub fn news(&self) -> broadcast::Receiver<AccountId> {
        self.news.subscribe()
    }

    /// Tells one page.
    pub fn tell_client(&self, account: &AccountId, client: &ClientId, event: &ServerEvent) {
        self.tell(account, event, |listener| listener == client);
    }

    /// Ends every stream, and lets none begin.
    pub fn close(&self) {
        let mut listeners = self.locked();
        listeners.closed = true;
        listeners.by_account.clear();
    }

    fn tell(&self, account: &AccountId, event: &ServerEvent, whom: impl Fn(&ClientId) -> bool) {
        let mut listeners = self.locked();
        let Some(own) = listeners.by_account.get_mut(account) else { return };
        let event = written(event);
        // One that is too far behind, or gone, is not kept.
        own.retain(|listener| !whom(&listener.client) || listener.sender.try_send(event.clone()).is_ok());
    }

    /// Begins a stream; none when there are too many.
    fn listen(&self, account: &AccountId, client: ClientId) -> Option<mpsc::Receiver<Bytes>> {
        let mut listeners = self.locked();
        let closed = listeners.closed;
        let own = listeners.by_account.entry(account.clone()).or_default();
        own.retain(|listener| !listener.sender.is_closed());
        if own.len() >= MOST {
            return None;
        }
        let (sender, receiver) = mpsc::channel(BEHIND);
        if !closed && sender.try_send(written(&ServerEvent::Ready)).is_ok() {
            own.push(Listener { client, sender });
        }
        Some(receiver)
    }

    fn locked(&self) -> MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers a stream of events.
pub async fn answer(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    asked: Result<Query<Asked>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(Asked { client }) = asked.map_err(|_| {
        Refusal::bad_request("the address has to name the client: ?client= and 1 to 64 letters, digits, - and _")
    })?;
    let receiver = state.events().listen(&account.id, client.clone()).ok_or_else(|| {
        Refusal::Conflict(format!("{MOST} pages of this account are already listening; close one you do not need"))
    })?;
    // After the stream has begun, so that none is missed in between.
    for form in state.mcp().waiting_forms(&account.id, &client) {
        state.events().tell_client(&account.id, &client, &ServerEvent::McpInput(form));
    }
    let pieces = stream::unfold(receiver, |mut receiver| async move {
        let piece = match tokio::time::timeout(HEARTBEAT, receiver.recv()).await {
            Ok(told) => told?,
            Err(_) => Bytes::from_static(b":\n\n"),
        };
        Some((Ok::<_, Infallible>(piece), receiver))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Asks a proxy in front of the server to hold nothing back.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

fn written(event: &ServerEvent) -> Bytes {
    let json = serde_json::to_string(event).expect("plain data can be written as JSON");
    // JSON has no line's end in it, so one field is enough.
    Bytes::from(format!("data: {json}\n\n"))
}
