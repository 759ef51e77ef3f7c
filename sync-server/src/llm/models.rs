//! `GET /api/v1/providers/{name}/models`: those that are set, or those that the provider tells.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, Limited};
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
/// Most models that are told.
const MOST: usize = 2_000;
/// Longest name of a model, in characters.
const NAME_CHARACTERS: usize = 256;
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
        let model = |id: &String| ModelSummary { id: id.clone(), name: None, context_length: None };
        provider.models.iter().map(model).collect()
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
        let body = body.map_err(|_| bad_answer("its list of models broke off, or is longer than any"))?;
        Ok((status, body.to_bytes()))
    };
    let (status, body) = tokio::time::timeout(ANSWER_TIME, asked).await.unwrap_or_else(|_| {
        let host = provider.base_url.address().host();
        Err(Refusal::NotReached(OutboundError::NoAnswer { host, seconds: ANSWER_TIME.as_secs() }))
    })?;
    read(status, &body)
}

fn read(status: StatusCode, body: &Bytes) -> Result<Vec<ModelSummary>, Refusal> {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    if !status.is_success() {
        let complaint = answer.pointer("/error/message").or_else(|| answer.get("message")).and_then(Value::as_str);
        let complaint: String = complaint.unwrap_or_default().chars().take(COMPLAINT_CHARACTERS).collect();
        let colon = if complaint.is_empty() { "" } else { ": " };
        return Err(bad_answer(&format!("asked for its models, it answered {status}{colon}{complaint}")));
    }
    let list = answer.get("data").and_then(Value::as_array).ok_or_else(|| {
        bad_answer("it does not tell its models; name them in its settings, and check that its base_url is right")
    })?;
    Ok(list.iter().filter_map(model).take(MOST).collect())
}

/// Everyone tells the `id`; what else they tell, they tell in words of their own.
fn model(entry: &Value) -> Option<ModelSummary> {
    let short = |text: &&str| !text.is_empty() && text.chars().count() <= NAME_CHARACTERS;
    let text = |member: &str| entry.get(member).and_then(Value::as_str).filter(short).map(ToOwned::to_owned);
    let number = |pointer: &str| entry.pointer(pointer).and_then(Value::as_u64);
    let lengths = ["/context_length", "/context_window", "/max_model_len", "/max_input_tokens", "/meta/n_ctx"];
    Some(ModelSummary {
        id: text("id")?,
        name: text("display_name").or_else(|| text("name")),
        context_length: lengths.into_iter().find_map(number),
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
        let body = Bytes::from_static(
            br#"{"object": "list", "data": [
                {"id": "gpt", "object": "model", "owned_by": "someone"},
                {"id": "claude", "display_name": "Claude", "type": "model", "max_input_tokens": 200000},
                {"id": "router/one", "name": "Router: One", "context_length": 8192},
                {"id": "local.gguf", "meta": {"n_ctx": 4096}},
                {"name": "nameless"}, {"id": ""}, 7
            ]}"#,
        );
        let model = |id: &str, name: Option<&str>, context_length: Option<u64>| ModelSummary {
            id: id.into(),
            name: name.map(Into::into),
            context_length,
        };
        let expected = [
            model("gpt", None, None),
            model("claude", Some("Claude"), Some(200_000)),
            model("router/one", Some("Router: One"), Some(8192)),
            model("local.gguf", None, Some(4096)),
        ];
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
