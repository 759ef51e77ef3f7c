//! The page's end of the core worker: starts it, sends jobs, restarts it when it dies.
//!
//! A worker can end without a word (the browser is short of memory, a trap in its WebAssembly). It therefore holds a lock
//! for as long as it lives, and the page waits for that lock: getting it means that the worker is gone. Jobs that were under way
//! then fail with [`WorkerError::Died`], and the next job starts a new worker.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use js_sys::{Array, Uint8Array};
use satchel_core::digest::BlobId;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::spawn::spawn;
use super::tab_roles::{self, Mode};
use super::{build, clock, js_error, random};
use crate::core_worker::{Answer, Job};

/// Why a job was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerError {
    #[error("the background worker could not be started: {0}")]
    NotStarted(String),
    #[error("the background worker ended in the middle of its work")]
    Died,
}

/// The worker's first word.
const LISTENING: &str = "listening";
/// How long a worker may take until it says so.
const PATIENCE: Duration = Duration::from_secs(60);

thread_local! {
    /// The one worker of this page, while it lives.
    static LIVING: RefCell<Option<Rc<Living>>> = const { RefCell::new(None) };
}

struct Living {
    worker: Worker,
    lock: String,
    /// Jobs that came before the worker listened, with the buffers to move; nothing once it does.
    unsent: RefCell<Option<Vec<(Array, Array)>>>,
    waiting: RefCell<Waiting>,
}

#[derive(Default)]
struct Waiting {
    last: u32,
    answers: BTreeMap<u32, oneshot::Sender<Answer>>,
}

/// The names of these pieces of bytes, computed in the worker. A worker that dies over it is replaced once.
pub(crate) async fn hash(pieces: &[&[u8]]) -> Result<Vec<BlobId>, WorkerError> {
    let answer = match ask(&Job::Hash, pieces).await {
        Err(WorkerError::Died) => ask(&Job::Hash, pieces).await?,
        other => other?,
    };
    match answer {
        Answer::Hashed { ids } => Ok(ids),
    }
}

async fn ask(job: &Job, pieces: &[&[u8]]) -> Result<Answer, WorkerError> {
    let living = living()?;
    let (sender, receiver) = oneshot::channel();
    let request = {
        let mut waiting = living.waiting.borrow_mut();
        waiting.last += 1;
        let request = waiting.last;
        waiting.answers.insert(request, sender);
        request
    };
    let (message, buffers) = (Array::new(), Array::new());
    message.push(&request.into());
    message.push(&serde_json::to_string(job).expect("a job is JSON").into());
    for piece in pieces {
        let bytes = Uint8Array::from(*piece);
        buffers.push(&bytes.buffer());
        message.push(&bytes);
    }
    living.send(message, buffers);
    // The future must not keep a dead worker's senders alive, or it would wait for ever.
    drop(living);
    receiver.await.map_err(|_sender_dropped| WorkerError::Died)
}

impl Living {
    /// Sends a job, or keeps it until the worker listens.
    fn send(&self, message: Array, buffers: Array) {
        match self.unsent.borrow_mut().as_mut() {
            Some(unsent) => unsent.push((message, buffers)),
            None => self.post(&message, &buffers),
        }
    }

    fn post(&self, message: &Array, buffers: &Array) {
        self.worker.post_message_with_transfer(message, buffers).expect("texts and buffers can be sent");
    }

    /// The worker listens, and holds its lock: from now on, getting that lock means that it has ended.
    fn listens(self: &Rc<Self>) {
        for (message, buffers) in self.unsent.take().unwrap_or_default() {
            self.post(&message, &buffers);
        }
        let (dead, lock) = (Rc::downgrade(self), self.lock.clone());
        spawn(async move {
            tab_roles::until_free(&lock).await;
            if let Some(dead) = dead.upgrade() {
                bury(&dead);
            }
        });
    }
}

/// The worker, started where there is none.
fn living() -> Result<Rc<Living>, WorkerError> {
    if let Some(living) = LIVING.with_borrow(Clone::clone) {
        return Ok(living);
    }
    let living = start()?;
    LIVING.set(Some(Rc::clone(&living)));
    Ok(living)
}

