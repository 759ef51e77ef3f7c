//! Searching, as the page asks the core worker for it.

use satchel_core::search::{Found, Wanted};

use super::errand::{self, ErrandError};
use super::store::AppStore;
use crate::browser::core_worker::WorkerError;
use crate::core_worker::Job;
use crate::core_worker::search::{Errand, Outcome};

/// Why there is nothing to search in.
const NOT_KEPT: &str = "this tab saves nothing, because you continued without storage; there is nothing to search";

/// Has the worker read what has changed since the last time.
pub(crate) async fn follow(store: &AppStore) -> Result<(), ErrandError> {
    match run(store, &Errand::Follow).await? {
        Outcome::Followed => Ok(()),
        Outcome::Found(_) => Err(WorkerError::Misunderstood.into()),
    }
}

/// Finds something in what was read.
pub(crate) async fn find(store: &AppStore, typed: String, wanted: Wanted) -> Result<Found, ErrandError> {
    match run(store, &Errand::Find { typed, wanted }).await? {
        Outcome::Found(found) => Ok(*found),
        Outcome::Followed => Err(WorkerError::Misunderstood.into()),
    }
}

async fn run(store: &AppStore, errand: &Errand) -> Result<Outcome, ErrandError> {
    if matches!(store, AppStore::InMemory(_)) {
        return Err(ErrandError::Failed(NOT_KEPT.into()));
    }
    errand::run(|errand| Job::Search { errand }, errand, None).await.map(|(outcome, _)| outcome)
}
