//! The local API: what answers `/local/…` (C44). It runs in the page or in a worker beside it, over the same store as the app.
//!
//! A request comes in as plain data, an answer goes out as plain data; who carries them, a service worker or a test, is not known
//! here. Nothing is read but the store and nothing is changed but by a [`Commit`](crate::store::Commit). Time, fresh ids and what the
//! device can reach are handed in as a [`World`]. By this way nothing is granted, no server is connected, and no bytes of a bundle
//! or a workspace are ever given out as something a browser would run.
//!
//! `table` is every address on one screen, and the router is made of it and of nothing else.

mod apart;
mod base_url;
mod bundle_tools;
pub mod bundles;
mod call;
mod chats;
mod check;
mod duplicate;
mod execute;
mod limits;
mod manifests;
mod overrides;
mod paging;
mod percent;
mod permissions;
mod pins;
mod query;
pub mod reading;
mod refusal;
mod repackage;
mod replaced;
mod response;
mod route;
mod saved_toolsets;
mod servers;
#[cfg(test)]
mod tests;
mod tool_bundles;
mod tool_search;
mod tools;
mod toolsets;
mod workspace;

pub use execute::runs_tools;
pub use limits::LocalApiLimits;
pub use refusal::{Code, ErrorBody, RefusalBody};
pub use response::Response;

use std::pin::Pin;

use crate::approval::{Answer, ApprovalRequest};
use crate::catalog::{Surroundings, ToolShelf};
use crate::http_tool::CallHttp;
use crate::mcp::CallServer;
use crate::python::AnyPython;
use crate::record::ToolCall;
use crate::store::Store;
use crate::time::Timestamp;
use crate::tool_run::Turns;

use call::Call;
use query::Query;
use refusal::Refusal;
use route::{Route, delete, get, patch, post, put};

/// A request, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The method, in upper case.
    pub method: String,
    /// The path of the URL, from `/local` on, percent-encoded as it is there.
    pub path: String,
    /// What follows the `?`, without it; empty where there is none.
    pub query: String,
    /// The body. What it is follows from the address and the bytes; no header is asked.
    pub body: Vec<u8>,
}

/// What core cannot know by itself.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// Now.
    pub now: Timestamp,
    /// Gives a fresh UUID of version 7 with every call, as [`uuid_v7`](crate::ids::uuid_v7) spells it.
    pub fresh_id: &'a dyn Fn() -> String,
    /// What the device and its server can do.
    pub surroundings: &'a Surroundings,
    /// How large things may be.
    pub limits: &'a LocalApiLimits,
    /// Who runs tools; none where nobody can.
    pub tools: Option<ToolHost<'a>>,
    /// The index of tools that searches are answered from; where there is none, each makes its own.
    pub shelf: Option<&'a ToolShelf>,
}

/// Who runs tools for whoever asks by the local API.
#[derive(Clone, Copy)]
pub struct ToolHost<'a> {
    /// Calls Python.
    pub python: &'a dyn AnyPython,
    /// Calls MCP servers.
    pub servers: &'a dyn CallServer,
    /// Asks hosts on the network.
    pub http: &'a dyn CallHttp,
    /// Keeps the calls of a chat apart, and from its edits.
    pub turns: &'a dyn Turns,
    /// The time; a call takes some.
    pub clock: &'a dyn Fn() -> Timestamp,
    /// Asks the user about a call, where there is one to be asked.
    pub ask: Option<&'a dyn AskUser>,
    /// Is told of every call that was recorded, so that it can be counted after the answer is out
    /// ([`count_call`](crate::tool_run::count_call)).
    pub recorded: &'a dyn Fn(&ToolCall),
}

/// Asks the user whether a call may be made.
pub trait AskUser {
    /// The answer; none where nobody can answer any more.
    fn ask(&self, request: ApprovalRequest) -> Pin<Box<dyn Future<Output = Option<Answer>> + '_>>;
}

