//! How the server says no: one shape for every refusal.

use serde::{Deserialize, Serialize};

/// Body of every answer of `/api` that is not a success: `{"error": {"code", "message"}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What went wrong.
    pub error: ProblemBody,
}

/// The inside of a [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemBody {
    /// For programs.
    pub code: ProblemCode,
    /// For people: what happened and what can be done.
    pub message: String,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    /// The request cannot be read (400).
    BadRequest,
    /// No access token, a wrong one, or one that was replaced (401).
    Unauthorized,
    /// The request comes from another site's page (403).
    ForeignOrigin,
    /// The server does not connect to that address (403).
    AddressRefused,
    /// There is nothing at this address (404).
    NotFound,
    /// The address is there, but not for this method (405).
    MethodNotAllowed,
    /// What is there already is in the way (409).
    Conflict,
    /// A key or another secret that this needs is not there (409).
    NoKey,
    /// The body is larger than the limit (413).
    TooLarge,
    /// The request was sent to a name this server does not go by (421).
    WrongHost,
    /// The server failed (500); its log says why.
    Internal,
    /// What was to be reached for the app was not: no such name, no connection, no TLS, or it broke off (502).
    Unreachable,
    /// What was reached for the app gave an answer that is of no use (502).
    BadAnswer,
    /// What was to be reached for the app took too long (504).
    TimedOut,
    /// A code of a newer server.
    #[serde(other)]
    Unknown,
}

impl Problem {
    /// A refusal with its sentence.
    #[must_use]
    pub fn new(code: ProblemCode, message: impl Into<String>) -> Self {
        Self { error: ProblemBody { code, message: message.into() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_on_the_wire() {
        let problem = Problem::new(ProblemCode::WrongHost, "this server goes by 127.0.0.1:8787");
        insta::assert_json_snapshot!(problem, @r#"
        {
          "error": {
            "code": "wrong_host",
            "message": "this server goes by 127.0.0.1:8787"
          }
        }
        "#);
    }
}
