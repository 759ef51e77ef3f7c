//! `POST /api/v1/sync`: what an account's devices seal for each other goes through here, and can be read by none but them.
//!
//! The words are those of `core::protocol`; who may ask, and what, is decided in one transaction in [`crate::database`]. Nothing synced ever
//! starts anything: to this server it is bytes.

use std::time::Duration;

use axum::extract::{Extension, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use satchel_core::protocol::{
    SYNC_CONTENT_TYPE, ServerEvent, SyncAnswer, SyncAsk, SyncRequest, frame_sync, unframe_sync,
};

use crate::database::{Account, Database};
use crate::guard::BodyLimit;
use crate::json_body;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How often what nothing names is looked for.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// Answers a device.
pub async fn answer(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    request: Request,
) -> Result<Response, Refusal> {
    let body = json_body::collect(request.into_body(), BodyLimit::Sync.bytes(state.limits())).await?;
    let (ask, beside) = unframe_sync::<SyncAsk>(&body).map_err(Refusal::bad_request)?;
    let quota = state.limits().sync_quota_bytes.get();
    let changes_members =
        matches!(ask.request, SyncRequest::Revoke { .. } | SyncRequest::Rotate { .. } | SyncRequest::BeginAnew);
    let answered = state.database().sync(account.id.clone(), ask, beside, quota).await;
    let (answer, beside) = answered.map_err(Refusal::failed("cannot sync"))?;
    match answer {
        SyncAnswer::Pushed { position } => {
            state.events().tell_account(&account.id, &ServerEvent::Synced { head: position });
        }
        // Whoever is shut out, or needs another code, is not to believe until its next round that it syncs.
        SyncAnswer::Done | SyncAnswer::Status(_) if changes_members => {
            state.events().tell_account(&account.id, &ServerEvent::SyncMembersChanged);
        }
        _ => {}
    }
    let status = StatusCode::from_u16(answer.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [(header::CONTENT_TYPE, SYNC_CONTENT_TYPE), (header::CACHE_CONTROL, "no-store")];
    Ok((status, headers, frame_sync(&answer, &beside)).into_response())
}

/// Removes, now and then, the blobs that nothing has named for a week. It ends with the database.
pub async fn keep_sweeping(database: Database) {
    loop {
        match database.sweep_sync().await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "blobs that nothing named were removed"),
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "nothing was swept");
                return;
            }
        }
        tokio::time::sleep(SWEEP).await;
    }
}
