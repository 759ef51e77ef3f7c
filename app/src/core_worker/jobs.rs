//! What the worker does for each job.

use std::cell::RefCell;
use std::rc::Rc;

use satchel_core::catalog::ToolShelf;
use satchel_core::form;
use satchel_core::local_api::{self, Code, LocalApiLimits, Request, Response, ToolHost, World};
use satchel_core::protocol::Capability;
use satchel_core::record::{Tool, ToolCall, ToolKind, Toolset};
use satchel_core::store as rows;
use satchel_core::tool_run;
use serde_json::Value;

use super::http_tools::HttpTools;
use super::mcp::Servers;
use super::python::{AskPage, Python};
use super::turns::WebLocks;
use super::{
    Answer, Job, answering, bundle, examples, left_runs, left_turns, mcp, pack, packages, page_model, python, search,
    selection, shown_run, store, surroundings, sync, tables, upkeep, whole_export,
};
use crate::browser::core_worker::scope::{Call, Course, Done};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::raw_bytes::RawBytes;
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};
use crate::browser::{clock, digest, random};
use crate::work::settings;

thread_local! {
    /// The tools, held ready to be searched.
    static SHELF: Rc<ToolShelf> = Rc::default();
}

/// Does a job.
pub(super) async fn answer(call: Call) -> Done {
    let Call { job, mut pieces, course } = call;
    match job {
        Job::Pack { files } => respond(pack::pack(files, pieces).await),
        Job::Upkeep { errand } => upkeep::run(&errand, &course).await,
        Job::WholeExport { errand } => whole_export::run(&errand, pieces, &course).await,
        Job::Packages { errand } => packages::run(&errand).await,
        Job::Examples { errand } => examples::run(&errand).await,
        Job::CleanUp => {
            upkeep::clean_up().await;
            respond(Response::no_content())
        }
        Job::Remind => respond(whole_export::remind().await),
        Job::Answer { order } => answering::run(&order, &course).await,
        Job::StopAnswer { chat } => {
            answering::stop(&chat);
            respond(Response::no_content())
        }
        Job::Search { errand } => search::run(&errand).await,
        Job::Table { errand } => tables::run(&errand).await,
        Job::Sync { errand } => sync::run(&errand).await,
        Job::Hash => {
            let ids = digest::of_all(&pieces).await;
            Done { answer: Answer::Hashed { ids }, pieces: Vec::new() }
        }
        Job::Fit => respond(fit(&pieces)),
        Job::Selection { chosen, equipped, known, capabilities } => {
            respond(selection::run(chosen, equipped, known, capabilities).await)
        }
        Job::Request { method, path, query, capabilities } => {
            let request = Request { method, path, query, body: pieces.pop().unwrap_or_default() };
            respond(match store::open().await {
                Ok(store) => answer_request(&store, capabilities, request, &course).await,
                Err(error) => Response::failed(error),
            })
        }
        Job::ShowBundle { paths } => respond(bundle::show(paths, pieces, &course).await),
        Job::InstallBundle { package, source_type, source_ref, replace } => {
            respond(bundle::install(&package, source_type, source_ref, replace).await)
        }
        Job::WarmUp { is_small } => {
            let is_wanted = match store::open().await {
                Ok(store) => {
                    left_runs::end_once(&store);
                    left_turns::watch(&store);
                    has_python(&store).await
                }
                Err(_told_by_the_next_job) => false,
            };
            python::warm_up(is_small, is_wanted);
            respond(Response::no_content())
        }
        Job::FollowServers => {
            if let Ok(store) = store::open().await {
                mcp::follow(&store);
            }
            respond(Response::no_content())
        }
        Job::StopRun { call } => {
            shown_run::stop(&call);
            respond(Response::no_content())
        }
        Job::AskPageModel { model } => respond(page_model::ask(&model, &pieces, &course).await),
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
    // Limits that cannot be read are no reason to do nothing; what comes next says what is wrong with the store.
    let (surroundings, limits) = futures_util::join!(surroundings::known(store, capabilities), settings::limits(store));
    let limits = limits.map(|limits| LocalApiLimits::of(&limits)).unwrap_or_default();
    let world = World {
        now: clock::now(),
        fresh_id: &random::uuid_v7,
        surroundings: &surroundings,
        limits: &limits,
        tools: None,
        shelf: None,
    };
    run(&world).await
}

/// Checks what a form holds. The page carries no code for that.
fn fit(pieces: &[Vec<u8>]) -> Response {
    match pieces.first().map(|piece| serde_json::from_slice::<(Value, Value)>(piece)) {
        Some(Ok((schema, value))) => {
            let body = serde_json::to_vec(&form::check(&schema, &value)).expect("texts always serialise");
            Response { status: 200, headers: Vec::new(), body }
        }
        Some(Err(error)) => Response::refused(Code::BadRequest, &error.to_string()),
        None => Response::refused(Code::BadRequest, "there is nothing to check"),
    }
}

/// Answers a request to the local API. What it runs is counted after the answer is out.
async fn answer_request(
    store: &IndexedDbStore,
    capabilities: Vec<Capability>,
    request: Request,
    course: &Course,
) -> Response {
    let python = Python::new(store, course);
    let over = RefCell::new(Vec::new());
    let recorded = |call: &ToolCall| over.borrow_mut().push(call.clone());
    let turns = WebLocks { store };
    let (servers, http) = (Servers::new(store, course), HttpTools::new(store, course));
    let tools = ToolHost {
        python: &python,
        servers: &servers,
        http: &http,
        turns: &turns,
        clock: &clock::now,
        ask: Some(&AskPage),
        recorded: &recorded,
    };
    let response = in_world(store, capabilities, async |world| {
        let shelf = SHELF.with(Rc::clone);
        let world = World { tools: Some(tools), shelf: Some(&shelf), ..*world };
        local_api::answer(store, &world, request).await
    })
    .await;
    let (store, over) = (store.clone(), over.take());
    // Counted after the answer is out; a count that is lost is one count.
    spawn(async move {
        for call in over {
            tab_news::tell(Topic::Chats);
            tool_run::count_call(&store, &call, clock::now()).await.ok();
        }
    });
    response
}

/// Whether there are Python tools that could be called.
async fn has_python(store: &IndexedDbStore) -> bool {
    let Ok(toolsets) = rows::list::<Toolset>(store).await else { return false };
    let is_on = |toolset: &Toolset| toolset.enabled && toolset.soft_deleted_at.is_none();
    for toolset in toolsets.into_iter().flatten().filter(is_on) {
        let tools = rows::list_where::<Tool>(store, "package", &toolset.package.to_string()).await.unwrap_or_default();
        if tools.into_iter().flatten().any(|tool| tool.kind == ToolKind::Python) {
            return true;
        }
    }
    false
}

fn respond(response: Response) -> Done {
    let Response { status, headers, body } = response;
    let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Done { answer: Answer::Responded { status, headers }, pieces: vec![RawBytes::from(body.as_slice())] }
}
