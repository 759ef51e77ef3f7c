//! Whole exports and verification, done by the core worker; what comes of them is saved, or shown.

use std::time::Duration;

use satchel_core::ids::ChatId;
use satchel_core::verify::{Hashed, Rerun};

use super::errand::{self, ErrandError};
use super::workspace::file_name;
use crate::browser::core_worker::{self, Answered, Post, WorkerError};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::{clipboard, clock, files};
use crate::core_worker::whole_export::{Errand, Outcome};
use crate::core_worker::{Answer, Job, Progress};

pub(crate) use crate::browser::files::{BrowserFile, picked};
pub(crate) use crate::core_worker::whole_export::{Exported, Shown, Taken};

/// How long after the start it is looked whether a reminder is due, so as not to be in anybody's way.
const QUIET: Duration = Duration::from_secs(20);

/// A chat that is exported or verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OneChat {
    /// The chat.
    pub(crate) id: ChatId,
    /// Its title, by which the file is called.
    pub(crate) title: String,
}

/// Hears how far something is.
pub(crate) type Told = Box<dyn Fn(Progress)>;

/// Exports a chat, or everything, to where the browser keeps downloads. Nothing comes of it where it was stopped.
pub(crate) async fn export(chat: Option<OneChat>, told: Told) -> Result<Option<Exported>, ErrandError> {
    let today = clock::now().to_string();
    let name = match &chat {
        Some(chat) => format!("{}.satchel.zip", file_name(&chat.title)),
        None => format!("satchel-{}.zip", &today[..10]),
    };
    let errand = Errand::Export { chat: chat.map(|chat| chat.id) };
    match run(Post::Screens, errand, Vec::new(), Some(told)).await? {
        (Outcome::Exported(exported), pieces) => {
            files::download_parts(&name, &pieces);
            Ok(Some(exported))
        }
        (Outcome::Stopped, _) => Ok(None),
        _ => Err(WorkerError::Misunderstood.into()),
    }
}

/// Checks an export and says what is in it. The worker holds it until it is taken in or put away.
pub(crate) async fn show(file: BrowserFile, told: Told) -> Result<Option<Shown>, ErrandError> {
    let bytes = file.raw_bytes().await.map_err(|error| ErrandError::Failed(error.to_string()))?;
    match run(Post::Screens, Errand::Show, vec![bytes], Some(told)).await? {
        (Outcome::Shown(shown), _) => Ok(Some(shown)),
        _ => Err(WorkerError::Misunderstood.into()),
    }
}

/// Takes in what was shown. Nothing comes of it where it was stopped.
pub(crate) async fn take(told: Told) -> Result<Option<Taken>, ErrandError> {
    match run(Post::Screens, Errand::Take, Vec::new(), Some(told)).await? {
        (Outcome::Taken(taken), _) => Ok(Some(taken)),
        (Outcome::Stopped, _) => Ok(None),
        _ => Err(WorkerError::Misunderstood.into()),
    }
}

/// Lets go of what was shown.
pub(crate) async fn forget() {
    // The next export takes its place anyway.
    run(Post::Screens, Errand::Forget, Vec::new(), None).await.ok();
}

/// Ends the check of an export: it cannot hear while it computes.
pub(crate) fn stop_showing() {
    core_worker::stop_all();
}

/// Hashes everything again. With it comes how many calls can be made once more.
pub(crate) async fn hash(chat: Option<OneChat>, told: Told) -> Result<Option<(Hashed, usize)>, ErrandError> {
    let errand = Errand::Hash { chat: chat.map(|chat| chat.id) };
    match run(Post::Screens, errand, Vec::new(), Some(told)).await? {
        (Outcome::Hashed { hashed, calls }, _) => Ok(Some((hashed, calls))),
        (Outcome::Stopped, _) => Ok(None),
        _ => Err(WorkerError::Misunderstood.into()),
    }
}

/// Makes Python calls once more, which their user has agreed to.
pub(crate) async fn rerun(chat: Option<OneChat>, told: Told) -> Result<Option<Vec<Rerun>>, ErrandError> {
    let errand = Errand::Rerun { chat: chat.map(|chat| chat.id) };
    match run(Post::Tools, errand, Vec::new(), Some(told)).await? {
        (Outcome::Rerun { reruns }, _) => Ok(Some(reruns)),
        _ => Err(WorkerError::Misunderstood.into()),
    }
}

/// Some time after the start, whether the user is to be reminded to export. What cannot be told is no reason to remind.
pub(crate) async fn is_reminder_due_when_quiet() -> bool {
    clock::wait(QUIET).await;
    let Ok(running) = core_worker::start_job(Post::Screens, &Job::Remind, Vec::new(), None) else { return false };
    matches!(running.end().await, Ok(Answered { answer: Answer::Responded { status: 200, .. }, .. }))
}

/// Saves a report as a text.
pub(crate) fn save_report(text: &str) {
    files::download("satchel-verification.txt", &RawBytes::from(text.as_bytes()));
}

/// Puts a report on the clipboard.
pub(crate) async fn copy_report(text: &str) -> Result<(), String> {
    clipboard::copy(text).await
}

async fn run(
    post: Post,
    errand: Errand,
    pieces: Vec<RawBytes>,
    told: Option<Told>,
) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    errand::run_with(post, |errand| Job::WholeExport { errand }, &errand, pieces, told).await
}
