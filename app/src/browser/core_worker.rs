//! The page's end of the core worker: starts it, sends jobs, restarts it when it dies.
//!
//! There are two workers of the same program. One does what the page's screens ask for; the other runs tools, so that ending the first,
//! which is how a check is stopped, never ends somebody's run.
//!
//! A worker can end without a word (the browser is short of memory, a trap in its WebAssembly). It therefore holds a lock
//! for as long as it lives, and the page waits for that lock: getting it means that the worker is gone. Jobs that were under way
//! then fail with [`WorkerError::Died`], and the next job starts a new worker.

mod message;
pub(crate) mod scope;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use js_sys::Array;
use satchel_core::digest::BlobId;
use satchel_core::few::Few;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use self::message::FromWorker;
use super::python_cage::RawPort;
use super::raw_bytes::RawBytes;
use super::spawn::spawn;
use super::{build, clock, js_error, random, tab_roles};
use crate::core_worker::{Answer, Job, Progress};

/// Why a job was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerError {
    #[error("the background worker could not be started: {0}")]
    NotStarted(String),
    #[error("the background worker ended in the middle of its work")]
    Died,
    #[error("the background worker gave an unexpected answer; reload the page")]
    Misunderstood,
}

/// How long a worker may take until it says so.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which worker a job is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Post {
    /// What the screens ask for.
    Screens,
    /// Running tools.
    Tools,
}

thread_local! {
    /// The workers of this page, while they live.
    static LIVING: RefCell<[Option<Rc<Living>>; 2]> = const { RefCell::new([None, None]) };
    /// Who hears the worker's wishes, and what came before anybody did.
    static WISHES: RefCell<Wishes> = const { RefCell::new(Wishes { listener: None, unheard: Vec::new() }) };
}

struct Wishes {
    listener: Option<Rc<dyn Fn(String)>>,
    unheard: Vec<String>,
}

struct Living {
    post: Post,
    worker: Worker,
    lock: String,
    /// Jobs that came before the worker listened, with the buffers to move; nothing once it does.
    unsent: RefCell<Option<Vec<(Array, Array)>>>,
    waiting: RefCell<Waiting>,
}

#[derive(Default)]
struct Waiting {
    last: u32,
    answers: Few<u32, Asked>,
}

/// A job whose answer is waited for.
struct Asked {
    answer: oneshot::Sender<Answered>,
    on_progress: Option<Box<dyn Fn(Progress)>>,
}

/// What came of a job, and the bytes that go with it.
pub(crate) struct Answered {
    /// The answer.
    pub(crate) answer: Answer,
    /// Its bytes.
    pub(crate) pieces: Vec<RawBytes>,
}

/// A job under way. It is stopped when this is dropped before its end.
pub(crate) struct Running {
    post: Post,
    request: u32,
    receiver: oneshot::Receiver<Answered>,
}

impl Running {
    /// What comes of it.
    pub(crate) async fn end(mut self) -> Result<Answered, WorkerError> {
        (&mut self.receiver).await.map_err(|_sender_dropped| WorkerError::Died)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(living) = at(self.post) else { return };
        if living.waiting.borrow_mut().answers.remove(&self.request).is_some() {
            living.send(message::stop(self.request), Array::new());
        }
    }
}

/// The names of these pieces of bytes, computed in the worker. A worker that dies over it is replaced once.
pub(crate) async fn hash(pieces: &[&[u8]]) -> Result<Vec<BlobId>, WorkerError> {
    let start =
        || start_job(Post::Screens, &Job::Hash, pieces.iter().map(|piece| RawBytes::from(*piece)).collect(), None);
    let answered = match start()?.end().await {
        Err(WorkerError::Died) => start()?.end().await?,
        other => other?,
    };
    match answered.answer {
        Answer::Hashed { ids } => Ok(ids),
        Answer::Kept { .. } | Answer::Responded { .. } => Err(WorkerError::Misunderstood),
    }
}

/// Ends the worker of the screens, whatever it does: it cannot hear while it computes. The next job starts a new one.
pub(crate) fn stop_all() {
    if let Some(living) = at(Post::Screens) {
        bury(&living);
    }
}

