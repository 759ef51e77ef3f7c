//! The upkeep of what is stored, done by the core worker.

use std::time::Duration;

use satchel_core::upkeep::Usage;
use satchel_core::workspace::Finding;

use crate::browser::core_worker::{self, Answered, Post, WorkerError};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::spawn::spawn;
use crate::browser::{clock, files};
use crate::core_worker::upkeep::Errand;
use crate::core_worker::{Answer, Job};

pub(crate) use crate::core_worker::Progress;
pub(crate) use crate::core_worker::upkeep::{Broken, CheckReport, Outcome};

/// How long after the start the clean-up waits, so as not to be in anybody's way.
const QUIET: Duration = Duration::from_secs(30);

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UpkeepError {
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("{0}")]
    Failed(String),
}

/// Checks everything; with `mend`, repairs it too. The worker stops when this is dropped before its end.
pub(crate) async fn check(mend: bool, on_progress: impl Fn(Progress) + 'static) -> Result<Outcome, UpkeepError> {
    let errand = if mend { Errand::Mend } else { Errand::Check };
    let running = core_worker::start_job(Post::Screens, &job(&errand), Vec::new(), Some(Box::new(on_progress)))?;
    understood(running.end().await?).map(|(outcome, _)| outcome)
}

/// Saves what is left of something broken as a file.
pub(crate) async fn export(finding: Finding) -> Result<(), UpkeepError> {
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
pub(crate) async fn remove(finding: Finding) -> Result<(), UpkeepError> {
    run(Errand::Remove { finding }).await.map(drop)
}

/// What takes how much room.
pub(crate) async fn usage() -> Result<Usage, UpkeepError> {
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

async fn run(errand: Errand) -> Result<(Outcome, Vec<RawBytes>), UpkeepError> {
    understood(core_worker::start_job(Post::Screens, &job(&errand), Vec::new(), None)?.end().await?)
}

fn job(errand: &Errand) -> Job {
    Job::Upkeep { errand: serde_json::to_string(errand).expect("an errand is JSON") }
}

fn understood(answered: Answered) -> Result<(Outcome, Vec<RawBytes>), UpkeepError> {
    let Answer::Kept { outcome } = answered.answer else { return Err(WorkerError::Misunderstood.into()) };
    match serde_json::from_str(&outcome).map_err(|_unreadable| WorkerError::Misunderstood)? {
        Outcome::Failed { reason } => Err(UpkeepError::Failed(reason)),
        outcome => Ok((outcome, answered.pieces)),
    }
}
