//! The cage: Python in a worker, inside a frame that owns nothing and reaches nothing.
//!
//! The page sends nothing into a frame before the browser itself has said that the frame's origin is `null` and has
//! refused the page its document. A host that answers `/cage.html` without the header fails that test, and Python
//! is then not started at all.

mod frame;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use js_sys::{Object, Reflect, Uint8Array};
use satchel_core::python::{FromCage, ToCage};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MessageChannel, MessageEvent, MessagePort};

use super::build::{self, BuildError, BuildFile};
use super::clock;
use super::core_worker::{self, WorkerError};
use frame::{Frame, FrameError};

/// Where the files of the Python runtime are, below the root of the app.
const RUNTIME: &str = "/vendor/pyodide-";

/// How long Python may take to load, and an evaluation to end; a slow phone needs some twenty seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why there is no Python, or no answer from it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CageError {
    #[error("this build of the app came without its Python runtime")]
    NoRuntime,
    #[error("{0}")]
    Runtime(#[from] BuildError),
    #[error("{0}")]
    Worker(#[from] WorkerError),
    #[error("{0}")]
    Frame(#[from] FrameError),
    #[error("Python did not start: {0}")]
    NotStarted(String),
    #[error("Python raised an error: {0}")]
    Raised(String),
    #[error("the cage ended before it answered")]
    Ended,
}

/// A running cage. Dropping it ends its worker and everything in it.
pub(crate) struct PythonCage {
    port: MessagePort,
    python: String,
    load_millis: u32,
    requests: Cell<u32>,
    waiting: Rc<Waiting>,
    _frame: Frame,
}

/// Who waits for which answer.
#[derive(Default)]
struct Waiting {
    started: RefCell<Option<oneshot::Sender<FromCage>>>,
    answers: RefCell<BTreeMap<u32, oneshot::Sender<Result<String, CageError>>>>,
}

impl PythonCage {
    /// Starts a cage: its frame, its worker, and Python in it.
    pub(crate) async fn start() -> Result<Self, CageError> {
        let files = runtime().await?;
        let waiting = Rc::new(Waiting::default());
        let frame = Frame::open(Rc::downgrade(&waiting)).await?;

        let channel = MessageChannel::new().expect("a message channel can be made");
        let (port, far) = (channel.port1(), channel.port2());
        let on_message = Closure::<dyn Fn(MessageEvent)>::new({
            let waiting = Rc::downgrade(&waiting);
            move |event: MessageEvent| {
                if let Some(waiting) = waiting.upgrade() {
                    waiting.hear(&event);
                }
            }
        });
        port.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
        let (sender, started) = oneshot::channel();
        waiting.started.replace(Some(sender));
        frame.send_files(&files, &far)?;
        let patience = std::pin::pin!(clock::wait(PATIENCE));
        let started = match futures_util::future::select(started, patience).await {
            futures_util::future::Either::Left((started, _)) => started.map_err(|_sender_dropped| CageError::Ended)?,
            futures_util::future::Either::Right(_) => {
                return Err(CageError::NotStarted(format!("it took longer than {} seconds", PATIENCE.as_secs())));
            }
        };
        match started {
            FromCage::Ready { python, load_millis, .. } => {
                Ok(Self { port, python, load_millis, requests: Cell::new(0), waiting, _frame: frame })
            }
            FromCage::Failed { message } => Err(CageError::NotStarted(message)),
            FromCage::Evaluated { .. } | FromCage::Raised { .. } => {
                Err(CageError::NotStarted("it answered before it was asked".into()))
            }
        }
    }

    /// What `sys.version` says inside.
    pub(crate) fn python(&self) -> &str {
        &self.python
    }

    /// How long Python took to load.
    pub(crate) fn load_millis(&self) -> u32 {
        self.load_millis
    }

    /// Runs Python source and gives the JSON text that it leaves in `result`.
    pub(crate) async fn evaluate(&self, source: &str, arguments: &str) -> Result<String, CageError> {
        let request = self.requests.get() + 1;
        self.requests.set(request);
        let (sender, answer) = oneshot::channel();
        self.waiting.answers.borrow_mut().insert(request, sender);
        let message = ToCage::Evaluate { request, source: source.into(), arguments: arguments.into() };
        let message = serde_json::to_string(&message).expect("a message is JSON");
        self.port.post_message(&message.into()).expect("a text can be sent");
        let patience = std::pin::pin!(clock::wait(PATIENCE));
        match futures_util::future::select(answer, patience).await {
            futures_util::future::Either::Left((answer, _)) => answer.map_err(|_sender_dropped| CageError::Ended)?,
            futures_util::future::Either::Right(_) => Err(CageError::Ended),
        }
    }
}

impl Waiting {
    /// Takes a message of the cage. What is not one of its words is dropped: the cage may run anybody's code.
    fn hear(&self, event: &MessageEvent) {
        let Some(message) = event.data().as_string().and_then(|text| serde_json::from_str(&text).ok()) else { return };
        let (request, answer) = match message {
            FromCage::Ready { .. } | FromCage::Failed { .. } => return self.start_with(message),
            FromCage::Evaluated { request, result } => (request, Ok(result)),
            FromCage::Raised { request, traceback } => (request, Err(CageError::Raised(traceback))),
        };
        if let Some(sender) = self.answers.borrow_mut().remove(&request) {
            // Who asked may have gone away.
            sender.send(answer).ok();
        }
    }

    /// The worker has failed: whoever waits for the start or for an answer is told.
    fn worker_failed(&self, message: String) {
        self.start_with(FromCage::Failed { message });
        self.answers.borrow_mut().clear();
    }

    /// Tells who waits for the start how it went; only the first word counts.
    fn start_with(&self, message: FromCage) {
        if let Some(sender) = self.started.take() {
            sender.send(message).ok();
        }
    }
}

/// The files of the runtime by their names, each checked against the digest that this build has for it.
async fn runtime() -> Result<Object, CageError> {
    let listed = build::files_below(RUNTIME).await?;
    if listed.is_empty() {
        return Err(CageError::NoRuntime);
    }
    let mut contents = Vec::with_capacity(listed.len());
    for file in &listed {
        contents.push(build::bytes_at(&file.path).await?);
    }
    let pieces: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    let digests = core_worker::hash(&pieces).await?;
    let files = Object::new();
    for ((BuildFile { path, digest }, found), bytes) in listed.into_iter().zip(digests).zip(contents) {
        if digest != found {
            return Err(BuildError::Damaged { path }.into());
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        Reflect::set(&files, &name.into(), &Uint8Array::from(bytes.as_slice()))
            .expect("a fresh object takes properties");
    }
    Ok(files)
}
