//! What the worker does for each job.

use satchel_core::digest::BlobId;

use super::{Answer, Job, upkeep};
use crate::browser::core_worker::scope::{Call, Done};

/// Does a job.
pub(super) async fn answer(call: Call) -> Done {
    match call.job {
        Job::Upkeep(errand) => {
            let (outcome, pieces) = upkeep::run(errand, &call.course).await;
            Done { answer: Answer::Kept(outcome), pieces }
        }
        Job::Hash => {
            let ids = call.pieces.iter().map(|piece| BlobId::of(piece)).collect();
            Done { answer: Answer::Hashed { ids }, pieces: Vec::new() }
        }
    }
}
