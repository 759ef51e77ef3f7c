//! `GET /api/v1/providers/{name}/models`: those that are set, or those that the provider tells.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, Limited};
use satchel_core::model::read_models;
use satchel_core::protocol::{ModelList, ModelSummary};
use serde_json::Value;

use super::{Provider, wire};
use crate::database::{Account, AccountId};
use crate::outbound::OutboundError;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Largest list that is read.
const ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// How long the whole list may take.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// Most of a provider's complaint that is repeated.
const COMPLAINT_CHARACTERS: usize = 300;

/// Answers the models of a provider.
pub async fn answer(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let provider = Provider::find(&state, &account.id, &name).await?;
    let models = if provider.models.is_empty() {
        ask(&state, &account.id, &provider).await?
    } else {
        provider.models.iter().map(ModelSummary::named).collect()
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(ModelList { models })).into_response())
}

async fn ask(state: &AppState, account: &AccountId, provider: &Provider) -> Result<Vec<ModelSummary>, Refusal> {
    let key = provider.key.read(state, account).await?;
    let request = wire::models_request(provider, key.as_ref())?;
    let asked = async {
        let answer = state.outbound().send(provider.trust, request).await.map_err(Refusal::NotReached)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), ANSWER_BYTES).collect().await;
        let body = body.map_err(|_| bad_answer("its list of models is incomplete or too long"))?;
        Ok((status, body.to_bytes()))
    };
    let (status, body) = tokio::time::timeout(ANSWER_TIME, asked).await.unwrap_or_else(|_| {
        let host = provider.base_url.address().host();
        Err(Refusal::NotReached(OutboundError::NoAnswer { host, seconds: ANSWER_TIME.as_secs() }))
    })?;
    read(status, &body)
}

fn read(status: StatusCode, body: &Bytes) -> Result<Vec<ModelSummary>, Refusal> {
    if !status.is_success() {
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        let complaint = answer.pointer("/error/message").or_else(|| answer.get("message")).and_then(Value::as_str);
        let complaint: String = complaint.unwrap_or_default().chars().take(COMPLAINT_CHARACTERS).collect();
        let colon = if complaint.is_empty() { "" } else { ": " };
        return Err(bad_answer(&format!("asked for its models, it answered {status}{colon}{complaint}")));
    }
    read_models(body).ok_or_else(|| {
        bad_answer("it does not tell its models; name them in its settings, and check that its base_url is right")
    })
}

fn bad_answer(what: &str) -> Refusal {
    Refusal::BadAnswer(format!("the provider gave no list of models: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_providers_tell_of_their_models_is_read() {
        let body = Bytes::from_static(br#"{"object": "list", "data": [{"id": "gpt", "context_length": 8192}, {}]}"#);
        let expected = [ModelSummary { context_length: Some(8192), ..ModelSummary::named("gpt") }];
        assert_eq!(read(StatusCode::OK, &body).expect("reads"), expected);
    }

    #[test]
    fn an_answer_without_models_is_said() {
        let check = |status: StatusCode, body: &'static str, expected: &str| {
            let refusal = read(status, &Bytes::from_static(body.as_bytes())).expect_err("is refused");
            assert!(matches!(&refusal, Refusal::BadAnswer(sentence) if sentence.ends_with(expected)), "{refusal:?}");
        };
        check(
            StatusCode::UNAUTHORIZED,
            r#"{"error": {"message": "wrong key"}}"#,
            "answered 401 Unauthorized: wrong key",
        );
        check(StatusCode::NOT_FOUND, "<h1>not here</h1>", "answered 404 Not Found");
        check(StatusCode::OK, "<h1>hello</h1>", "check that its base_url is right");
    }
}
