//! `/local/toolsets/{id}/base-url`: where the API is that the web search asks (R096), for whoever has one of their own.

use serde::{Deserialize, Serialize};

use super::call::Call;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use super::toolsets;
use crate::exa;
use crate::record::{KeptValue, RowKey, RowRef};
use crate::store::{self, Commit, Store};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaseUrlBody {
    /// The address; none for the usual one.
    base_url: Option<String>,
}

#[derive(Debug, Serialize)]
struct SetBody {
    base_url: String,
}

/// `GET /local/toolsets/{id}/base-url`
pub(super) async fn get<S: Store>(call: Call<'_, S>) -> Answer {
    is_exa(&call).await?;
    let kept: Option<KeptValue> = store::get(call.store, RowKey::one(exa::EXA_BASE_URL_KEY)).await?;
    let kept = kept.and_then(|kept| exa::read_base_url(kept.value.as_str()?).ok());
    let base_url = kept.unwrap_or_else(|| exa::EXA_BASE_URL.to_owned());
    Ok(Response::json(200, &SetBody { base_url }))
}

async fn is_exa<S: Store>(call: &Call<'_, S>) -> Result<(), Refusal> {
    let installed = toolsets::installed(call).await?;
    if installed.toolset.id.as_str() == exa::EXA_ID {
        return Ok(());
    }
    let message = format!("{} has no API whose address could be set", installed.toolset.id);
    Err(Refusal::new(Code::Conflict, message))
}

/// `PUT /local/toolsets/{id}/base-url`
pub(super) async fn put<S: Store>(call: Call<'_, S>) -> Answer {
    let BaseUrlBody { base_url } = call.json(r#"{"base_url": "https://api.exa.ai"}"#)?;
    is_exa(&call).await?;
    let base_url = base_url.filter(|text| !text.trim().is_empty()).map(|text| exa::read_base_url(&text));
    let base_url = base_url.transpose().map_err(|fault| Refusal::new(Code::BadRequest, fault).about("base_url"))?;
    let commit = match &base_url {
        Some(url) => Commit::default().put(&KeptValue { key: exa::EXA_BASE_URL_KEY.into(), value: url.clone().into() }),
        None => Commit::default().delete(RowRef::to::<KeptValue>(RowKey::one(exa::EXA_BASE_URL_KEY))),
    };
    call.apply(commit).await?;
    let base_url = base_url.unwrap_or_else(|| exa::EXA_BASE_URL.to_owned());
    Ok(Response::json(200, &SetBody { base_url }))
}
