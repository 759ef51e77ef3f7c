//! The toolsets that come with the app, as the page asks the core worker for them.

use super::local_api::NOT_KEPT;
use super::store::AppStore;
use crate::browser::core_worker::{self, Post, WorkerError};
use crate::core_worker::examples::{Errand, Outcome};
use crate::core_worker::{Answer, Job};

pub(crate) use crate::browser::build::BuildFile;
pub(crate) use crate::core_worker::examples::{Begun, Example, Presence};

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExamplesError {
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("{0}")]
    Failed(String),
}

/// Which there are, and what is installed of each.
pub(crate) async fn list(store: &AppStore) -> Result<Vec<Example>, ExamplesError> {
    match run(store, Errand::List).await? {
        Outcome::Listed(examples) => Ok(examples),
        Outcome::Installed { .. } | Outcome::Begun(_) | Outcome::Failed { .. } => {
            Err(WorkerError::Misunderstood.into())
        }
    }
}

/// Installs one, or brings it up to date; gives the version that is there now.
pub(crate) async fn install(store: &AppStore, id: String) -> Result<String, ExamplesError> {
    match run(store, Errand::Install { id }).await? {
        Outcome::Installed { version } => Ok(version),
        Outcome::Listed(_) | Outcome::Begun(_) | Outcome::Failed { .. } => Err(WorkerError::Misunderstood.into()),
    }
}

/// Begins a chat in which one can be tried.
pub(crate) async fn begin(store: &AppStore, id: String) -> Result<Begun, ExamplesError> {
    match run(store, Errand::Begin { id }).await? {
        Outcome::Begun(begun) => Ok(begun),
        Outcome::Listed(_) | Outcome::Installed { .. } | Outcome::Failed { .. } => {
            Err(WorkerError::Misunderstood.into())
        }
    }
}

async fn run(store: &AppStore, errand: Errand) -> Result<Outcome, ExamplesError> {
    if matches!(store, AppStore::InMemory(_)) {
        return Err(ExamplesError::Failed(NOT_KEPT.into()));
    }
    let job = Job::Examples { errand: serde_json::to_string(&errand).expect("an errand is JSON") };
    let answered = core_worker::start_job(Post::Screens, &job, Vec::new(), None)?.end().await?;
    let Answer::Kept { outcome } = answered.answer else { return Err(WorkerError::Misunderstood.into()) };
    match serde_json::from_str(&outcome).map_err(|_unreadable| WorkerError::Misunderstood)? {
        Outcome::Failed { reason } => Err(ExamplesError::Failed(reason)),
        outcome => Ok(outcome),
    }
}
