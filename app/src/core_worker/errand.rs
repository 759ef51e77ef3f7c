//! An errand: what a part of the app asks the core worker for, and what comes of it, both as texts. The page's first part, which carries the jobs,
//! then has no code to read or write them.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Answer;
use crate::browser::core_worker::scope::Done;
use crate::browser::raw_bytes::RawBytes;

/// Runs an errand. What comes of it goes back as a `Result` with the reason as a sentence; the bytes travel beside it.
pub(super) async fn run<Errand: DeserializeOwned, Outcome: Serialize, Error: Display>(
    errand: &str,
    attempt: impl AsyncFnOnce(Errand) -> Result<(Outcome, Vec<Vec<u8>>), Error>,
) -> Done {
    run_raw(errand, async |errand| {
        let (outcome, pieces) = attempt(errand).await?;
        Ok::<_, Error>((outcome, pieces.iter().map(|piece| RawBytes::from(piece.as_slice())).collect()))
    })
    .await
}

/// The same, for bytes that have left the worker's own memory already.
pub(super) async fn run_raw<Errand: DeserializeOwned, Outcome: Serialize, Error: Display>(
    errand: &str,
    attempt: impl AsyncFnOnce(Errand) -> Result<(Outcome, Vec<RawBytes>), Error>,
) -> Done {
    let errand = serde_json::from_str(errand).expect("page and worker are of one build, so an errand always reads");
    let (outcome, pieces) = match attempt(errand).await {
        Ok((outcome, pieces)) => (Ok(outcome), pieces),
        Err(error) => (Err(error.to_string()), Vec::new()),
    };
    let outcome = serde_json::to_string(&outcome).expect("an outcome is JSON");
    Done { answer: Answer::Kept { outcome }, pieces }
}
