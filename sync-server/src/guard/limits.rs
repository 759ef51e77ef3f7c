//! How large a body may be.
//!
//! One that says so is refused unread; one that does not say is cut off at the limit while a handler reads it.

use axum::body::Body;
use axum::extract::Request;
use http_body_util::Limited;
use hyper::body::Body as _;

use crate::config::Limits;
use crate::refusal::Refusal;

/// Which limit a route's body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLimit {
    /// That of every request.
    Ordinary,
    /// That of a request to a model, which has a whole conversation with its pictures in it.
    Model,
    /// That of a request that the server makes for a tool, with its head.
    Fetch,
    /// That of what a device syncs, with its head.
    Sync,
}

impl BodyLimit {
    /// The limit, in bytes.
    #[must_use]
    pub fn bytes(self, limits: &Limits) -> u64 {
        match self {
            Self::Ordinary => limits.request_bytes.get(),
            Self::Model => limits.model_request_bytes.get(),
            Self::Fetch => limits.fetch_request_bytes.get(),
            Self::Sync => limits.sync_request_bytes.get(),
        }
    }
}

pub(super) fn check(limit: u64, request: Request) -> Result<Request, Refusal> {
    if request.body().size_hint().lower() > limit {
        return Err(Refusal::TooLarge { limit });
    }
    let cut = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(request.map(|body| Body::new(Limited::new(body, cut))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Bytes, to_bytes};
    use futures_util::stream;
    use std::convert::Infallible;

    const LIMIT: u64 = 10;

    #[tokio::test]
    async fn a_body_within_the_limit_is_left_whole() {
        let request = check(LIMIT, Request::new(Body::from("0123456789"))).expect("is let in");
        assert_eq!(to_bytes(request.into_body(), 100).await.expect("reads"), "0123456789");
    }

    #[tokio::test]
    async fn a_larger_one_is_refused_or_cut_off() {
        let said = check(LIMIT, Request::new(Body::from("0123456789+"))).expect_err("is refused");
        assert_eq!(said, Refusal::TooLarge { limit: 10 });

        let pieces =
            stream::iter(["012345", "678910"].map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece.as_bytes()))));
        let unsaid = check(LIMIT, Request::new(Body::from_stream(pieces))).expect("is let in for now");
        assert!(to_bytes(unsaid.into_body(), 100).await.is_err());
    }
}
