//! A question to a model in the page, outside of any chat: whether it runs here, and how fast.

use futures_util::future::{Either, select};
use satchel_core::local_api::{Code, Response};

use crate::browser::core_worker::scope::Course;
use crate::browser::page_model;

/// Asks, and gives all of the answer.
pub(super) async fn ask(model: &str, pieces: &[Vec<u8>], course: &Course) -> Response {
    let Some(Ok(body)) = pieces.first().map(|piece| serde_json::from_slice(piece)) else {
        return Response::refused(Code::BadRequest, "there is nothing to ask");
    };
    let mut answer = Vec::new();
    let asking = page_model::ask(model, &body, |piece| answer.extend(piece));
    let ended = match select(std::pin::pin!(asking), std::pin::pin!(course.until_stopped())).await {
        Either::Left((ended, _)) => ended,
        Either::Right(_) => Ok(()),
    };
    match ended {
        Ok(()) => Response { status: 200, headers: Vec::new(), body: answer },
        Err(error) => Response::refused(Code::Unavailable, &error.to_string()),
    }
}
