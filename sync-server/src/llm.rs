//! Models through the server: the app names a provider, the server adds its key and hands everything else on as it is.
//!
//! A request goes to the provider byte for byte, and so does the answer to the app, piece by piece as it comes. Nothing is read on the
//! way, nothing of it is logged, and when the app leaves, the provider is left too. The account's and the operator's providers are told
//! apart in [`registry`]; what the wire formats differ in is in [`wire`].

pub mod api;
pub mod models;
mod registry;
mod wire;

use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use satchel_core::protocol::{ANSWERED_BY, ANSWERED_BY_PROVIDER};

pub use registry::{KeySource, OperatorProviders, Provider};

use crate::database::Account;
use crate::guard::BodyLimit;
use crate::json_body;
use crate::outbound::Streamed;
use crate::refusal::Refusal;
use crate::state::AppState;

/// What is kept of the head of a provider's answer. Everything else speaks for the provider's own address and not for ours: cookies,
/// what a browser should remember or delete, where else to go, how the connection is kept.
const KEPT: [&str; 7] = [
    "content-type",
    "content-encoding",
    "retry-after",
    "request-id",
    "x-request-id",
    "openai-processing-ms",
    "x-should-retry",
];
/// Beginnings of further names that are kept.
const KEPT_BEGINNINGS: [&str; 2] = ["x-ratelimit-", "anthropic-ratelimit-"];

/// Hands a request on to a provider, and its answer back.
pub async fn chat(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    // Whole before anything else: a refusal then finds a client that is listening, and one that leaves is noticed at once.
    let body = json_body::collect(body, BodyLimit::Model.bytes(state.limits())).await?;
    let provider = Provider::find(&state, &account.id, &name).await?;
    let key = provider.key.read(&state, &account.id).await?;
    let request = wire::chat_request(&provider, key.as_ref(), &head.headers, body)?;
    let answer = state.outbound().send(provider.trust, request).await.map_err(Refusal::NotReached)?;
    handed_on(answer)
}

/// The provider's status and body, with so much of its head as belongs to them.
fn handed_on(answer: axum::http::Response<Streamed>) -> Result<Response, Refusal> {
    if answer.status().is_redirection() || answer.status().is_informational() {
        return Err(Refusal::BadAnswer(format!(
            "the provider redirects ({}), which is not followed; check its base_url",
            answer.status()
        )));
    }
    let (head, body) = answer.into_parts();
    let mut response = Response::new(Body::new(body));
    *response.status_mut() = head.status;
    let headers = response.headers_mut();
    for (name, value) in head.headers.iter().filter(|(name, _)| is_kept(name)) {
        headers.append(name.clone(), value.clone());
    }
    headers.insert(ANSWERED_BY, HeaderValue::from_static(ANSWERED_BY_PROVIDER));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Asks a proxy in front of the server to hold nothing back either.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

fn is_kept(name: &HeaderName) -> bool {
    let name = name.as_str();
    KEPT.contains(&name) || KEPT_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}
