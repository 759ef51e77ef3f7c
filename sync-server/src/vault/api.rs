//! `/api/v1/secrets`: names go out, values only come in.

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use satchel_core::protocol::{PutSecret, SecretList, SecretName};

use super::{PutError, Secret};
use crate::database::Account;
use crate::json_body::JsonBody;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Answers the names of the account's secrets.
pub async fn list(State(state): State<AppState>, Extension(account): Extension<Account>) -> Result<Response, Refusal> {
    let secrets = state.vault().list(&account.id).await.map_err(Refusal::failed("cannot list secrets"))?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(SecretList { secrets })).into_response())
}

/// Keeps a secret.
pub async fn put(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(name): Path<String>,
    JsonBody(body): JsonBody<PutSecret>,
) -> Result<Response, Refusal> {
    let name = SecretName::parse(&name).map_err(Refusal::bad_request)?;
    let value = Secret::new(body.value.into_inner());
    let kept = state.vault().put(&account.id, &name, &value).await.map_err(|error| match error {
        PutError::Empty | PutError::TooLong => Refusal::bad_request(error),
        PutError::TooMany => Refusal::Conflict(error.to_string()),
        PutError::Key(_) | PutError::Database(_) => Refusal::failed("cannot keep a secret")(error),
    })?;
    state.mcp().secret_changed(&account.id, &name);
    // What other programs are offered may depend on it.
    state.events().note(&account.id);
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(kept)).into_response())
}

/// Removes a secret.
pub async fn delete(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(name): Path<String>,
) -> Result<StatusCode, Refusal> {
    let name = SecretName::parse(&name).map_err(Refusal::bad_request)?;
    state.vault().delete(&account.id, &name).await.map_err(Refusal::failed("cannot remove a secret"))?;
    state.mcp().secret_changed(&account.id, &name);
    // What other programs are offered may depend on it.
    state.events().note(&account.id);
    Ok(StatusCode::NO_CONTENT)
}
