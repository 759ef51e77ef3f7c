//! The JSON body of a request.
//!
//! Not axum's own extractor, because what goes wrong has to be said in one shape, and without repeating what came: it may be a secret.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use http_body_util::{BodyExt as _, LengthLimitError};
use serde::de::DeserializeOwned;

use crate::guard::BodyLimit;
use crate::refusal::Refusal;
use crate::state::AppState;

/// A body that was read as JSON.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Refusal> {
        let limit = BodyLimit::Ordinary.bytes(state.limits());
        let bytes = collect(request.into_body(), limit).await?;
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(|error| Refusal::NotThatJson { line: error.line(), column: error.column() })
    }
}

/// The whole body; the guard has already limited it to `limit`.
pub(crate) async fn collect(body: Body, limit: u64) -> Result<Bytes, Refusal> {
    match body.collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if is_too_long(&error) => Err(Refusal::TooLarge { limit }),
        Err(_) => Err(Refusal::bad_request("the body of the request is incomplete")),
    }
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause.is::<LengthLimitError>() {
            return true;
        }
        source = cause.source();
    }
    false
}
