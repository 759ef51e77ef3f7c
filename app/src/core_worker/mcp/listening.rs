//! What calls of this worker tell and ask on the way: one stream of events for all of them, open while there are any.
//!
//! A browser opens few connections to one server at a time. So calls share one stream, and only so many are made at once that an answer of
//! the user still finds a connection.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_channel::{mpsc, oneshot};
use futures_util::future::{AbortHandle, Abortable};
use satchel_core::mcp::EventReader;
use satchel_core::protocol::{ClientId, McpInputRequest, McpProgress, ServerEvent};

use super::line::ServerLine;
use crate::browser::spawn::spawn;
use crate::browser::{clock, random};

/// How many calls are made at once. A browser has six connections to a server; one follows, one listens, one is for answers.
const AT_ONCE: usize = 3;

/// How long is waited before a stream that broke is opened again.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a call tells.
pub(super) enum CallNews {
    /// It gets on.
    Progress(McpProgress),
    /// It asks the user for something.
    Input(McpInputRequest),
    /// It needs no answer to that any more.
    InputEnded(String),
}

thread_local! {
    static CALLS: RefCell<Calls> = RefCell::default();
}

#[derive(Default)]
struct Calls {
    /// What this worker calls itself; made with the first call.
    client: Option<ClientId>,
    listening: BTreeMap<String, mpsc::UnboundedSender<CallNews>>,
    stream: Option<AbortHandle>,
    waiting: Vec<oneshot::Sender<()>>,
    under_way: usize,
}

/// A call that is listened to. Dropping it lets the next one go on, and ends the stream where it was the last.
pub(super) struct Listening {
    call: String,
    pub(super) client: ClientId,
    pub(super) news: mpsc::UnboundedReceiver<CallNews>,
    _place: Place,
}

/// A place among the calls that are made at once.
struct Place;

impl Listening {
    /// Listens to a call, once there is a place for it.
    pub(super) async fn begin(call: String, line: &ServerLine) -> Self {
        loop {
            let (sender, freed) = oneshot::channel();
            let has_place = CALLS.with_borrow_mut(|calls| {
                let has_place = calls.under_way < AT_ONCE;
                if has_place {
                    calls.under_way += 1;
                } else {
                    calls.waiting.push(sender);
                }
                has_place
            });
            if has_place {
                break;
            }
            freed.await.ok();
        }
        // From here on the place is given back whatever happens.
        let place = Place;
        let (sender, news) = mpsc::unbounded();
        let client = CALLS.with_borrow_mut(|calls| {
            let client =
                calls.client.get_or_insert_with(|| ClientId::parse(&random::uuid_v7()).expect("a UUID is one"));
            let client = client.clone();
            calls.listening.insert(call.clone(), sender);
            if calls.stream.is_none() {
                let (handle, registration) = AbortHandle::new_pair();
                calls.stream = Some(handle);
                let listen = Abortable::new(listen(line.clone(), client.clone()), registration);
                spawn(async move { listen.await.unwrap_or_default() });
            }
            client
        });
        Self { call, client, news, _place: place }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        CALLS.with_borrow_mut(|calls| {
            calls.listening.remove(&self.call);
            if calls.listening.is_empty()
                && let Some(stream) = calls.stream.take()
            {
                stream.abort();
            }
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let waiting = CALLS.with_borrow_mut(|calls| {
            calls.under_way -= 1;
            std::mem::take(&mut calls.waiting)
        });
        // All look again; those that find no place wait on.
        waiting.into_iter().for_each(|waiting| waiting.send(()).unwrap_or_default());
    }
}

/// Reads the stream, again and again, until it is aborted. Every form that waits is told of again by a new connection.
async fn listen(line: ServerLine, client: ClientId) {
    loop {
        if let Ok(mut incoming) = line.send("GET", &format!("/api/v1/events?client={client}"), None).await {
            let mut reader = EventReader::default();
            while let Ok(Some(piece)) = incoming.piece().await {
                let Ok(events) = reader.read(&piece) else { break };
                events.into_iter().for_each(hand_on);
            }
        }
        clock::wait(PATIENCE).await;
    }
}

fn hand_on(event: ServerEvent) {
    let (call, news) = match event {
        ServerEvent::McpProgress(progress) => (progress.call_id.to_string(), CallNews::Progress(progress)),
        ServerEvent::McpInput(request) => (request.call_id.to_string(), CallNews::Input(request)),
        ServerEvent::McpInputEnded { call_id, request_id } => (call_id.to_string(), CallNews::InputEnded(request_id)),
        ServerEvent::Ready | ServerEvent::McpServer(_) | ServerEvent::Unknown => return,
    };
    CALLS.with_borrow(|calls| {
        if let Some(listening) = calls.listening.get(&call) {
            // Who listened may have ended just now.
            listening.unbounded_send(news).ok();
        }
    });
}