/// Has the tools' worker's wishes heard, those that came before included. A wish is a text that `core_worker` reads.
pub(crate) fn on_wish(listener: impl Fn(String) + 'static) {
    let unheard = WISHES.with_borrow_mut(|wishes| {
        wishes.listener = Some(Rc::new(listener));
        std::mem::take(&mut wishes.unheard)
    });
    unheard.into_iter().for_each(wish);
}

fn wish(text: String) {
    let listener = WISHES.with_borrow(|wishes| wishes.listener.clone());
    match listener {
        Some(listener) => listener(text),
        None => WISHES.with_borrow_mut(|wishes| wishes.unheard.push(text)),
    }
}

/// Answers a wish; a port is moved to the worker.
pub(crate) fn reply(text: &str, port: Option<RawPort>) {
    if let Some(living) = at(Post::Tools) {
        let message = message::reply(text);
        let moved: Array = port.iter().map(|RawPort(port)| port).collect();
        message.push(&moved.get(0));
        living.send(message, moved);
    }
}

/// Has a job begun, which takes its bytes over. `on_progress` hears how far it has come.
pub(crate) fn start_job(
    post: Post,
    job: &Job,
    pieces: Vec<RawBytes>,
    on_progress: Option<Box<dyn Fn(Progress)>>,
) -> Result<Running, WorkerError> {
    let living = living(post)?;
    let (sender, receiver) = oneshot::channel();
    let request = {
        let mut waiting = living.waiting.borrow_mut();
        waiting.last += 1;
        let request = waiting.last;
        waiting.answers.insert(request, Asked { answer: sender, on_progress });
        request
    };
    let (message, buffers) = (message::job(request, job), Array::new());
    for piece in pieces {
        buffers.push(&piece.buffer());
        message.push(piece.array());
    }
    living.send(message, buffers);
    Ok(Running { post, request, receiver })
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

/// The worker of a post, while it lives.
fn at(post: Post) -> Option<Rc<Living>> {
    LIVING.with_borrow(|living| living[post as usize].clone())
}

/// The worker of a post, started where there is none.
fn living(post: Post) -> Result<Rc<Living>, WorkerError> {
    if let Some(living) = at(post) {
        return Ok(living);
    }
    let started = start(post)?;
    LIVING.with_borrow_mut(|living| living[post as usize] = Some(Rc::clone(&started)));
    Ok(started)
}

fn start(post: Post) -> Result<Rc<Living>, WorkerError> {
    let address = build::core_worker()
        .ok_or_else(|| WorkerError::NotStarted("the page does not name the worker's script".into()))?;
    // The worker reads the build from its name: which files are its own is written in the page alone.
    let lock = format!("satchel-core-worker/{}/{}", random::device_id(), build::id());
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(&lock);
    let worker = Worker::new_with_options(&address, &options)
        .map_err(|thrown| WorkerError::NotStarted(js_error::describe(&thrown)))?;
    let living =
        Rc::new(Living { post, worker, lock, unsent: RefCell::new(Some(Vec::new())), waiting: RefCell::default() });

    let on_message = Closure::<dyn Fn(MessageEvent)>::new({
        let living = Rc::downgrade(&living);
        move |event: MessageEvent| {
            let Some(living) = living.upgrade() else { return };
            match message::from_worker(&event.data()) {
                Some(FromWorker::Listening) => living.listens(),
                Some(FromWorker::Progress { request, progress }) => {
                    if let Some(asked) = living.waiting.borrow().answers.get(&request)
                        && let Some(on_progress) = &asked.on_progress
                    {
                        on_progress(progress);
                    }
                }
                Some(FromWorker::Answer { request, answer, pieces }) => {
                    let asked = living.waiting.borrow_mut().answers.remove(&request);
                    if let Some(asked) = asked {
                        // Who asked may have gone away, and then nobody misses the answer.
                        asked.answer.send(Answered { answer, pieces }).ok();
                    }
                }
                Some(FromWorker::Wish(text)) => wish(text),
                None => {}
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
    let was_living = LIVING.with_borrow_mut(|living| {
        let place = &mut living[dead.post as usize];
        let is_it = place.as_ref().is_some_and(|living| Rc::ptr_eq(living, dead));
        if is_it {
            *place = None;
        }
        is_it
    });
    if was_living && dead.post == Post::Tools {
        // Its cages have nobody to speak to any more.
        wish(message::ENDED.into());
    }
}
