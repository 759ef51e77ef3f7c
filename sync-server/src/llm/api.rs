//! `/api/v1/providers`: which there are, and the account's own.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use satchel_core::protocol::{ProviderList, ProviderName, ProviderSettings, ProviderSummary, SecretName};

use super::Provider;
use crate::database::{Account, AccountId};
use crate::json_body::JsonBody;
use crate::outbound::{BaseUrl, OutboundError, Trust};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Most providers of one account.
const MOST: u32 = 64;
/// Most models that one provider's settings name.
const MOST_MODELS: usize = 500;
/// Longest name of a model, in bytes.
const MODEL_BYTES: usize = 256;

/// Answers the providers that the account can use.
pub async fn list(State(state): State<AppState>, Extension(account): Extension<Account>) -> Result<Response, Refusal> {
    let usable = usable_secrets(&state, &account.id).await?;
    let stored = state.database().providers(&account.id).await.map_err(Refusal::failed("cannot list the providers"))?;
    let operators = state.operator_providers();
    let own = stored
        .into_iter()
        .filter(|(name, _)| operators.get(name).is_none())
        .filter_map(|(name, settings)| Provider::of_account(name, settings));
    let providers = operators.as_slice().iter().map(|provider| provider.summary(&usable));
    let providers = providers.chain(own.map(|provider| provider.summary(&usable))).collect();
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(ProviderList { providers })).into_response())
}

/// Adds a provider of the account's own, or changes it.
pub async fn put(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(name): Path<String>,
    JsonBody(settings): JsonBody<ProviderSettings>,
) -> Result<Response, Refusal> {
    let name = own_name(&state, &name)?;
    let base_url = BaseUrl::parse(&settings.base_url).map_err(Refusal::bad_request)?;
    check_address(&state, &base_url)?;
    let sound = |model: &String| !model.trim().is_empty() && model.len() <= MODEL_BYTES;
    if settings.models.len() > MOST_MODELS || !settings.models.iter().all(sound) {
        return Err(Refusal::bad_request(format!(
            "a provider's settings name at most {MOST_MODELS} models, each by 1 to {MODEL_BYTES} bytes"
        )));
    }
    let settings = ProviderSettings { base_url: base_url.to_string(), ..settings };
    let kept = state.database().put_provider(&account.id, &name, &settings, MOST).await;
    if !kept.map_err(Refusal::failed("cannot keep a provider"))? {
        return Err(Refusal::Conflict(format!("there are already {MOST} providers; remove one you no longer need")));
    }
    let summary = summary(&state, &account.id, name, settings).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(summary)).into_response())
}

/// Removes a provider of the account's own; the secret that it used stays.
pub async fn delete(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(name): Path<String>,
) -> Result<StatusCode, Refusal> {
    let name = own_name(&state, &name)?;
    state.database().delete_provider(&account.id, &name).await.map_err(Refusal::failed("cannot remove a provider"))?;
    Ok(StatusCode::NO_CONTENT)
}

fn own_name(state: &AppState, name: &str) -> Result<ProviderName, Refusal> {
    let name = ProviderName::parse(name).map_err(Refusal::bad_request)?;
    match state.operator_providers().get(&name) {
        None => Ok(name),
        Some(_) => Err(Refusal::Conflict(
            "the operator of this server has set up a provider with this name, which cannot be changed here; choose another name"
                .to_owned(),
        )),
    }
}

/// Said when it is entered, not only when it is used.
fn check_address(state: &AppState, base_url: &BaseUrl) -> Result<(), Refusal> {
    let (rules, address) = (state.outbound().rules(), base_url.address());
    if !rules.allow(Trust::Account, address) {
        return Err(Refusal::NotReached(OutboundError::Private { host: address.host(), address: None }));
    }
    if !address.is_https() && !rules.lists(address) {
        return Err(Refusal::bad_request(
            "over http:// others could read the key and the conversation; use https://, or have the operator of this server list the host under [outbound] private_hosts",
        ));
    }
    Ok(())
}

async fn summary(
    state: &AppState,
    account: &AccountId,
    name: ProviderName,
    settings: ProviderSettings,
) -> Result<ProviderSummary, Refusal> {
    let usable = usable_secrets(state, account).await?;
    let provider = Provider::of_account(name, settings).ok_or(Refusal::Internal)?;
    Ok(provider.summary(&usable))
}

async fn usable_secrets(state: &AppState, account: &AccountId) -> Result<BTreeSet<SecretName>, Refusal> {
    let secrets = state.vault().list(account).await.map_err(Refusal::failed("cannot list secrets"))?;
    Ok(secrets.into_iter().filter(|secret| secret.has_value).map(|secret| secret.name).collect())
}
