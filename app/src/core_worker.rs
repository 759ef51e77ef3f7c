//! The core worker: core in a thread of its own, for work that would hold up the page.
//!
//! Both ends live in this crate. This file is what both know: the jobs and their answers. `core_worker/` is what runs in the
//! worker, `browser/core_worker.rs` the page's end. A job is a small JSON text; the bytes it works on, and those it makes,
//! travel beside it. The worker has a connection to the store of its own, so that what it reads and writes never passes the
//! page.

pub(crate) mod answering;
mod bundle;
mod errand;
pub(crate) mod examples;
mod http_tools;
mod jobs;
mod left_runs;
mod left_turns;
mod mcp;
mod pack;
pub(crate) mod packages;
mod page_model;
mod python;
pub(crate) mod search;
mod selection;
mod shown_run;
mod store;
mod surroundings;
pub(crate) mod sync;
pub(crate) mod tables;
mod turns;
pub(crate) mod upkeep;
pub(crate) mod whole_export;
pub(crate) mod wish;

use satchel_core::digest::BlobId;
use satchel_core::ids::ChatId;
use satchel_core::protocol::Capability;
use satchel_core::record::SourceType;
use serde::{Deserialize, Serialize};

use crate::browser::core_worker::scope;
use crate::work::selection::Chosen;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Job {
    /// The name of each piece of bytes.
    Hash,
    /// Packs files into a ZIP; the pieces are their bytes, or there are none and the worker reads them.
    Pack {
        /// The names in the ZIP, and what is under them.
        files: Vec<(String, BlobId)>,
    },
    /// Upkeep of what is stored.
    Upkeep {
        /// An [`Errand`](upkeep::Errand), as text: the page's first part carries no code to read or write it.
        errand: String,
    },
    /// Whole exports, out and in, and verification.
    WholeExport {
        /// An [`Errand`](whole_export::Errand), as text, for the same reason.
        errand: String,
    },
    /// The Python packages of toolsets.
    Packages {
        /// An [`Errand`](packages::Errand), as text, for the same reason.
        errand: String,
    },
    /// The toolsets that come with the app.
    Examples {
        /// An [`Errand`](examples::Errand), as text, for the same reason.
        errand: String,
    },
    /// Finding anything.
    Search {
        /// An [`Errand`](search::Errand), as text, for the same reason.
        errand: String,
    },
    /// Tables that are too long for the page.
    Table {
        /// An [`Errand`](tables::Errand), as text, for the same reason.
        errand: String,
    },
    /// Whether a value fits a schema. The one piece is both, `[schema, value]`; the answer's piece is a
    /// [`Checked`](satchel_core::form::Checked).
    Fit,
    /// What a chat can choose from; or, of what is chosen, how many tools and tokens that comes to.
    Selection {
        /// What is chosen, as a chat keeps it.
        chosen: Option<Chosen>,
        /// The saved toolset that is equipped.
        equipped: Option<String>,
        /// The tools of that which were seen.
        known: Option<Chosen>,
        /// What the connected server can do.
        capabilities: Vec<Capability>,
    },
    /// Says whether the user is to be reminded to export: 200, else 204.
    Remind,
    /// Frees what nobody can bring back any more.
    CleanUp,
    /// A request to the local API; the one piece is its body.
    Request {
        /// The method, in upper case.
        method: String,
        /// The path, from `/local` on.
        path: String,
        /// What follows the `?`.
        query: String,
        /// What the connected server can do.
        capabilities: Vec<Capability>,
    },
    /// Opens a bundle, holds it, and shows what installing it would do. One piece is a ZIP or a manifest; with paths, each is a
    /// file of a folder.
    ShowBundle {
        /// Where each piece is in the folder.
        paths: Option<Vec<String>>,
    },
    /// Installs the bundle that was shown last.
    InstallBundle {
        /// Its package, as it was shown.
        package: String,
        /// What kind of place it came from.
        source_type: SourceType,
        /// The file, folder or address.
        source_ref: String,
        /// Whether it may take the place of other contents.
        replace: bool,
    },
    /// Lets go of the bundle that was shown last.
    ForgetBundle,
    /// Answers what was said in a chat. The outcome is told in the end; what comes meanwhile is news.
    Answer {
        /// An [`AnswerOrder`](answering::AnswerOrder), as text.
        order: String,
    },
    /// Stops the answer of a chat. What has come of it is kept.
    StopAnswer {
        /// The chat.
        chat: ChatId,
    },
    /// Has Python loaded, where tools are installed that will want it.
    WarmUp {
        /// Whether the device has so little memory that no cage is kept in reserve.
        is_small: bool,
    },
    /// Tells the server which MCP servers are wanted, and follows how they are doing, from now on and for all tabs.
    FollowServers,
    /// Sync with the account's other devices.
    Sync {
        /// An [`Errand`](sync::Errand), as text, for the same reason.
        errand: String,
    },
    /// Stops a run; what it has changed is dropped.
    StopRun {
        /// The call.
        call: String,
    },
    /// Asks a model in the page, outside of any chat. The one piece is the request, in OpenAI's shape; the answer's piece is what a
    /// server would have streamed.
    AskPageModel {
        /// Its name.
        model: String,
    },
    /// Tries every way out of a fresh cage. The answer's piece is a report.
    CheckCage {
        /// The address that is tried.
        target: String,
    },
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// To [`Job::Hash`]: the names, in the order of the pieces.
    Hashed {
        /// The names.
        ids: Vec<BlobId>,
    },
    /// To [`Job::Upkeep`], [`Job::WholeExport`], [`Job::CleanUp`], [`Job::Packages`], [`Job::Examples`], [`Job::Search`], [`Job::Table`], [`Job::Sync`] and
    /// [`Job::Answer`].
    Kept {
        /// An [`Outcome`](upkeep::Outcome) of upkeep, of [whole exports](whole_export::Outcome), of [packages](packages::Outcome), of [examples](examples::Outcome), of a
        /// [search](search::Outcome), of a [table](tables::Outcome) or of [sync](sync::Outcome), or an [`Answered`](answering::Answered), as text.
        outcome: String,
    },
    /// To everything else: an answer of the local API, with its body as the one piece.
    Responded {
        /// The status of HTTP.
        status: u16,
        /// The headers.
        headers: Vec<(String, String)>,
    },
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
    python::listen();
    scope::serve(jobs::answer);
}
