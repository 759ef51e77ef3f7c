//! One call of a tool by one client, from its request to its answer: its progress, the forms it shows, and how long it may take.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use satchel_core::catalog::ServerKey;
use satchel_core::protocol::{ClientId, McpCallId, McpInputAction, McpInputRequest, McpProgress, ServerEvent};
use serde_json::{Map, Value};
use tokio::sync::{Notify, oneshot};
use uuid::Uuid;

use crate::database::AccountId;
use crate::events::Events;

/// Most forms that one call may show, one after the other.
const MOST_FORMS: u32 = 16;
/// Largest schema of a form, in bytes of its JSON.
const SCHEMA_BYTES: usize = 64 * 1024;
/// Most characters of a message that a call shows.
const MESSAGE_CHARACTERS: usize = 2000;
/// Shortest time between two tellings of progress.
const PROGRESS_PAUSE: Duration = Duration::from_millis(50);

/// Who called: ids of clients and calls are theirs to choose, so only all three together are one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CallKey {
    pub(super) account: AccountId,
    pub(super) client: ClientId,
    pub(super) call_id: McpCallId,
}

/// A call in flight.
#[derive(Debug)]
pub(super) struct Call {
    key: CallKey,
    server: ServerKey,
    events: Events,
    forms: Mutex<HashMap<String, Form>>,
    /// Who fills in forms.
    company: Company,
    asked: AtomicU32,
    last_told: Mutex<Option<Instant>>,
    /// Something happened, so the call is alive.
    alive: Notify,
    /// It asked for more than it may.
    gone_too_far: Notify,
}

/// Whether there is somebody to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    /// A page, and a person before it.
    Page,
    /// Nobody: what is asked is declined.
    Nobody,
}

#[derive(Debug)]
struct Form {
    request: McpInputRequest,
    answer: oneshot::Sender<InputAnswer>,
}

/// What a person did with a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InputAnswer {
    pub(super) action: McpInputAction,
    pub(super) content: Option<Map<String, Value>>,
}

/// The calls in flight; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    open: Arc<Mutex<HashMap<CallKey, Arc<Call>>>>,
}

/// A call that is in the list for as long as this is held.
#[derive(Debug)]
pub(super) struct OpenCall {
    calls: Calls,
    pub(super) call: Arc<Call>,
}

impl Calls {
    /// Begins a call; none when this client has one of the same name in flight.
    pub(super) fn begin(&self, key: CallKey, server: ServerKey, events: Events) -> Option<OpenCall> {
        let mut open = locked(&self.open);
        if open.contains_key(&key) {
            return None;
        }
        let call = Arc::new(Call {
            key: key.clone(),
            server,
            events,
            forms: Mutex::default(),
            company: Company::Page,
            asked: AtomicU32::new(0),
            last_told: Mutex::default(),
            alive: Notify::new(),
            gone_too_far: Notify::new(),
        });
        open.insert(key, Arc::clone(&call));
        Some(OpenCall { calls: self.clone(), call })
    }

    /// Answers a form; whether there was one.
    pub(super) fn answer(&self, key: &CallKey, request_id: &str, answer: InputAnswer) -> bool {
        let call = locked(&self.open).get(key).cloned();
        let form = call.and_then(|call| locked(&call.forms).remove(request_id));
        form.is_some_and(|form| form.answer.send(answer).is_ok())
    }

    /// The forms that wait for an answer of this client, for when it comes back.
    pub(super) fn waiting(&self, account: &AccountId, client: &ClientId) -> Vec<McpInputRequest> {
        let open = locked(&self.open);
        let own = open.values().filter(|call| call.key.account == *account && call.key.client == *client);
        own.flat_map(|call| locked(&call.forms).values().map(|form| form.request.clone()).collect::<Vec<_>>()).collect()
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        locked(&self.calls.open).remove(&self.call.key);
    }
}

