//! `/api/v1/hub`: what the app publishes for other programs, and what those have changed; and `/mcp`, where they come in.

use axum::Json;
use axum::extract::{Extension, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use satchel_core::protocol::HubPut;

use crate::database::Account;
use crate::json_body::JsonBody;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Most tools that are published.
const MOST_TOOLS: usize = 5_000;
/// Most saved toolsets.
const MOST_TOOLSETS: usize = 1_000;

/// Answers what is published and what was changed since.
pub async fn get(State(state): State<AppState>, Extension(account): Extension<Account>) -> Result<Response, Refusal> {
    let hub = state.hub().state(&account.id).await.map_err(Refusal::failed("cannot read what is published"))?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(hub)).into_response())
}

/// Publishes.
pub async fn put(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    JsonBody(put): JsonBody<HubPut>,
) -> Result<StatusCode, Refusal> {
    let publication = &put.publication;
    if publication.tools.len() > MOST_TOOLS || publication.toolsets.len() > MOST_TOOLSETS {
        return Err(Refusal::bad_request("at most 5,000 tools and 1,000 saved toolsets are published"));
    }
    state.hub().publish(&account.id, put).await.map_err(Refusal::failed("cannot keep what is published"))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Publishes nothing any more.
pub async fn delete(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
) -> Result<StatusCode, Refusal> {
    state.hub().withdraw(&account.id).await.map_err(Refusal::failed("cannot withdraw what is published"))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Answers other programs, by MCP.
pub async fn serve(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    request: Request,
) -> Response {
    state.hub().serve(account.id, request).await
}
