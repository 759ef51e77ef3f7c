//! The toolsets that come with the app, as the page asks the core worker for them.

use super::errand::{self, ErrandError};
use super::local_api::NOT_KEPT;
use super::store::AppStore;
use crate::browser::core_worker::WorkerError;
use crate::browser::last_selection;
use crate::core_worker::Job;
use crate::core_worker::examples::{Errand, Outcome};

pub(crate) use crate::browser::build::BuildFile;
pub(crate) use crate::core_worker::examples::{Begun, Example, Presence};

/// Which there are, and what is installed of each.
pub(crate) async fn list(store: &AppStore) -> Result<Vec<Example>, ErrandError> {
    match run(store, Errand::List).await? {
        Outcome::Listed(examples) => Ok(examples),
        Outcome::Installed { .. } | Outcome::Begun(_) => Err(WorkerError::Misunderstood.into()),
    }
}

/// Installs one, or brings it up to date; gives the version that is there now.
pub(crate) async fn install(store: &AppStore, id: String) -> Result<String, ErrandError> {
    match run(store, Errand::Install { id }).await? {
        Outcome::Installed { version } => Ok(version),
        Outcome::Listed(_) | Outcome::Begun(_) => Err(WorkerError::Misunderstood.into()),
    }
}

/// Begins a chat in which one can be tried.
pub(crate) async fn begin(store: &AppStore, id: String) -> Result<Begun, ErrandError> {
    match run(store, Errand::Begin { id, last: last_selection::read() }).await? {
        Outcome::Begun(begun) => Ok(begun),
        Outcome::Listed(_) | Outcome::Installed { .. } => Err(WorkerError::Misunderstood.into()),
    }
}

async fn run(store: &AppStore, errand: Errand) -> Result<Outcome, ErrandError> {
    if matches!(store, AppStore::InMemory(_)) {
        return Err(ErrandError::Failed(NOT_KEPT.into()));
    }
    errand::run(|errand| Job::Examples { errand }, &errand, None).await.map(|(outcome, _)| outcome)
}
