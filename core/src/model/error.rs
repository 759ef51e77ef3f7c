//! Why a model gave no answer, or not all of one: what happened, what the user can do, and whether the same again can help.

#[cfg(test)]
mod tests;
mod told;

use std::fmt;

use serde_json::Value;

use super::PageModelError;
use told::{Told, first_of_list};

/// What a provider said about an error, short and in one line. Shown last, because it is its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said(String);

/// Why there is no answer, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nobody answered.
    #[error("the model cannot be reached; check that it is running and that you are online, then send again{0}")]
    Unreachable(Said),
    /// The connection broke in the middle of the answer.
    #[error("the connection broke in the middle of the answer; what arrived is kept{0}")]
    Broken(Said),
    /// Nothing came for too long.
    #[error("nothing came from the model for {seconds} s; send again, or choose another model")]
    Silent {
        /// How long.
        seconds: u64,
    },
    /// The key is missing, wrong, or not good for this.
    #[error("the provider does not accept the key; enter a working one in Settings{0}")]
    Key(Said),
    /// The account has nothing left.
    #[error("the account at the provider has no credit left; top it up, or choose another model{0}")]
    Credit(Said),
    /// There is no such model, or no such address.
    #[error("the provider does not know this model; choose another one, or check the address in Settings{0}")]
    NoModel(Said),
    /// Too much was asked in too short a time.
    #[error("the provider is limiting requests{}; wait a moment and send again{said}", after(.retry_after_seconds))]
    RateLimit {
        /// When it may be tried again.
        retry_after_seconds: Option<u64>,
        /// Its words.
        said: Said,
    },
    /// It has too much to do.
    #[error("the provider is overloaded; wait a moment and send again{0}")]
    Overloaded(Said),
    /// It failed by itself.
    #[error("the provider failed; send again, and if that does not help, choose another model{0}")]
    Server(Said),
    /// The conversation is longer than the model takes.
    #[error("the conversation is too long for this model; choose one with a larger context, or begin a new chat{0}")]
    ContextOverflow(Said),
    /// The model cannot call tools.
    #[error("this model cannot call tools; switch the tools of this chat off, or choose another model{0}")]
    NoTools(Said),
    /// The model cannot see pictures.
    #[error("this model cannot see pictures; choose another one, or take the pictures out{0}")]
    NoImages(Said),
    /// Its provider does not let it answer.
    #[error("the provider's content filter blocked this; try other words{0}")]
    Filtered(Said),
    /// The provider did not accept the request.
    #[error("the provider did not accept the request{0}")]
    Refused(Said),
    /// What came is no answer of a model.
    #[error("what came back is not a model's answer; check the address and the format in Settings{0}")]
    Malformed(Said),
    /// The answer was too long.
    #[error("the answer was longer than {limit} bytes and was cut off there")]
    TooLong {
        /// How many bytes it may have.
        limit: usize,
    },
    /// It asked for too many calls.
    #[error("the model asked for more than {limit} calls at once and was stopped; send the message again")]
    TooManyCalls {
        /// How many it may ask for.
        limit: usize,
    },
    /// It said nothing at all.
    #[error("the model gave an empty answer; send again, or choose another model")]
    Empty,
    /// The model in the page cannot run.
    #[error(transparent)]
    Page(#[from] PageModelError),
}

fn after(seconds: &Option<u64>) -> String {
    seconds.map(|seconds| format!(" (again in {seconds} s)")).unwrap_or_default()
}

impl Said {
    /// How much of a provider's words is shown.
    const MOST: usize = 400;

    /// Takes the words as they came; line breaks and control characters become spaces.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let spaced = text.chars().take(4 * Self::MOST).map(|letter| if letter.is_control() { ' ' } else { letter });
        let line = spaced.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = line.chars().take(Self::MOST).collect();
        Self(if cut.len() < line.len() { format!("{cut}…") } else { cut })
    }
}

/// After a colon, or nothing.
impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

impl ModelError {
    /// Whether the same request may well succeed a little later.
    #[must_use]
    pub fn retry_helps(&self) -> bool {
        match self {
            Self::Unreachable(_)
            | Self::Broken(_)
            | Self::Silent { .. }
            | Self::RateLimit { .. }
            | Self::Overloaded(_)
            | Self::Server(_)
            | Self::TooManyCalls { .. }
            | Self::Empty => true,
            Self::Key(_)
            | Self::Credit(_)
            | Self::NoModel(_)
            | Self::ContextOverflow(_)
            | Self::NoTools(_)
            | Self::NoImages(_)
            | Self::Filtered(_)
            | Self::Refused(_)
            | Self::Malformed(_)
            | Self::TooLong { .. } => false,
            Self::Page(error) => error.retry_helps(),
        }
    }

    /// What an answer with a status that is no success means. The body is what came with it, as much as is at hand.
    #[must_use]
    pub fn of_response(status: u16, retry_after_seconds: Option<u64>, body: &[u8]) -> Self {
        let told = serde_json::from_slice::<Value>(body).ok().map(|value| Told::of(&value));
        let told = told.unwrap_or_else(|| Told::of_text(&String::from_utf8_lossy(body)));
        told.into_error(Some(status), retry_after_seconds)
    }

    /// The error that a value of a stream or a body is, if it is one.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        let value = first_of_list(value);
        let is_error = value.get("error").is_some_and(|error| !error.is_null())
            || ["error", "error_response"].iter().any(|word| value.get("type").and_then(Value::as_str) == Some(word))
            || value.get("object").and_then(Value::as_str) == Some("error")
            || value.get("detail").is_some_and(|_| value.get("choices").is_none());
        is_error.then(|| Told::of(value).into_error(None, None))
    }
}
