//! What page and worker write to each other: an array of the request's number, the kind of message, a JSON text, and bytes.

use js_sys::Array;
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessagePort;

use crate::browser::raw_bytes::RawBytes;
use crate::core_worker::{Answer, Job, Progress};

/// The worker's first word.
pub(super) const LISTENING: &str = "listening";
/// The last wish of a worker that has ended, which the page says in its place; a [`Wish`](crate::core_worker::Wish).
pub(super) const ENDED: &str = "{\"type\":\"ended\"}";

/// What a message is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Job,
    Stop,
    Reply,
    Progress,
    Answer,
    Wish,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Stop => "stop",
            Self::Reply => "reply",
            Self::Progress => "progress",
            Self::Answer => "answer",
            Self::Wish => "wish",
        }
    }
}

/// What the worker hears.
pub(super) enum FromPage {
    Job { request: u32, job: Job, pieces: Vec<Vec<u8>> },
    Stop { request: u32 },
    Reply { text: String, port: Option<MessagePort> },
}

/// What the page hears.
pub(super) enum FromWorker {
    Listening,
    Progress { request: u32, progress: Progress },
    Answer { request: u32, answer: Answer, pieces: Vec<RawBytes> },
    Wish(String),
}

/// A job, with its bytes still to be added.
pub(super) fn job(request: u32, job: &Job) -> Array {
    write(request, Kind::Job, job)
}

/// That a job is no longer wanted.
pub(super) fn stop(request: u32) -> Array {
    write(request, Kind::Stop, &())
}

/// What the page answers to a wish, which is JSON already; the port is still to be added.
pub(super) fn reply(text: &str) -> Array {
    let parts: [JsValue; 3] = [0.into(), Kind::Reply.word().into(), text.into()];
    parts.iter().collect()
}

/// A word of the worker, with its bytes still to be added.
pub(super) fn to_page(request: u32, kind: Kind, content: &impl Serialize) -> Array {
    write(request, kind, content)
}

/// Reads what the page wrote.
pub(super) fn from_page(message: &Array) -> FromPage {
    let request = number(&message.get(0));
    let kind = message.get(1).as_string();
    if kind.as_deref() == Some(Kind::Stop.word()) {
        return FromPage::Stop { request };
    }
    if kind.as_deref() == Some(Kind::Reply.word()) {
        let text = message.get(2).as_string().unwrap_or_default();
        return FromPage::Reply { text, port: message.get(3).dyn_into().ok() };
    }
    let job = text(&message.get(2)).expect("page and worker are of one build, so a job always reads");
    FromPage::Job { request, job, pieces: pieces(message).iter().map(RawBytes::to_vec).collect() }
}

/// Reads what the worker wrote; nothing where it is none of its words.
pub(super) fn from_worker(message: &JsValue) -> Option<FromWorker> {
    if message.as_string().as_deref() == Some(LISTENING) {
        return Some(FromWorker::Listening);
    }
    let message: &Array = message.dyn_ref()?;
    let request = number(&message.get(0));
    let kind = message.get(1).as_string()?;
    if kind == Kind::Progress.word() {
        return Some(FromWorker::Progress { request, progress: text(&message.get(2))? });
    }
    if kind == Kind::Wish.word() {
        return Some(FromWorker::Wish(message.get(2).as_string()?));
    }
    Some(FromWorker::Answer { request, answer: text(&message.get(2))?, pieces: pieces(message) })
}

fn write(request: u32, kind: Kind, content: &impl Serialize) -> Array {
    let content = serde_json::to_string(content).expect("jobs and answers are JSON");
    let parts: [JsValue; 3] = [request.into(), kind.word().into(), content.into()];
    parts.iter().collect()
}

fn text<T: serde::de::DeserializeOwned>(value: &JsValue) -> Option<T> {
    serde_json::from_str(&value.as_string()?).ok()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was written as a u32 by the other end")]
fn number(value: &JsValue) -> u32 {
    value.as_f64().unwrap_or_default() as u32
}

fn pieces(message: &Array) -> Vec<RawBytes> {
    message.iter().skip(3).map(|piece| RawBytes::of_array(piece.unchecked_into())).collect()
}
