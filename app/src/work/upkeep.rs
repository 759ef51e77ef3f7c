//! The upkeep of what is stored, done by the core worker.

use std::time::Duration;

use satchel_core::ids::ChatId;
use satchel_core::upkeep::Usage;
use satchel_core::workspace::Finding;

use super::errand::{self, ErrandError};
use crate::browser::core_worker::{self, Post, WorkerError};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::spawn::spawn;
use crate::browser::{clock, files};
use crate::core_worker::Job;
use crate::core_worker::upkeep::Errand;

pub(crate) use crate::core_worker::Progress;
pub(crate) use crate::core_worker::upkeep::{Broken, CheckReport, Outcome};

/// How long after the start the clean-up waits, so as not to be in anybody's way.
const QUIET: Duration = Duration::from_secs(30);

/// Checks everything; with `mend`, repairs it too. The worker stops when this is dropped before its end.
pub(crate) async fn check(mend: bool, on_progress: impl Fn(Progress) + 'static) -> Result<Outcome, ErrandError> {
    let errand = if mend { Errand::Mend } else { Errand::Check };
    let came = errand::run(|errand| Job::Upkeep { errand }, &errand, Some(Box::new(on_progress))).await;
    came.map(|(outcome, _)| outcome)
}

/// Saves what is left of something broken as a file.
pub(crate) async fn export(finding: Finding) -> Result<(), ErrandError> {
    match run(Errand::Export { finding }).await? {
        (Outcome::Exported { name }, pieces) => {
            let bytes = pieces.into_iter().next().ok_or(WorkerError::Misunderstood)?;
            files::download(&name, &bytes);
            Ok(())
        }
        _ => Err(WorkerError::Misunderstood.into()),
    }
}

/// Takes something broken away.
pub(crate) async fn remove(finding: Finding) -> Result<(), ErrandError> {
    run(Errand::Remove { finding }).await.map(drop)
}

/// Deletes a deleted chat for good, with what only it needed. One that was brought back meanwhile stays.
pub(crate) async fn purge(chat: ChatId) -> Result<(), ErrandError> {
    run(Errand::Purge { chat }).await.map(drop)
}

/// What takes how much room.
pub(crate) async fn usage() -> Result<Usage, ErrandError> {
    match run(Errand::Count).await? {
        (Outcome::Counted(usage), _) => Ok(usage),
        _ => Err(WorkerError::Misunderstood.into()),
    }
}

/// Some time after the start, frees what nobody can bring back any more.
pub(crate) fn clean_up_when_quiet() {
    spawn(async {
        clock::wait(QUIET).await;
        // What was not freed now is freed after another start; nobody waits for it.
        if let Ok(running) = core_worker::start_job(Post::Screens, &Job::CleanUp, Vec::new(), None) {
            running.end().await.ok();
        }
    });
}

async fn run(errand: Errand) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    errand::run(|errand| Job::Upkeep { errand }, &errand, None).await
}
