//! The Python packages of toolsets, as the page asks the core worker for them.

use satchel_core::record::PackageId;

use super::errand::{self, ErrandError};
use crate::browser::core_worker::WorkerError;
use crate::browser::spawn::spawn;
use crate::core_worker::Job;
use crate::core_worker::packages::{Errand, Outcome};

pub(crate) use crate::core_worker::packages::{Overview, ToolsetLine, WheelLine};

/// How things stand, with all toolsets or with one.
pub(crate) async fn overview(toolset: Option<String>) -> Result<Overview, ErrandError> {
    match run(Errand::Overview { toolset }).await? {
        Outcome::Overview(overview) => Ok(overview),
        Outcome::Looked { .. } | Outcome::Done => Err(WorkerError::Misunderstood.into()),
    }
}

/// Takes these addresses for sources from now on.
pub(crate) async fn set_sources(addresses: Vec<String>) -> Result<(), ErrandError> {
    run(Errand::SetSources { addresses }).await.map(drop)
}

/// Asks a source whether it is one; gives how many packages it names, where it says so. None is the folder next to the app.
pub(crate) async fn look(address: Option<String>) -> Result<Option<usize>, ErrandError> {
    match run(Errand::Look { address }).await? {
        Outcome::Looked { packages } => Ok(packages),
        Outcome::Overview(_) | Outcome::Done => Err(WorkerError::Misunderstood.into()),
    }
}

/// Fetches what a toolset needs and does not have yet.
pub(crate) async fn fetch(toolset: String) -> Result<(), ErrandError> {
    run(Errand::Fetch { toolset }).await.map(drop)
}

/// Has what a toolset needs fetched, should a source be there; else its page, and its first call, say what is missing.
pub(crate) fn fetch_quietly(toolset: String) {
    spawn(async move {
        fetch(toolset).await.ok();
    });
}

/// Lets go of what is kept for a package of a toolset.
pub(crate) async fn remove(package: PackageId) -> Result<(), ErrandError> {
    run(Errand::Remove { package }).await.map(drop)
}

async fn run(errand: Errand) -> Result<Outcome, ErrandError> {
    errand::run(|errand| Job::Packages { errand }, &errand, None).await.map(|(outcome, _)| outcome)
}
