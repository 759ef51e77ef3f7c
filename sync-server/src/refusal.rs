//! Every way to say no, with its status and its sentence.
//!
//! The answer is a [`Problem`] in JSON, made here and nowhere else. None of the sentences repeats what the request carried.

use std::error::Error;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use satchel_core::protocol::{Problem, ProblemCode};

use crate::outbound::{OutboundError, OutboundFault};

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq)]
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
    /// It is not what this address takes.
    BadRequest(String),
    /// Its body is not JSON, or not the JSON that this address takes.
    NotThatJson {
        /// Where it stops being that.
        line: usize,
        /// Likewise.
        column: usize,
    },
    /// What is there already is in the way.
    Conflict(String),
    /// A key that this needs is not there.
    NoKey(String),
    /// The account has no provider of this name.
    NoProvider,
    /// The account has no MCP server of this key.
    NoMcpServer,
    /// The MCP server cannot be called now; why.
    McpNotConnected(String),
    /// A call took too long.
    McpTimedOut(String),
    /// There is no such form, or not any more.
    NoForm,
    /// What was to be reached for the app was not.
    NotReached(OutboundError),
    /// What was reached for the app answered with something of no use.
    BadAnswer(String),
    /// There is nothing at this address.
    NotFound,
    /// The address is there, but not for this method.
    MethodNotAllowed,
    /// The server failed; the log says why.
    Internal,
}

impl Refusal {
    /// A request that cannot be right, with a sentence that does not repeat it.
    pub(crate) fn bad_request(reason: impl ToString) -> Self {
        Self::BadRequest(reason.to_string())
    }

    /// Notes in the log what failed, and tells the other side no more than that it did.
    pub(crate) fn failed<E: Error>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| {
            let causes = std::iter::successors(error.source(), |&cause| cause.source());
            let error = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
            tracing::error!(error, "{what}");
            Self::Internal
        }
    }

    /// What it says, for who is not told by an answer of ours.
    pub(crate) fn sentence(&self) -> String {
        self.problem().error.message
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::WrongHost { .. } => StatusCode::MISDIRECTED_REQUEST,
            Self::ForeignOrigin { .. } => StatusCode::FORBIDDEN,
            Self::NoToken | Self::WrongToken | Self::ReplacedToken => StatusCode::UNAUTHORIZED,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BadRequest(_) | Self::NotThatJson { .. } => StatusCode::BAD_REQUEST,
            Self::Conflict(_) | Self::NoKey(_) => StatusCode::CONFLICT,
            Self::NotReached(error) => match error.kind() {
                OutboundFault::Refused => StatusCode::FORBIDDEN,
                OutboundFault::Unreachable => StatusCode::BAD_GATEWAY,
                OutboundFault::TimedOut => StatusCode::GATEWAY_TIMEOUT,
            },
            Self::BadAnswer(_) | Self::McpNotConnected(_) => StatusCode::BAD_GATEWAY,
            Self::McpTimedOut(_) => StatusCode::GATEWAY_TIMEOUT,
            Self::NoProvider | Self::NoMcpServer | Self::NoForm | Self::NotFound => StatusCode::NOT_FOUND,
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
                Problem::new(ProblemCode::ForeignOrigin, format!("only pages from {canonical} may use this server"))
            }
            Self::NoToken => unauthorized("this needs an access token; `satchel token` prints it"),
            Self::WrongToken => {
                unauthorized("this access token is not known here; `satchel token` prints the right one")
            }
            Self::ReplacedToken => unauthorized("this access token was replaced; `satchel token` prints the new one"),
            Self::TooLarge { limit } => {
                Problem::new(ProblemCode::TooLarge, format!("the body is larger than {limit} bytes, the limit here"))
            }
            Self::BadRequest(sentence) => Problem::new(ProblemCode::BadRequest, sentence),
            Self::NotThatJson { line, column } => Problem::new(
                ProblemCode::BadRequest,
                format!("the body is not the JSON that this address takes (line {line}, column {column})"),
            ),
            Self::Conflict(sentence) => Problem::new(ProblemCode::Conflict, sentence),
            Self::NoKey(sentence) => Problem::new(ProblemCode::NoKey, sentence),
            Self::NoProvider => Problem::new(ProblemCode::NotFound, "there is no provider with this name"),
            Self::NoMcpServer => Problem::new(ProblemCode::NotFound, "there is no MCP server with this key"),
            Self::McpNotConnected(reason) => {
                Problem::new(ProblemCode::Unreachable, format!("the MCP server is not connected: {reason}"))
            }
            Self::McpTimedOut(sentence) => Problem::new(ProblemCode::TimedOut, sentence),
            Self::NoForm => {
                Problem::new(ProblemCode::NotFound, "there is no such form, or it no longer needs an answer")
            }
            Self::NotReached(error) => {
                let code = match error.kind() {
                    OutboundFault::Refused => ProblemCode::AddressRefused,
                    OutboundFault::Unreachable => ProblemCode::Unreachable,
                    OutboundFault::TimedOut => ProblemCode::TimedOut,
                };
                Problem::new(code, error.to_string())
            }
            Self::BadAnswer(sentence) => Problem::new(ProblemCode::BadAnswer, sentence),
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
