//! Every URL of the server, on one screen.
//!
//! The router is built from [`table`] and from nothing else, so a test that walks the table walks the router. A row says who
//! may come in; the guard that keeps the others out is put around its handler here, and cannot be forgotten.

use axum::Router;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{self, MethodRouter};

use crate::guard::BodyLimit;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::{
    app_files, events, fetch, guard, http_tools, llm, log, mcp, packages_folder, page_model, policy, sync, vault,
};

/// The routes, in reading order.
#[must_use]
pub fn table() -> Vec<Route> {
    use Access::{Public, Token};
    vec![
        Route::get("/healthz", Public, health),
        // The API. What it does not know is refused like what it does: first the token, then the address.
        Route::get("/api/v1/policy", Token, policy::answer),
        Route::get("/api/v1/secrets", Token, vault::api::list),
        Route::put_and_delete("/api/v1/secrets/{name}", Token, vault::api::put, vault::api::delete),
        Route::get("/api/v1/providers", Token, llm::api::list),
        Route::put_and_delete("/api/v1/providers/{name}", Token, llm::api::put, llm::api::delete),
        Route::get("/api/v1/providers/{name}/models", Token, llm::models::answer),
        Route::post("/api/v1/providers/{name}/chat", Token, llm::chat).with_body(BodyLimit::Model),
        Route::get("/api/v1/page-model", Token, page_model::offer),
        Route::get("/api/v1/page-model/file", Token, page_model::file),
        Route::post("/api/v1/fetch", Token, fetch::answer).with_body(BodyLimit::Fetch),
        Route::post("/api/v1/http-tools/call", Token, http_tools::call).with_body(BodyLimit::Fetch),
        Route::post("/api/v1/sync", Token, sync::answer).with_body(BodyLimit::Sync),
        Route::get("/api/v1/events", Token, events::answer),
        Route::get("/api/v1/mcp/servers", Token, mcp::api::list),
        Route::get_put_and_delete("/api/v1/mcp/servers/{key}", Token, mcp::api::get, mcp::api::put, mcp::api::delete),
        Route::post("/api/v1/mcp/servers/{key}/reconnect", Token, mcp::api::reconnect),
        Route::post("/api/v1/mcp/servers/{key}/login", Token, mcp::api::login),
        Route::post("/api/v1/mcp/servers/{key}/calls", Token, mcp::api::call),
        Route::post("/api/v1/mcp/calls/{call_id}/input", Token, mcp::api::input),
        Route::get_put_and_delete("/api/v1/hub", Token, mcp::hub::api::get, mcp::hub::api::put, mcp::hub::api::delete)
            .with_body(BodyLimit::Model),
        Route::any("/api", Token, not_found),
        Route::any("/api/", Token, not_found),
        Route::any("/api/{*rest}", Token, not_found),
        // Other programs, which use the account's equipped saved toolset by MCP.
        Route::any("/mcp", Token, mcp::hub::api::serve).with_body(BodyLimit::Model),
        // Where a browser comes back to from a login at an MCP server; what it brings is good once.
        Route::get(mcp::CALLBACK, Public, mcp::api::callback),
        // The local API lives in the page. A page without its service worker may ask here; its data is not read.
        Route::any("/local", Public, not_found),
        Route::any("/local/", Public, not_found),
        Route::any("/local/{*rest}", Public, not_found),
        // Python packages for toolsets, where the operator has named a folder of them.
        Route::get("/packages/{file}", Public, packages_folder::file),
        // The app. Its own addresses all answer the same page.
        Route::get("/", Public, app_files::index),
        Route::get("/ui", Public, app_files::index),
        Route::get("/ui/", Public, app_files::index),
        Route::get("/ui/{*rest}", Public, app_files::index),
        Route::get("/{*file}", Public, app_files::file),
    ]
}

/// The whole server, as a service to be driven by a connection or a test.
pub fn app(state: AppState) -> Router {
    let mut router = Router::new().fallback(not_found);
    for route in table() {
        router = router.route(route.path, route.guarded(&state));
    }
    router
        .layer(middleware::from_fn_with_state(state.clone(), guard::every_request))
        .layer(middleware::map_response_with_state(state.clone(), app_files::add_common_headers))
        .layer(middleware::from_fn(log::request))
        .with_state(state)
}

/// One row of the table.
#[derive(Debug)]
pub struct Route {
    /// Which methods it answers.
    pub methods: Methods,
    /// Its address, in the router's spelling: `{*rest}` stands for one or more segments.
    pub path: &'static str,
    /// Who may come in.
    pub access: Access,
    /// How large a body may be.
    pub body: BodyLimit,
    handler: MethodRouter<AppState>,
}

/// The methods a route answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Methods {
    /// GET and HEAD.
    Get,
    /// POST.
    Post,
    /// PUT and DELETE.
    PutAndDelete,
    /// GET and HEAD, PUT and DELETE.
    GetPutAndDelete,
    /// Every one.
    Any,
}

/// Who may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone who uses the right host and is not another site's page; no body is read.
    Public,
    /// Whoever brings an access token in force, with a body within the limit.
    Token,
}

impl Route {
    fn get<H, T>(path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        Self::new(Methods::Get, path, access, routing::get(handler).fallback(method_not_allowed))
    }

    fn post<H, T>(path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        Self::new(Methods::Post, path, access, routing::post(handler).fallback(method_not_allowed))
    }

    fn put_and_delete<P, PT, D, DT>(path: &'static str, access: Access, put: P, delete: D) -> Self
    where
        P: Handler<PT, AppState>,
        PT: 'static,
        D: Handler<DT, AppState>,
        DT: 'static,
    {
        let handler = routing::put(put).delete(delete).fallback(method_not_allowed);
        Self::new(Methods::PutAndDelete, path, access, handler)
    }

    fn get_put_and_delete<G, GT, P, PT, D, DT>(path: &'static str, access: Access, get: G, put: P, delete: D) -> Self
    where
        G: Handler<GT, AppState>,
        GT: 'static,
        P: Handler<PT, AppState>,
        PT: 'static,
        D: Handler<DT, AppState>,
        DT: 'static,
    {
        let handler = routing::get(get).put(put).delete(delete).fallback(method_not_allowed);
        Self::new(Methods::GetPutAndDelete, path, access, handler)
    }

    fn any<H, T>(path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        Self::new(Methods::Any, path, access, routing::any(handler))
    }

    fn new(methods: Methods, path: &'static str, access: Access, handler: MethodRouter<AppState>) -> Self {
        Self { methods, path, access, body: BodyLimit::Ordinary, handler }
    }

    fn with_body(self, body: BodyLimit) -> Self {
        Self { body, ..self }
    }

    fn guarded(self, state: &AppState) -> MethodRouter<AppState> {
        let counted = self.handler.layer(middleware::from_fn_with_state(state.clone(), count));
        match self.access {
            Access::Public => counted,
            Access::Token => {
                counted.layer(middleware::from_fn_with_state((state.clone(), self.body), guard::token_holders))
            }
        }
    }
}

async fn count(State(state): State<AppState>, request: Request, next: Next) -> Response {
    state.count_handled();
    next.run(request).await
}

async fn health() -> &'static str {
    "ok"
}

async fn not_found() -> Refusal {
    Refusal::NotFound
}

async fn method_not_allowed() -> Refusal {
    Refusal::MethodNotAllowed
}
