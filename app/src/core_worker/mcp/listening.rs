//! What calls of this worker tell and ask on the way, and that there is something to sync.
//!
//! A browser opens few connections to one server at a time. So all workers of all tabs share the one stream of events that the worker has
//! which follows the servers; it hands on to all of them what is of a call, and each takes what is of its own. Only so many calls are made at
//! once that an answer of the user still finds a connection.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use futures_channel::{mpsc, oneshot};
use satchel_core::protocol::{ClientId, McpInputRequest, McpProgress, ServerEvent};

use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::tab_news;
use crate::core_worker::sync::{self, SyncWord};

/// How many calls are made at once. A browser has six connections to a server; one listens, one may bring an answer of a model, one is for
/// what the user says.
const AT_ONCE: usize = 3;

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
    /// Whether this worker hears what calls say.
    static HEARS: Cell<bool> = const { Cell::new(false) };
}

#[derive(Default)]
struct Calls {
    listening: BTreeMap<String, mpsc::UnboundedSender<CallNews>>,
    waiting: Vec<oneshot::Sender<()>>,
    under_way: usize,
}

/// A call that is listened to. Dropping it lets the next one go on.
pub(super) struct Listening {
    call: String,
    pub(super) news: mpsc::UnboundedReceiver<CallNews>,
    _place: Place,
}

/// A place among the calls that are made at once.
struct Place;

impl Listening {
    /// Listens to a call, once there is a place for it.
    pub(super) async fn begin(call: String) -> Self {
        if !HEARS.replace(true) {
            tab_news::on_words_of_calls(|words| {
                if let Ok(event) = serde_json::from_str(&words) {
                    take(event);
                }
            });
        }
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
        CALLS.with_borrow_mut(|calls| drop(calls.listening.insert(call.clone(), sender)));
        Self { call, news, _place: place }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        CALLS.with_borrow_mut(|calls| drop(calls.listening.remove(&self.call)));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let waiting = CALLS.with_borrow_mut(|calls| {
            calls.under_way -= 1;
            std::mem::take(&mut calls.waiting)
        });
        // All look again; those that find no place wait on.
        for waiting in waiting {
            // Who waited may have been stopped.
            waiting.send(()).ok();
        }
    }
}

/// What the one stream of this browser's profile is called by, which is what its calls are answered to; none where the store has lost it.
pub(super) async fn client(store: &IndexedDbStore) -> Option<ClientId> {
    ClientId::parse(store.device().await.ok().flatten()?.as_str()).ok()
}

/// Hands an event on to whoever made the call that it is of, or syncs, in whichever tab that is. Others are of no interest there.
pub(super) fn hand_on(event: &ServerEvent) {
    match event {
        ServerEvent::McpProgress(_) | ServerEvent::McpInput(_) | ServerEvent::McpInputEnded { .. } => {
            tab_news::say_of_call(&serde_json::to_string(event).expect("an event is JSON"));
        }
        ServerEvent::Ready => sync::say(&SyncWord::Listening),
        ServerEvent::Synced { .. } | ServerEvent::SyncMembersChanged => sync::say(&SyncWord::Noticed),
        ServerEvent::McpServer(_) | ServerEvent::HubChanged | ServerEvent::Unknown => {}
    }
}

/// Takes what is of a call of this worker.
fn take(event: ServerEvent) {
    let (call, news) = match event {
        ServerEvent::McpProgress(progress) => (progress.call_id.to_string(), CallNews::Progress(progress)),
        ServerEvent::McpInput(request) => (request.call_id.to_string(), CallNews::Input(request)),
        ServerEvent::McpInputEnded { call_id, request_id } => (call_id.to_string(), CallNews::InputEnded(request_id)),
        ServerEvent::Ready
        | ServerEvent::McpServer(_)
        | ServerEvent::HubChanged
        | ServerEvent::Synced { .. }
        | ServerEvent::SyncMembersChanged
        | ServerEvent::Unknown => return,
    };
    CALLS.with_borrow(|calls| {
        if let Some(listening) = calls.listening.get(&call) {
            // Who listened may have ended just now.
            listening.unbounded_send(news).ok();
        }
    });
}
