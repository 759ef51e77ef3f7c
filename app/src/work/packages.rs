//! The Python packages of toolsets, as the page asks the core worker for them.

use satchel_core::record::PackageId;

use crate::browser::core_worker::{self, Post, WorkerError};
use crate::browser::spawn::spawn;
use crate::core_worker::packages::{Errand, Outcome};
use crate::core_worker::{Answer, Job};

pub(crate) use crate::core_worker::packages::{Overview, ToolsetLine, WheelLine};

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackagesError {
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("{0}")]
    Failed(String),
}

/// How things stand, with all toolsets or with one.
pub(crate) async fn overview(toolset: Option<String>) -> Result<Overview, PackagesError> {
    match run(Errand::Overview { toolset }).await? {
        Outcome::Overview(overview) => Ok(overview),
        Outcome::Looked { .. } | Outcome::Done | Outcome::Failed { .. } => Err(WorkerError::Misunderstood.into()),
    }
}

/// Takes these addresses for sources from now on.
pub(crate) async fn set_sources(addresses: Vec<String>) -> Result<(), PackagesError> {
    run(Errand::SetSources { addresses }).await.map(drop)
}

/// Asks a source whether it is one; gives how many packages it names, where it says so. None is the folder next to the app.
pub(crate) async fn look(address: Option<String>) -> Result<Option<usize>, PackagesError> {
    match run(Errand::Look { address }).await? {
        Outcome::Looked { packages } => Ok(packages),
        Outcome::Overview(_) | Outcome::Done | Outcome::Failed { .. } => Err(WorkerError::Misunderstood.into()),
    }
}

/// Fetches what a toolset needs and does not have yet.
pub(crate) async fn fetch(toolset: String) -> Result<(), PackagesError> {
    run(Errand::Fetch { toolset }).await.map(drop)
}

/// Has what a toolset needs fetched, should a source be there; else its page, and its first call, say what is missing.
pub(crate) fn fetch_quietly(toolset: String) {
    spawn(async move {
        fetch(toolset).await.ok();
    });
}

/// Lets go of what is kept for a package of a toolset.
pub(crate) async fn remove(package: PackageId) -> Result<(), PackagesError> {
    run(Errand::Remove { package }).await.map(drop)
}

async fn run(errand: Errand) -> Result<Outcome, PackagesError> {
    let job = Job::Packages { errand: serde_json::to_string(&errand).expect("an errand is JSON") };
    let answered = core_worker::start_job(Post::Screens, &job, Vec::new(), None)?.end().await?;
    let Answer::Kept { outcome } = answered.answer else { return Err(WorkerError::Misunderstood.into()) };
    match serde_json::from_str(&outcome).map_err(|_unreadable| WorkerError::Misunderstood)? {
        Outcome::Failed { reason } => Err(PackagesError::Failed(reason)),
        outcome => Ok(outcome),
    }
}
