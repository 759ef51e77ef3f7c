//! The worker's end of the core worker: takes jobs, lets them run side by side, and sends what becomes of them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::message::{self, FromPage, Kind, LISTENING};
use crate::browser::spawn::spawn;
use crate::browser::tab_roles::{self, Mode};
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
    pub(crate) pieces: Vec<Vec<u8>>,
}

/// How a job and the page that asked for it speak while it runs.
pub(crate) struct Course {
    request: u32,
    stopped: Rc<Cell<bool>>,
}

impl Course {
    /// Tells the page how far the job has come.
    pub(crate) fn tell(&self, progress: Progress) {
        send(&message::to_page(self.request, Kind::Progress, &progress), &Array::new());
    }

    /// Whether the page no longer wants it. It can be known only after something was waited for.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.get()
    }
}

/// Answers each job, and says that it listens.
pub(crate) fn serve<Answering: Future<Output = Done> + 'static>(answer: impl Fn(Call) -> Answering + 'static) {
    let running: RefCell<BTreeMap<u32, Rc<Cell<bool>>>> = RefCell::default();
    let (answer, running) = (Rc::new(answer), Rc::new(running));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        match message::from_page(&event.data().unchecked_into()) {
            FromPage::Stop { request } => {
                if let Some(stopped) = running.borrow().get(&request) {
                    stopped.set(true);
                }
            }
            FromPage::Job { request, job, pieces } => {
                let stopped = Rc::new(Cell::new(false));
                running.borrow_mut().insert(request, Rc::clone(&stopped));
                let (answer, running) = (Rc::clone(&answer), Rc::clone(&running));
                spawn(async move {
                    let done = answer(Call { job, pieces, course: Course { request, stopped } }).await;
                    running.borrow_mut().remove(&request);
                    let reply = message::to_page(request, Kind::Answer, &done.answer);
                    let buffers = Array::new();
                    for piece in &done.pieces {
                        let bytes = Uint8Array::from(piece.as_slice());
                        buffers.push(&bytes.buffer());
                        reply.push(&bytes);
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
