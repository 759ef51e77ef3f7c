//! What page and worker write to each other: an array of the request's number, the kind of message, a JSON text, and bytes.

use js_sys::Array;
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};

use crate::browser::raw_bytes::RawBytes;
use crate::core_worker::{Answer, Job, Progress};

/// The worker's first word.
pub(super) const LISTENING: &str = "listening";

/// What a message is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Job,
    Stop,
    Progress,
    Answer,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Stop => "stop",
            Self::Progress => "progress",
            Self::Answer => "answer",
        }
    }
}

/// What the worker hears.
pub(super) enum FromPage {
    Job { request: u32, job: Job, pieces: Vec<Vec<u8>> },
    Stop { request: u32 },
}

/// What the page hears.
pub(super) enum FromWorker {
    Listening,
    Progress { request: u32, progress: Progress },
    Answer { request: u32, answer: Answer, pieces: Vec<RawBytes> },
}

/// A job, with its bytes still to be added.
pub(super) fn job(request: u32, job: &Job) -> Array {
    write(request, Kind::Job, job)
}

/// That a job is no longer wanted.
pub(super) fn stop(request: u32) -> Array {
    write(request, Kind::Stop, &())
}

/// A word of the worker, with its bytes still to be added.
pub(super) fn to_page(request: u32, kind: Kind, content: &impl Serialize) -> Array {
    write(request, kind, content)
}

/// Reads what the page wrote.
pub(super) fn from_page(message: &Array) -> FromPage {
    let request = number(&message.get(0));
    if message.get(1).as_string().as_deref() == Some(Kind::Stop.word()) {
        return FromPage::Stop { request };
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
    if message.get(1).as_string()? == Kind::Progress.word() {
        return Some(FromWorker::Progress { request, progress: text(&message.get(2))? });
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
