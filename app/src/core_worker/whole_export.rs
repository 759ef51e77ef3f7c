//! Whole exports, out and in, and the verification of what is here: done by the worker, piece by piece.

use std::cell::RefCell;

use satchel_core::ids::ChatId;
use satchel_core::local_api::Response;
use satchel_core::store::StoreError;
use satchel_core::time::Timestamp;
use satchel_core::tool_run::Rerunner;
use satchel_core::verify::{self, Hashed, Rerun};
use satchel_core::whole_export::{
    self, Contents, Extent, Kind, Opened, PackError, Refusal, TakeError, WholeExportLimits,
};
use satchel_core::workspace::ReadError;
use serde::{Deserialize, Serialize};

use super::python::Python;
use super::{Progress, errand, store, surroundings};
use crate::browser::core_worker::scope::{Course, Done};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_news::{self, Topic};
use crate::browser::{clock, random};
use crate::work::store::AppStore;
use crate::work::{self, settings};

/// An export leaves the worker's memory in pieces of about this size.
const PIECE_BYTES: usize = 4 << 20;

thread_local! {
    /// The export that was shown, until it is taken in or put away.
    static SHOWN: RefCell<Option<Opened>> = const { RefCell::new(None) };
}

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub(crate) enum Errand {
    /// Export a chat, or everything.
    Export {
        /// The chat.
        chat: Option<ChatId>,
    },
    /// Check an export, which is the one piece, hold it, and say what is in it.
    Show,
    /// Take in what was shown.
    Take,
    /// Let go of what was shown.
    Forget,
    /// Hash everything of a chat, or everything, again.
    Hash {
        /// The chat.
        chat: Option<ChatId>,
    },
    /// Make the Python calls of a chat, or all, once more.
    Rerun {
        /// The chat.
        chat: Option<ChatId>,
    },
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The export is the pieces of the answer.
    Exported(Exported),
    /// What is in an export.
    Shown(Shown),
    /// What was taken in.
    Taken(Taken),
    /// What was hashed again.
    Hashed {
        /// What was found.
        hashed: Hashed,
        /// How many calls can be made once more.
        calls: usize,
    },
    /// What was run again.
    Rerun {
        /// The calls.
        reruns: Vec<Rerun>,
    },
    /// It is done.
    Done,
    /// The user stopped it.
    Stopped,
}

/// An export that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exported {
    pub(crate) chats: usize,
    pub(crate) toolsets: usize,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// Files that are damaged or gone on this device, so that it does not have them.
    pub(crate) lacks: usize,
    /// Rows that cannot be read, so that it does not have them.
    pub(crate) left_out: usize,
}

/// An export that may be taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) is_everything: bool,
    pub(crate) changed_at: Timestamp,
    pub(crate) app_version: String,
    /// The titles of its chats.
    pub(crate) chats: Vec<String>,
    pub(crate) messages: usize,
    pub(crate) tool_calls: usize,
    /// The names and versions of its toolsets.
    pub(crate) toolsets: Vec<String>,
    pub(crate) servers: usize,
    pub(crate) settings: usize,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) lacks: usize,
}

/// What an import came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Taken {
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) revived: usize,
    pub(crate) files: usize,
    /// Whether settings may have come, which this page has read already.
    pub(crate) has_settings: bool,
}

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
enum ErrandError {
    #[error(transparent)]
    Pack(#[from] PackError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Take(#[from] TakeError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the export is no longer held open; choose it again")]
    Forgotten,
}

/// Runs an errand.
pub(super) async fn run(errand: &str, pieces: Vec<Vec<u8>>, course: &Course) -> Done {
    errand::run_raw(errand, async |errand| attempt(errand, pieces, course).await).await
}

/// Whether the user is to be reminded to export. What cannot be told is no reason to remind.
pub(super) async fn remind() -> Response {
    let is_due = async {
        let store = store::open().await?;
        // Who has left sync, or was never in it, has nothing but this device.
        if work::sync::choice(AppStore::Kept(store.clone())).await.is_on {
            return Ok(false);
        }
        whole_export::remind(&store, clock::now()).await
    };
    match is_due.await {
        Ok(true) => Response { status: 200, headers: Vec::new(), body: Vec::new() },
        Ok(false) | Err(_) => Response::no_content(),
    }
}

async fn attempt(
    errand: Errand,
    mut pieces: Vec<Vec<u8>>,
    course: &Course,
) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    let outcome = match errand {
        Errand::Export { chat } => return export(&extent(chat), course).await,
        Errand::Show => show(pieces.pop().unwrap_or_default(), course)?,
        Errand::Take => take(course).await?,
        Errand::Forget => {
            SHOWN.set(None);
            Outcome::Done
        }
        Errand::Hash { chat } => hash(&extent(chat), course).await?,
        Errand::Rerun { chat } => rerun(&extent(chat), course).await?,
    };
    Ok((outcome, Vec::new()))
}

fn extent(chat: Option<ChatId>) -> Extent {
    chat.map_or(Extent::All, Extent::Chat)
}

