//! The worker's end of the core worker: takes jobs, lets them run side by side, and sends what becomes of them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::Array;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::message::{self, FromPage, Kind, LISTENING};
use crate::browser::python_cage::RawPort;
use crate::browser::raw_bytes::RawBytes;
use crate::browser::spawn::spawn;
use crate::browser::tab_roles::{self, Mode};
use crate::core_worker::wish::Wish;
use crate::core_worker::{Answer, Job, Progress};

/// A job on its way.
pub(crate) struct Call {
    /// What to do.
    pub(crate) job: Job,
    /// With what.
    pub(crate) pieces: Vec<Vec<u8>>,
    /// Where to tell how far it has come, and to hear that nobody waits any more.
    pub(crate) course: Course,
}

/// What became of a job.
pub(crate) struct Done {
    /// The answer.
    pub(crate) answer: Answer,
    /// The bytes that go with it.
    pub(crate) pieces: Vec<RawBytes>,
}

/// How a job and the page that asked for it speak while it runs.
#[derive(Clone)]
pub(crate) struct Course {
    request: u32,
    stopped: Rc<Stopped>,
}

/// Whether the page no longer wants a job, and who waits to hear it.
#[derive(Default)]
struct Stopped {
    is_stopped: Cell<bool>,
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

impl Course {
    /// Tells the page how far the job has come.
    pub(crate) fn tell(&self, progress: Progress) {
        send(&message::to_page(self.request, Kind::Progress, &progress), &Array::new());
    }

    /// Whether the page no longer wants it. It can be known only after something was waited for.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_stopped.get()
    }

    /// Resolves when the page no longer wants it.
    pub(crate) async fn until_stopped(&self) {
        if self.is_stopped() {
            return;
        }
        let (sender, stopped) = oneshot::channel();
        self.stopped.waiting.borrow_mut().push(sender);
        // The sender lives as long as this course, which is borrowed here.
        stopped.await.ok();
    }

    /// A course for a part of the job, which can be stopped by itself.
    pub(crate) fn apart(&self) -> Self {
        Self { request: self.request, stopped: Rc::default() }
    }

    /// Has the job stopped, as if the page had asked for it.
    pub(crate) fn stop(&self) {
        self.stopped.stop();
    }
}

impl Stopped {
    fn stop(&self) {
        self.is_stopped.set(true);
        for waiting in self.waiting.take() {
            // Who waited may have come to an end by itself.
            waiting.send(()).ok();
        }
    }
}

thread_local! {
    static ON_REPLY: RefCell<Option<OnReply>> = const { RefCell::new(None) };
}

/// Takes an answer of the page to a wish.
type OnReply = Rc<dyn Fn(String, Option<RawPort>)>;

/// Tells the page something that it did not ask for, or asks it for something.
pub(crate) fn wish(wish: &Wish) {
    send(&message::to_page(0, Kind::Wish, wish), &Array::new());
}

/// Has the page's answers to wishes heard.
pub(crate) fn on_reply(listener: impl Fn(String, Option<RawPort>) + 'static) {
    ON_REPLY.set(Some(Rc::new(listener)));
}

/// The build whose worker this is; the page has written it into the worker's name.
pub(crate) fn build() -> String {
    scope().name().rsplit('/').next().unwrap_or_default().to_owned()
}

/// Answers each job, and says that it listens.
pub(crate) fn serve<Answering: Future<Output = Done> + 'static>(answer: impl Fn(Call) -> Answering + 'static) {
    let running: RefCell<BTreeMap<u32, Rc<Stopped>>> = RefCell::default();
    let (answer, running) = (Rc::new(answer), Rc::new(running));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        match message::from_page(&event.data().unchecked_into()) {
            FromPage::Stop { request } => {
                if let Some(stopped) = running.borrow().get(&request) {
                    stopped.stop();
                }
            }
            FromPage::Reply { text, port } => {
                if let Some(listener) = ON_REPLY.with_borrow(Clone::clone) {
                    listener(text, port.map(RawPort));
                }
            }
            FromPage::Job { request, job, pieces } => {
                let stopped = Rc::<Stopped>::default();
                running.borrow_mut().insert(request, Rc::clone(&stopped));
                let (answer, running) = (Rc::clone(&answer), Rc::clone(&running));
                spawn(async move {
                    let done = answer(Call { job, pieces, course: Course { request, stopped } }).await;
                    running.borrow_mut().remove(&request);
                    let reply = message::to_page(request, Kind::Answer, &done.answer);
                    let buffers = Array::new();
                    for piece in &done.pieces {
                        buffers.push(&piece.buffer());
                        reply.push(piece.array());
                    }
                    send(&reply, &buffers);
                });
            }
        }
    });
    let scope = scope();
    scope.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    // Said only once the lock is held: the page asks for the same lock as soon as it hears this.
    drop(tab_roles::hold(&scope.name(), Mode::Exclusive, || send(&LISTENING.into(), &Array::new())));
}

fn send(message: &JsValue, buffers: &Array) {
    scope().post_message_with_transfer(message, buffers).expect("texts and buffers can be sent");
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
