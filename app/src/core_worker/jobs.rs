//! What the worker does for each job.

use satchel_core::catalog::Surroundings;
use satchel_core::digest::BlobId;
use satchel_core::local_api::{self, LocalApiLimits, Request, Response, World};
use satchel_core::protocol::Capability;

use super::{Answer, Job, bundle, store};
use crate::browser::core_worker::scope::{Call, Done};
use crate::browser::{clock, random};

/// Does a job.
pub(super) async fn answer(call: Call) -> Done {
    let Call { job, mut pieces, course } = call;
    match job {
        Job::Hash => {
            let ids = pieces.iter().map(|piece| BlobId::of(piece)).collect();
            Done { answer: Answer::Hashed { ids }, pieces: Vec::new() }
        }
        Job::Request { method, path, query, capabilities } => {
            let request = Request { method, path, query, body: pieces.pop().unwrap_or_default() };
            respond(match store::open().await {
                Ok(store) => {
                    in_world(capabilities, async |world| local_api::answer(&store, world, request).await).await
                }
                Err(error) => Response::failed(error),
            })
        }
        Job::ShowBundle { paths } => respond(bundle::show(paths, pieces, &course).await),
        Job::InstallBundle { package, source_type, source_ref, replace } => {
            respond(bundle::install(&package, source_type, source_ref, replace).await)
        }
        Job::ForgetBundle => {
            bundle::forget();
            respond(Response::no_content())
        }
    }
}

/// Runs something with what core cannot know by itself.
pub(super) async fn in_world<T>(capabilities: Vec<Capability>, run: impl AsyncFnOnce(&World<'_>) -> T) -> T {
    let (surroundings, limits) = (Surroundings { capabilities, ..Surroundings::default() }, LocalApiLimits::default());
    run(&World { now: clock::now(), fresh_id: &random::uuid_v7, surroundings: &surroundings, limits: &limits }).await
}

fn respond(response: Response) -> Done {
    let Response { status, headers, body } = response;
    let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Done { answer: Answer::Responded { status, headers }, pieces: vec![body] }
}