impl Call {
    /// A call that no page waits for, as the hub makes them. It is in no list.
    pub(super) fn alone(account: &AccountId, server: ServerKey, events: Events) -> Arc<Self> {
        let id = Uuid::now_v7().simple().to_string();
        let key = CallKey {
            account: account.clone(),
            client: ClientId::parse(&id).expect("a UUID is one"),
            call_id: McpCallId::parse(&id).expect("a UUID is one"),
        };
        Arc::new(Self {
            key,
            server,
            events,
            forms: Mutex::default(),
            company: Company::Nobody,
            asked: AtomicU32::new(0),
            last_told: Mutex::default(),
            alive: Notify::new(),
            gone_too_far: Notify::new(),
        })
    }

    /// Progress was made. Not every step is told: a server may make thousands of them.
    pub(super) fn moved(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.alive.notify_one();
        let is_last = total.is_some_and(|total| progress >= total);
        {
            let mut last_told = locked(&self.last_told);
            if !is_last && last_told.is_some_and(|told| told.elapsed() < PROGRESS_PAUSE) {
                return;
            }
            *last_told = Some(Instant::now());
        }
        let message = message.map(shortened);
        let progress = McpProgress { call_id: self.key.call_id.clone(), progress, total, message };
        self.events.tell_client(&self.key.account, &self.key.client, &ServerEvent::McpProgress(progress));
    }

    /// Shows a form and waits for what the person does with it; nothing when the call may show no more.
    pub(super) async fn ask(self: &Arc<Self>, message: &str, schema: Value) -> Option<InputAnswer> {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MOST_FORMS || schema.to_string().len() > SCHEMA_BYTES {
            self.gone_too_far.notify_one();
            return None;
        }
        if self.company == Company::Nobody {
            return Some(InputAnswer { action: McpInputAction::Decline, content: None });
        }
        let request = McpInputRequest {
            call_id: self.key.call_id.clone(),
            request_id: Uuid::now_v7().simple().to_string(),
            server: self.server.clone(),
            message: shortened(message),
            schema,
        };
        let (sender, receiver) = oneshot::channel();
        let _shown = Shown { call: Arc::clone(self), request_id: request.request_id.clone() };
        let form = Form { request: request.clone(), answer: sender };
        locked(&self.forms).insert(request.request_id.clone(), form);
        self.events.tell_client(&self.key.account, &self.key.client, &ServerEvent::McpInput(request));
        let answer = receiver.await.ok();
        self.alive.notify_one();
        answer
    }

    /// Ends when nothing has happened for too long; time in which a person has a form before them does not count.
    pub(super) async fn is_overdue(&self, limit: Duration) {
        while tokio::time::timeout(limit, self.alive.notified()).await.is_ok() || !locked(&self.forms).is_empty() {}
    }

    /// Ends when the call asks for more than it may.
    pub(super) async fn goes_too_far(&self) {
        self.gone_too_far.notified().await;
    }
}

/// A form that is before a person; it is taken away when this goes.
struct Shown {
    call: Arc<Call>,
    request_id: String,
}

impl Drop for Shown {
    fn drop(&mut self) {
        let (call, request_id) = (&self.call, self.request_id.clone());
        locked(&call.forms).remove(&request_id);
        let ended = ServerEvent::McpInputEnded { call_id: call.key.call_id.clone(), request_id };
        call.events.tell_client(&call.key.account, &call.key.client, &ended);
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MESSAGE_CHARACTERS).collect()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_core::protocol::parse_server_key;
    use serde_json::json;

    /// A call that the hub makes has nobody before it, and so waits for nobody.
    #[tokio::test]
    async fn where_nobody_is_forms_are_declined() {
        let account = AccountId::stored("0198c5a4-7c1e-7000-8000-000000000001".to_owned());
        let key = parse_server_key("tests~stand-in").expect("a key");
        let call = Call::alone(&account, key, Events::default());
        let answer = call.ask("Who are you?", json!({"type": "object"})).await;
        assert_eq!(answer, Some(InputAnswer { action: McpInputAction::Decline, content: None }));
    }
}