fn start() -> Result<Rc<Living>, WorkerError> {
    let script =
        build::app_script().ok_or_else(|| WorkerError::NotStarted("the page does not name its script".into()))?;
    let lock = format!("satchel-core-worker/{}", random::device_id());
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(&lock);
    let address = format!("{}&app={}", build::versioned("/core-worker.js"), js_sys::encode_uri_component(&script));
    let worker = Worker::new_with_options(&address, &options)
        .map_err(|thrown| WorkerError::NotStarted(js_error::describe(&thrown)))?;
    let living = Rc::new(Living { worker, lock, unsent: RefCell::new(Some(Vec::new())), waiting: RefCell::default() });

    let on_message = Closure::<dyn Fn(MessageEvent)>::new({
        let living = Rc::downgrade(&living);
        move |event: MessageEvent| {
            let Some(living) = living.upgrade() else { return };
            if event.data().as_string().as_deref() == Some(LISTENING) {
                living.listens();
            } else if let Some((request, answer)) = read_answer(&event.data())
                && let Some(sender) = living.waiting.borrow_mut().answers.remove(&request)
            {
                // Who asked may have gone away, and then nobody misses the answer.
                sender.send(answer).ok();
            }
        }
    });
    living.worker.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    let on_error = Closure::<dyn Fn()>::new({
        let living = Rc::downgrade(&living);
        move || {
            if let Some(living) = living.upgrade() {
                bury(&living);
            }
        }
    });
    living.worker.set_onerror(Some(on_error.into_js_value().unchecked_ref()));
    // A worker that ends before it listens has no lock to watch.
    spawn({
        let living = Rc::downgrade(&living);
        async move {
            clock::wait(PATIENCE).await;
            if let Some(silent) = living.upgrade().filter(|living| living.unsent.borrow().is_some()) {
                bury(&silent);
            }
        }
    });
    Ok(living)
}

/// Ends a worker that is dead or no longer to be trusted. Dropping the senders tells those who wait.
fn bury(dead: &Rc<Living>) {
    dead.worker.terminate();
    dead.waiting.borrow_mut().answers.clear();
    LIVING.with_borrow_mut(|living| {
        if living.as_ref().is_some_and(|living| Rc::ptr_eq(living, dead)) {
            *living = None;
        }
    });
}

fn read_answer(message: &JsValue) -> Option<(u32, Answer)> {
    let parts: &Array = message.dyn_ref()?;
    let request: u32 = serde_json::from_str(&parts.get(0).as_string()?).ok()?;
    let answer = serde_json::from_str(&parts.get(1).as_string()?).ok()?;
    Some((request, answer))
}

/// Whether this is the worker and not the page.
pub(crate) fn is_worker() -> bool {
    js_sys::global().is_instance_of::<DedicatedWorkerGlobalScope>()
}

/// The worker's end: answers each job, and says that it listens.
pub(crate) fn serve(do_job: impl Fn(&Job, &[Vec<u8>]) -> Answer + 'static) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new({
        let scope = scope.clone();
        move |event: MessageEvent| {
            let parts: Array = event.data().unchecked_into();
            let request = parts.get(0).as_f64().unwrap_or_default();
            let job = parts.get(1).as_string().and_then(|job| serde_json::from_str(&job).ok());
            let job: Job = job.expect("page and worker are of one build, so a job always reads");
            let pieces: Vec<Vec<u8>> = parts.iter().skip(2).map(|piece| Uint8Array::new(&piece).to_vec()).collect();
            let answer = serde_json::to_string(&do_job(&job, &pieces)).expect("an answer is JSON");
            let message = [request.to_string(), answer].iter().map(JsValue::from).collect::<Array>();
            scope.post_message(&message).expect("texts can be sent");
        }
    });
    scope.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    // Said only once the lock is held: the page asks for the same lock as soon as it hears this.
    let name = scope.name();
    drop(tab_roles::hold(&name, Mode::Exclusive, move || {
        scope.post_message(&LISTENING.into()).expect("a text can be sent");
    }));
}
