//! The core worker: the same core, in a thread of its own, for work that would hold up the page.
//!
//! Both ends live in this crate. This file is what runs in the worker; `browser/core_worker.rs` is the page's end.
//! A job is a small JSON text, the bytes it works on travel beside it.

use satchel_core::digest::BlobId;
use serde::{Deserialize, Serialize};

use crate::browser::core_worker::serve;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Job {
    /// The name of each piece of bytes.
    Hash,
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Answer {
    /// To [`Job::Hash`]: the names, in the order of the pieces.
    Hashed {
        /// The names.
        ids: Vec<BlobId>,
    },
}

/// Serves jobs until the worker ends.
pub(crate) fn run() {
    serve(do_job);
}

fn do_job(job: &Job, pieces: &[Vec<u8>]) -> Answer {
    match job {
        Job::Hash => Answer::Hashed { ids: pieces.iter().map(|piece| BlobId::of(piece)).collect() },
    }
}