/// Tells now and then how far something is; whether it goes on.
fn go_on(course: &Course, done: u64, total: u64) -> bool {
    if done.is_multiple_of(16) {
        course.tell(Progress { done, total });
    }
    !course.is_stopped()
}

async fn export(extent: &Extent, course: &Course) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    let store = store::open().await?;
    let began = clock::now();
    let (mut pieces, mut waiting, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut sink = |mut piece: Vec<u8>| {
        bytes += piece.len() as u64;
        waiting.append(&mut piece);
        if waiting.len() >= PIECE_BYTES {
            pieces.push(RawBytes::from(waiting.as_slice()));
            waiting.clear();
        }
    };
    let version = env!("CARGO_PKG_VERSION");
    let going = |packing: whole_export::Packing| go_on(course, packing.done, packing.of);
    let packed = whole_export::pack(&store, extent, version, &mut sink, &going).await?;
    let Some(packed) = packed else { return Ok((Outcome::Stopped, Vec::new())) };
    pieces.push(RawBytes::from(waiting.as_slice()));
    if *extent == Extent::All {
        whole_export::note_export(&store, began).await?;
    }
    let exported = Exported {
        chats: packed.chats,
        toolsets: packed.toolsets,
        files: packed.files,
        bytes,
        lacks: packed.about.lacks.len(),
        left_out: packed.left_out.len(),
    };
    Ok((Outcome::Exported(exported), pieces))
}

fn show(bytes: Vec<u8>, course: &Course) -> Result<Outcome, ErrandError> {
    // More often than this nobody sees a difference.
    const STEP: u64 = 1 << 20;
    SHOWN.set(None);
    let mut told = 0;
    let opened = Opened::open(bytes, &WholeExportLimits::default(), &mut |done, total| {
        if done >= told + STEP {
            told = done;
            course.tell(Progress { done, total });
        }
    })?;
    let Contents { about, chats, messages, tool_calls, toolsets, servers, settings, files, bytes } = opened.contents();
    SHOWN.set(Some(opened));
    Ok(Outcome::Shown(Shown {
        is_everything: about.kind == Kind::All,
        changed_at: about.created,
        app_version: about.app_version,
        chats: chats.into_iter().map(|chat| chat.title).collect(),
        messages,
        tool_calls,
        toolsets: toolsets.into_iter().map(|toolset| format!("{} {}", toolset.name, toolset.version)).collect(),
        servers,
        settings,
        files,
        bytes,
        lacks: about.lacks.len(),
    }))
}

async fn take(course: &Course) -> Result<Outcome, ErrandError> {
    let opened = SHOWN.take().ok_or(ErrandError::Forgotten)?;
    let store = store::open().await?;
    let going = |taking: whole_export::Taking| go_on(course, taking.done, taking.of);
    let taken = whole_export::take(&store, &opened, &clock::now, &going).await;
    let has_settings = opened.contents().settings > 0;
    let Some(whole_export::Taken { added, changed, revived, files, chats: _ }) = taken.inspect_err(|_| {
        // After a failure the user may try again, with more room.
        SHOWN.set(Some(opened));
    })?
    else {
        return Ok(Outcome::Stopped);
    };
    for topic in [Topic::Chats, Topic::Toolsets, Topic::Servers] {
        tab_news::tell(topic);
    }
    Ok(Outcome::Taken(Taken { added, changed, revived, files, has_settings }))
}

async fn hash(extent: &Extent, course: &Course) -> Result<Outcome, ErrandError> {
    let store = store::open().await?;
    let Some(hashed) = verify::rehash(&store, extent, |checked| go_on(course, checked.blobs, checked.of)).await? else {
        return Ok(Outcome::Stopped);
    };
    let surroundings = surroundings::known(&store, Vec::new()).await;
    let limits = settings::limits(&store).await?.run();
    let python = Python::new(&store, course);
    let rerunner = Rerunner {
        store: &store,
        python: &python,
        surroundings: &surroundings,
        limits: &limits,
        fresh_id: &random::uuid_v7,
    };
    let mut calls = 0;
    for call in verify::calls(&store, extent).await? {
        calls += usize::from(rerunner.obstacle(&call).await?.is_none());
    }
    Ok(Outcome::Hashed { hashed, calls })
}

async fn rerun(extent: &Extent, course: &Course) -> Result<Outcome, ErrandError> {
    let store = store::open().await?;
    let surroundings = surroundings::known(&store, Vec::new()).await;
    let limits = settings::limits(&store).await?.run();
    let python = Python::new(&store, course);
    let rerunner = Rerunner {
        store: &store,
        python: &python,
        surroundings: &surroundings,
        limits: &limits,
        fresh_id: &random::uuid_v7,
    };
    let calls = verify::calls(&store, extent).await?;
    let going = |done, total| {
        course.tell(Progress { done, total });
        !course.is_stopped()
    };
    let reruns = verify::rerun(&rerunner, &calls, going).await?;
    Ok(Outcome::Rerun { reruns })
}