/// Every address, in reading order. Of several rows that fit, the first counts.
fn table<S: Store>() -> Vec<Route<S>> {
    vec![
        get("toolsets", |call| Box::pin(toolsets::list(call))),
        post("toolsets/preview", |call| Box::pin(toolsets::preview(call))),
        post("toolsets/import", |call| Box::pin(toolsets::import(call))),
        get("toolsets/{id}", |call| Box::pin(toolsets::details(call))),
        delete("toolsets/{id}", |call| Box::pin(toolsets::uninstall(call))),
        post("toolsets/{id}/restore", |call| Box::pin(toolsets::restore(call))),
        post("toolsets/{id}/enable", |call| Box::pin(toolsets::enable(call))),
        post("toolsets/{id}/duplicate", |call| Box::pin(duplicate::duplicate(call))),
        post("toolsets/{id}/apart/{package}", |call| Box::pin(apart::choose(call))),
        get("toolsets/{id}/base-url", |call| Box::pin(base_url::get(call))),
        put("toolsets/{id}/base-url", |call| Box::pin(base_url::put(call))),
        delete("toolsets/{id}/hosts/{host}", |call| Box::pin(permissions::withdraw_host(call))),
        delete("toolsets/{id}/approvals/{tool}", |call| Box::pin(permissions::forget_approvals(call))),
        post("toolsets/{id}/tools/{tool}/enable", |call| Box::pin(tools::enable(call))),
        put("toolsets/{id}/overrides/{tool}", |call| Box::pin(overrides::put(call))),
        delete("toolsets/{id}/overrides/{tool}", |call| Box::pin(overrides::remove(call))),
        post("toolsets/{id}/servers/{server}/enable", |call| Box::pin(servers::enable(call))),
        get("toolsets/{id}/export", |call| Box::pin(toolsets::export(call))),
        post("toolsets/{id}/execute/{method}", |call| Box::pin(execute::execute(call))),
        get("servers", |call| Box::pin(servers::list(call))),
        post("servers", |call| Box::pin(servers::add(call))),
        post("servers/read", |call| Box::pin(servers::read(call))),
        get("saved-toolsets", |call| Box::pin(saved_toolsets::list(call))),
        post("saved-toolsets", |call| Box::pin(saved_toolsets::build(call))),
        get("saved-toolsets/available", |call| Box::pin(saved_toolsets::available(call))),
        get("saved-toolsets/active", |call| Box::pin(saved_toolsets::active(call))),
        get("saved-toolsets/export", |call| Box::pin(saved_toolsets::export(call))),
        post("saved-toolsets/import", |call| Box::pin(saved_toolsets::import(call))),
        post("saved-toolsets/generate", |call| Box::pin(saved_toolsets::generate(call))),
        post("saved-toolsets/equip", |call| Box::pin(saved_toolsets::equip(call))),
        post("saved-toolsets/unequip", |call| Box::pin(saved_toolsets::unequip(call))),
        get("saved-toolsets/{name}", |call| Box::pin(saved_toolsets::details(call))),
        put("saved-toolsets/{name}", |call| Box::pin(saved_toolsets::edit(call))),
        delete("saved-toolsets/{name}", |call| Box::pin(saved_toolsets::remove(call))),
        post("saved-toolsets/{name}/allow-stale-refs", |call| Box::pin(saved_toolsets::allow_stale_refs(call))),
        post("saved-toolsets/{name}/renew", |call| Box::pin(saved_toolsets::renew(call))),
        post("saved-toolsets/{name}/notes", |call| Box::pin(saved_toolsets::annotate(call))),
        get("tools", |call| Box::pin(tools::list(call))),
        // Both spellings of the same list (C64).
        get("tools/tools", |call| Box::pin(tools::list(call))),
        get("tools/search", |call| Box::pin(tool_search::search(call))),
        get("tools/tools/search", |call| Box::pin(tool_search::search(call))),
        get("tools/bundles", |call| Box::pin(tool_bundles::list(call))),
        get("tools/bundles/{bundle}", |call| Box::pin(tool_bundles::get(call))),
        put("tools/bundles/{bundle}", |call| Box::pin(tool_bundles::put(call))),
        patch("tools/bundles/{bundle}", |call| Box::pin(tool_bundles::patch(call))),
        delete("tools/bundles/{bundle}", |call| Box::pin(tool_bundles::delete(call))),
        get("tools/bundles/{bundle}/tools/{slug}/version/{version}", |call| Box::pin(bundle_tools::get(call))),
        put("tools/bundles/{bundle}/tools/{slug}/version/{version}", |call| Box::pin(bundle_tools::put(call))),
        patch("tools/bundles/{bundle}/tools/{slug}/version/{version}", |call| Box::pin(bundle_tools::patch(call))),
        delete("tools/bundles/{bundle}/tools/{slug}/version/{version}", |call| Box::pin(bundle_tools::delete(call))),
        post("tools/bundles/{bundle}/tools/{slug}/version/{version}/invoke", |call| {
            Box::pin(bundle_tools::invoke(call))
        }),
        post("tools/{tool_id}/approve", |call| Box::pin(pins::approve_tool(call))),
        get("tools/{tool_id}", |call| Box::pin(tools::details(call))),
        get("chats", |call| Box::pin(chats::list(call))),
        post("chats", |call| Box::pin(chats::create(call))),
        get("chats/{id}", |call| Box::pin(chats::details(call))),
        post("chats/{id}/configuration-mode", |call| Box::pin(saved_toolsets::configure(call))),
        get("chats/{id}/workspace", |call| Box::pin(workspace::list(call))),
        get("chats/{id}/workspace/files/{*path}", |call| Box::pin(workspace::read(call))),
        put("chats/{id}/workspace/files/{*path}", |call| Box::pin(workspace::write(call))),
        delete("chats/{id}/workspace/files/{*path}", |call| Box::pin(workspace::remove(call))),
        get("chats/{id}/messages/{message_id}/manifest", |call| Box::pin(manifests::of_message(call))),
        get("manifests/{a}/diff/{b}", |call| Box::pin(manifests::diff(call))),
        post("check", |call| Box::pin(check::run(call))),
    ]
}

/// Answers a request. It never fails: what goes wrong is an answer too, `{"error": {"code", "message", "path"?}}`.
pub async fn answer(store: &impl Store, world: &World<'_>, request: Request) -> Response {
    match try_answer(store, world, request).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

async fn try_answer<S: Store>(store: &S, world: &World<'_>, request: Request) -> Result<Response, Refusal> {
    let Request { method, path, query, body } = request;
    let table = table::<S>();
    let (route, parameters) = route::find(&table, &method, &path)?;
    let query = Query::parse(&query)?;
    (route.handler)(Call { store, world, parameters, query, body }).await
}
