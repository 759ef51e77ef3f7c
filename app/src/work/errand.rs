//! What the page asks the core worker for as an errand; see `core_worker/errand.rs`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::browser::core_worker::{self, Post, WorkerError};
use crate::browser::raw_bytes::RawBytes;
use crate::core_worker::{Answer, Job, Progress};

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ErrandError {
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("{0}")]
    Failed(String),
}

/// Has an errand run, as the job that it is wrapped in; what comes of it, and the bytes that go with it. The worker stops when this is
/// dropped before its end.
pub(super) async fn run<Outcome: DeserializeOwned>(
    job: impl FnOnce(String) -> Job,
    errand: &impl Serialize,
    on_progress: Option<Box<dyn Fn(Progress)>>,
) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    run_at(Post::Screens, job, errand, on_progress).await
}

/// The same, by one of the workers.
pub(super) async fn run_at<Outcome: DeserializeOwned>(
    post: Post,
    job: impl FnOnce(String) -> Job,
    errand: &impl Serialize,
    on_progress: Option<Box<dyn Fn(Progress)>>,
) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    run_with(post, job, errand, Vec::new(), on_progress).await
}

/// The same, with bytes that the worker takes over.
pub(super) async fn run_with<Outcome: DeserializeOwned>(
    post: Post,
    job: impl FnOnce(String) -> Job,
    errand: &impl Serialize,
    pieces: Vec<RawBytes>,
    on_progress: Option<Box<dyn Fn(Progress)>>,
) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    let job = job(serde_json::to_string(errand).expect("an errand is JSON"));
    let answered = core_worker::start_job(post, &job, pieces, on_progress)?.end().await?;
    let Answer::Kept { outcome } = answered.answer else { return Err(WorkerError::Misunderstood.into()) };
    let outcome: Result<Outcome, String> =
        serde_json::from_str(&outcome).map_err(|_unreadable| WorkerError::Misunderstood)?;
    Ok((outcome.map_err(ErrandError::Failed)?, answered.pieces))
}
