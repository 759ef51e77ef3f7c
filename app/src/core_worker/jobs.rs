//! What the worker does for each job.

use satchel_core::catalog::Surroundings;
use satchel_core::local_api::{self, LocalApiLimits, Request, Response, World};
use satchel_core::protocol::Capability;

use super::{Answer, Job, bundle, pack, packages, python, store, upkeep};
use crate::browser::core_worker::scope::{Call, Done};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::{clock, digest, random};
use crate::work::settings;

/// Does a job.
pub(super) async fn answer(call: Call) -> Done {
    let Call { job, mut pieces, course } = call;
    match job {
        Job::Pack { files } => respond(pack::pack(files, pieces).await),
        Job::Upkeep { errand } => {
            let (outcome, pieces) = upkeep::run(&errand, &course).await;
            Done { answer: Answer::Kept { outcome }, pieces }
        }
        Job::Packages { errand } => {
            Done { answer: Answer::Kept { outcome: packages::run(&errand).await }, pieces: Vec::new() }
        }
        Job::CleanUp => Done { answer: Answer::Kept { outcome: upkeep::clean_up().await }, pieces: Vec::new() },
        Job::Hash => {
            let ids = digest::of_all(&pieces).await;
            Done { answer: Answer::Hashed { ids }, pieces: Vec::new() }
        }
        Job::Request { method, path, query, capabilities } => {
            let request = Request { method, path, query, body: pieces.pop().unwrap_or_default() };
            respond(match store::open().await {
                Ok(store) => {
                    in_world(&store, capabilities, async |world| local_api::answer(&store, world, request).await).await
                }
                Err(error) => Response::failed(error),
            })
        }
        Job::ShowBundle { paths } => respond(bundle::show(paths, pieces, &course).await),
        Job::InstallBundle { package, source_type, source_ref, replace } => {
            respond(bundle::install(&package, source_type, source_ref, replace).await)
        }
        Job::WarmUp { is_small } => {
            python::warm_up(is_small).await;
            respond(Response::no_content())
        }
        Job::StopRun { call } => {
            python::stop(&call);
            respond(Response::no_content())
        }
        Job::CheckCage { target } => respond(python::check(&target).await),
        Job::ForgetBundle => {
            bundle::forget();
            respond(Response::no_content())
        }
    }
}

/// Runs something with what core cannot know by itself.
pub(super) async fn in_world<T>(
    store: &IndexedDbStore,
    capabilities: Vec<Capability>,
    run: impl AsyncFnOnce(&World<'_>) -> T,
) -> T {
    let surroundings = Surroundings { capabilities, ..Surroundings::default() };
    // Limits that cannot be read are no reason to do nothing; what comes next says what is wrong with the store.
    let limits = settings::limits(store).await.map(|limits| LocalApiLimits::of(&limits)).unwrap_or_default();
    run(&World { now: clock::now(), fresh_id: &random::uuid_v7, surroundings: &surroundings, limits: &limits }).await
}

fn respond(response: Response) -> Done {
    let Response { status, headers, body } = response;
    let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Done { answer: Answer::Responded { status, headers }, pieces: vec![body] }
}
