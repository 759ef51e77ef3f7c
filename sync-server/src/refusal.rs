//! Every way to say no, with its status and its sentence.
//!
//! The answer is a [`Problem`] in JSON, made here and nowhere else. None of the sentences repeats what the request carried.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use satchel_core::protocol::{Problem, ProblemCode};

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It was sent to a name this server does not go by.
    WrongHost {
        /// The name it goes by.
        canonical: String,
    },
    /// It comes from another site's page.
    ForeignOrigin {
        /// The site that may ask.
        canonical: String,
    },
    /// No token came with it.
    NoToken,
    /// The token is none of ours.
    WrongToken,
    /// The token was ours once.
    ReplacedToken,
    /// Its body is larger than the limit.
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// There is nothing at this address.
    NotFound,
    /// The address is there, but not for this method.
    MethodNotAllowed,
    /// The server failed; the log says why.
    Internal,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::WrongHost { .. } => StatusCode::MISDIRECTED_REQUEST,
            Self::ForeignOrigin { .. } => StatusCode::FORBIDDEN,
            Self::NoToken | Self::WrongToken | Self::ReplacedToken => StatusCode::UNAUTHORIZED,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn problem(&self) -> Problem {
        match self {
            Self::WrongHost { canonical } => {
                Problem::new(ProblemCode::WrongHost, format!("this server goes by {canonical}; open that address"))
            }
            Self::ForeignOrigin { canonical } => {
                Problem::new(ProblemCode::ForeignOrigin, format!("only pages of {canonical} may ask this server"))
            }
            Self::NoToken => unauthorized("this needs an access token; `satchel token` prints it"),
            Self::WrongToken => {
                unauthorized("this access token is not known here; `satchel token` prints the right one")
            }
            Self::ReplacedToken => unauthorized("this access token was replaced; `satchel token` prints the new one"),
            Self::TooLarge { limit } => {
                Problem::new(ProblemCode::TooLarge, format!("the body is larger than {limit} bytes, the limit here"))
            }
            Self::NotFound => Problem::new(ProblemCode::NotFound, "there is nothing at this address"),
            Self::MethodNotAllowed => {
                Problem::new(ProblemCode::MethodNotAllowed, "this address does not take that method")
            }
            Self::Internal => Problem::new(ProblemCode::Internal, "the server failed; its log says why"),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status(), Json(self.problem())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status() == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

fn unauthorized(message: &str) -> Problem {
    Problem::new(ProblemCode::Unauthorized, message)
}
