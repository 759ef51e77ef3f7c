//! The core worker: core in a thread of its own, for work that would hold up the page.
//!
//! Both ends live in this crate. This file is what both know: the jobs and their answers. `core_worker/` is what runs in the
//! worker, `browser/core_worker.rs` the page's end. A job is a small JSON text; the bytes it works on, and those it makes,
//! travel beside it. The worker has a connection to the store of its own, so that what it reads and writes never passes the
//! page.

mod jobs;
mod store;
pub(crate) mod upkeep;

use satchel_core::digest::BlobId;
use serde::{Deserialize, Serialize};

use self::upkeep::{Errand, Outcome};
use crate::browser::core_worker::scope;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Job {
    /// The name of each piece of bytes.
    Hash,
    /// Upkeep of what is stored.
    Upkeep(Errand),
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
    /// To [`Job::Upkeep`].
    Kept(Outcome),
}

/// How far a long job has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// What is done.
    pub(crate) done: u64,
    /// Of how much; nothing while that is not known.
    pub(crate) total: u64,
}

/// Serves jobs until the worker ends.
pub(crate) fn run() {
    scope::serve(jobs::answer);
}
