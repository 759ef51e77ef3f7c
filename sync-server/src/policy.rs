//! `GET /api/v1/policy`: who the server takes the app for, and what it can do for it.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use satchel_core::protocol::{AccountSummary, Capability, Policy};

use crate::database::Account;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Answers the policy of the account that asks.
pub async fn answer(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
) -> Result<Response, Refusal> {
    let secrets = state.vault().list(&account.id).await.map_err(Refusal::failed("cannot list secrets"))?;
    let policy = Policy {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        // Only what works is named; each part of the server adds its own when it is there.
        capabilities: vec![
            Capability::Models,
            Capability::Fetch,
            Capability::Mcp,
            Capability::HttpTools,
            Capability::Sync,
        ],
        account: AccountSummary { id: account.id.to_string(), name: account.name },
        disabled_toolsets: state.disabled_toolsets().to_vec(),
        secrets: secrets.into_iter().filter(|secret| secret.has_value).map(|secret| secret.name.into()).collect(),
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(policy)).into_response())
}
