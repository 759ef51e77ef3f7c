//! `/local/…`: the app's own screens call [`call`]; what a script in the page fetches comes by the service worker to the same place.
//!
//! The core worker answers, over its own connection to the store. Nothing but this page can reach it.

use std::cell::RefCell;

use satchel_core::digest::BlobId;
use satchel_core::local_api::{Code, RefusalBody, Response, runs_tools};
use satchel_core::protocol::Capability;
use satchel_core::saved::Management;
use satchel_core::store::Store as _;
use serde::de::DeserializeOwned;

use super::store::AppStore;
use crate::browser::core_worker::{self, Post, Running, WorkerError};
use crate::browser::local_relay::{self, Relayed, Reply};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_news::{self, Topic};
use crate::core_worker::{Answer, Job, Progress};

/// Why a request was not done, in words for its user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct LocalApiError {
    message: String,
    is_not_found: bool,
}

impl LocalApiError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_not_found: false }
    }

    /// Whether it is that there is no such thing.
    pub(crate) fn is_not_found(&self) -> bool {
        self.is_not_found
    }
}

/// What an answer is made of.
pub(crate) struct Answered {
    status: u16,
    headers: Vec<(String, String)>,
    body: RawBytes,
}

thread_local! {
    /// What the connected server can do; the worker cannot know.
    static CAPABILITIES: RefCell<Vec<Capability>> = const { RefCell::new(Vec::new()) };
}

pub(super) const NOT_KEPT: &str =
    "this tab saves nothing, because you continued without storage; toolsets and the local API need it";

/// Says what the connected server can do.
pub(crate) fn set_capabilities(capabilities: Vec<Capability>) {
    CAPABILITIES.set(capabilities);
}

/// What the connected server can do.
pub(crate) fn capabilities() -> Vec<Capability> {
    CAPABILITIES.with_borrow(Clone::clone)
}

/// Answers what the service worker hands on from scripts in this page, for as long as it lives.
pub(crate) fn serve(store: &AppStore) {
    let is_kept = matches!(store, AppStore::Kept(_));
    local_relay::serve(move |Relayed { method, path, query, body }| async move {
        // A run must not end because a check of something else is stopped.
        let post = if runs_tools(&path) { Post::Tools } else { Post::Screens };
        let changes = (method != "GET").then(|| topic(&path)).flatten();
        let answered = if is_kept {
            ask(post, request(&method, &path, &query), body).await
        } else {
            Ok(Answered::from(Response::refused(Code::NotAvailable, NOT_KEPT)))
        };
        let answered = answered.unwrap_or_else(|error| Response::refused(Code::StorageClosed, &error.message).into());
        if let Some(topic) = changes.filter(|_| answered.status < 300) {
            // No screen of this tab knows of it.
            tab_news::tell_every_tab(topic);
        }
        Reply { status: answered.status, headers: answered.headers, body: answered.body }
    });
}

/// Calls the API from a screen.
pub(crate) async fn call(store: &AppStore, method: &str, path: &str, body: &str) -> Result<Answered, LocalApiError> {
    run(store, request(method, path, ""), vec![RawBytes::from(body.as_bytes())], None).await
}

/// Reads from the API for a screen.
pub(crate) async fn get(store: &AppStore, path: &str, query: &str) -> Result<Answered, LocalApiError> {
    run(store, request("GET", path, query), Vec::new(), None).await
}

/// Calls a tool for a screen, in the worker that runs tools.
pub(crate) async fn call_tool(store: &AppStore, path: &str, body: &str) -> Result<Answered, LocalApiError> {
    match store {
        AppStore::Kept(_) => {
            let pieces = vec![RawBytes::from(body.as_bytes())];
            start(Post::Tools, &request("POST", path, ""), pieces, None)?.succeed().await
        }
        AppStore::InMemory(_) => Err(LocalApiError::new(NOT_KEPT)),
    }
}

