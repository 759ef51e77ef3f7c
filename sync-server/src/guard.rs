//! What may come in. Every check here happens before any handler.
//!
//! [`every_request`] stands in front of all routes: the right host, and no other site's page. [`token_holders`] stands in
//! front of those that need a token: the token, then the size of the body. The order matters: nothing is said about a token
//! to a page that may not ask at all.

mod host;
mod limits;
mod origin;
mod token;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub use host::Names;
pub use limits::BodyLimit;

use crate::state::AppState;

/// In front of every route: 421 for another host (or a redirect to the canonical one), 403 for another site's page.
pub async fn every_request(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if let Err(detour) = host::check(state.names(), &request) {
        return detour.into_response();
    }
    if let Err(refusal) = origin::check(state.names().canonical(), &request) {
        return refusal.into_response();
    }
    next.run(request).await
}

/// In front of routes that need a token: 401 without one in force, 413 for a body over the limit.
///
/// The handler finds the token's account among the request's extensions.
pub async fn token_holders(
    State((state, body)): State<(AppState, BodyLimit)>,
    mut request: Request,
    next: Next,
) -> Response {
    match token::check(state.database(), request.headers()) {
        Ok(account) => request.extensions_mut().insert(account),
        Err(refusal) => return refusal.into_response(),
    };
    match limits::check(body.bytes(state.limits()), request) {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Whether a path belongs to the API or the hub, which are never redirected to and never navigated to.
fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/") || path == "/mcp"
}