/// Has the worker do a job that is answered as the API answers; a refusal is an error. `on_progress` hears how far it has come.
pub(crate) async fn run(
    store: &AppStore,
    job: Job,
    pieces: Vec<RawBytes>,
    on_progress: Option<Box<dyn Fn(Progress)>>,
) -> Result<Answered, LocalApiError> {
    match store {
        AppStore::Kept(_) => start(Post::Screens, &job, pieces, on_progress)?.succeed().await,
        AppStore::InMemory(_) => Err(LocalApiError::new(NOT_KEPT)),
    }
}

/// Has the worker pack files. It reads them by itself, unless only the page has them.
pub(crate) async fn pack(store: &AppStore, files: Vec<(String, BlobId)>) -> Result<Answered, LocalApiError> {
    let pieces = match store {
        AppStore::Kept(_) => Vec::new(),
        AppStore::InMemory(_) => {
            let mut pieces = Vec::with_capacity(files.len());
            for (_, id) in &files {
                let bytes = store
                    .blob(*id)
                    .await
                    .map_err(|error| LocalApiError { message: error.to_string(), is_not_found: false })?;
                pieces.push(RawBytes::from(bytes.unwrap_or_default().as_slice()));
            }
            pieces
        }
    };
    start(Post::Screens, &Job::Pack { files }, pieces, None)?.succeed().await
}

fn request(method: &str, path: &str, query: &str) -> Job {
    Job::Request { method: method.into(), path: path.into(), query: query.into(), capabilities: capabilities() }
}

async fn ask(post: Post, job: Job, body: RawBytes) -> Result<Answered, LocalApiError> {
    start(post, &job, vec![body], None)?.end().await
}

fn start(
    post: Post,
    job: &Job,
    pieces: Vec<RawBytes>,
    on_progress: Option<Box<dyn Fn(Progress)>>,
) -> Result<Started, LocalApiError> {
    Ok(Started(core_worker::start_job(post, job, pieces, on_progress)?))
}

struct Started(Running);

impl Started {
    async fn end(self) -> Result<Answered, LocalApiError> {
        let core_worker::Answered { answer, mut pieces } = self.0.end().await?;
        match answer {
            Answer::Responded { status, headers } => {
                Ok(Answered { status, headers, body: pieces.pop().unwrap_or_else(|| RawBytes::from(&[][..])) })
            }
            Answer::Hashed { .. } | Answer::Kept { .. } => Err(WorkerError::Misunderstood.into()),
        }
    }

    async fn succeed(self) -> Result<Answered, LocalApiError> {
        let answered = self.end().await?;
        if answered.status < 300 {
            return Ok(answered);
        }
        let RefusalBody { error } = answered.json()?;
        Err(LocalApiError { is_not_found: error.code == Code::NotFound, message: error.message })
    }
}

impl Answered {
    /// Its body, read as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, LocalApiError> {
        serde_json::from_slice(&self.body.to_vec())
            .map_err(|error| LocalApiError::new(format!("the answer cannot be read ({error}); reload the page")))
    }

    /// Its body, left where it is.
    pub(crate) fn body(&self) -> &RawBytes {
        &self.body
    }
}

impl From<Response> for Answered {
    fn from(response: Response) -> Self {
        let headers = response.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { status: response.status, headers, body: RawBytes::from(response.body.as_slice()) }
    }
}

impl From<WorkerError> for LocalApiError {
    fn from(error: WorkerError) -> Self {
        Self::new(format!("{error}; try again"))
    }
}

/// What a successful request that is no GET has changed.
fn topic(path: &str) -> Option<Topic> {
    let is_below =
        |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if runs_tools(path) {
        // What came of a call is told by whoever ran it. Only the tools that manage toolsets change any.
        let tool = path.rsplit('/').next().unwrap_or_default();
        Management::of_name(tool).map(|_| Topic::Toolsets)
    } else if is_below("/local/toolsets") || is_below("/local/tools") || is_below("/local/saved-toolsets") {
        Some(Topic::Toolsets)
    } else if is_below("/local/chats") {
        Some(Topic::Chats)
    } else {
        None
    }
}
