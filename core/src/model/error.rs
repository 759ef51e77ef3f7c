//! Why a model gave no answer, or not all of one: what happened, what the user can do, and whether the same again can help.

use std::fmt;

use serde_json::Value;

/// What a provider said about an error, short and in one line. Shown last, because it is its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said(String);

/// Why there is no answer, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nobody answered.
    #[error("the model cannot be reached; see whether it runs and the network is there, then send again{0}")]
    Unreachable(Said),
    /// The connection broke in the middle of the answer.
    #[error("the connection broke in the middle of the answer; what came is kept{0}")]
    Broken(Said),
    /// Nothing came for too long.
    #[error("nothing came from the model for {seconds} s; send again, or choose another model")]
    Silent {
        /// How long.
        seconds: u64,
    },
    /// The key is missing, wrong, or not good for this.
    #[error("the provider does not accept the key; put a working one in Settings{0}")]
    Key(Said),
    /// The account has nothing left.
    #[error("the account at the provider has no credit left; top it up, or choose another model{0}")]
    Credit(Said),
    /// There is no such model, or no such address.
    #[error("the provider does not know this model; choose another one, or check the address in Settings{0}")]
    NoModel(Said),
    /// Too much was asked in too short a time.
    #[error("the provider wants fewer requests{}; wait a moment and send again{said}", after(.retry_after_seconds))]
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
    #[error(
        "the conversation is longer than this model takes; choose one with a larger context, or begin a new chat{0}"
    )]
    ContextOverflow(Said),
    /// The model cannot call tools.
    #[error("this model cannot call tools; switch the tools of this chat off, or choose another model{0}")]
    NoTools(Said),
    /// The model cannot see pictures.
    #[error("this model cannot see pictures; choose another one, or take the pictures out{0}")]
    NoImages(Said),
    /// Its provider does not let it answer.
    #[error("the provider's filter does not let this be answered; say it in other words{0}")]
    Filtered(Said),
    /// The provider did not accept the request.
    #[error("the provider did not accept the request{0}")]
    Refused(Said),
    /// What came is no answer of a model.
    #[error("what came back is not an answer of a model; check the address and the format in Settings{0}")]
    Malformed(Said),
    /// The answer was too long.
    #[error("the answer was longer than {limit} bytes and was ended there")]
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

/// Gemini puts an error into a list.
fn first_of_list(value: &Value) -> &Value {
    value.as_array().and_then(|list| list.first()).unwrap_or(value)
}

/// What is told of an error, wherever a provider puts it.
struct Told {
    words: String,
    /// Its codes and types, for machines, joined.
    codes: String,
    status: Option<u16>,
}

impl Told {
    fn of(value: &Value) -> Self {
        let outer = first_of_list(value);
        let inner = outer.get("error").filter(|error| !error.is_null()).unwrap_or(outer);
        let detail = |detail: &Value| match detail {
            Value::String(text) => Some(text.clone()),
            Value::Array(list) => Some(list.first()?.get("msg")?.as_str()?.to_owned()),
            _ => None,
        };
        let words = (inner.as_str().map(str::to_owned))
            .or_else(|| inner.get("message").and_then(Value::as_str).map(str::to_owned))
            .or_else(|| outer.get("message").and_then(Value::as_str).map(str::to_owned))
            .or_else(|| inner.get("detail").or_else(|| outer.get("detail")).and_then(detail))
            .unwrap_or_default();
        // A gateway's own word may only be that its provider failed; what that one said is beside it.
        let raw = inner.get("metadata").and_then(|metadata| metadata.get("raw")).and_then(Value::as_str).unwrap_or("");
        let words = if raw.is_empty() { words } else { format!("{words}: {raw}") };
        let code = |name: &str| match inner.get(name) {
            Some(Value::String(text)) => text.clone(),
            _ => String::new(),
        };
        let codes = ["code", "type", "status"].map(code).join(" ").to_ascii_lowercase();
        let status = inner.get("code").or_else(|| inner.get("status")).and_then(Value::as_u64);
        let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status >= 400);
        Self { words, codes, status }
    }

    /// What is no JSON: a line of text is shown, a web page is not.
    fn of_text(text: &str) -> Self {
        let page = text.trim_start().starts_with('<');
        Self { words: if page { String::new() } else { text.to_owned() }, codes: String::new(), status: None }
    }

    fn into_error(self, status: Option<u16>, retry_after_seconds: Option<u64>) -> ModelError {
        let Self { words, codes, status: told_status } = self;
        let status = status.or(told_status);
        let said = match (status, words.is_empty()) {
            (Some(status), true) => Said::new(&format!("it answered {status}")),
            _ => Said::new(&words),
        };
        let lower = words.to_lowercase();
        let says = |any: &[&str]| any.iter().any(|word| lower.contains(word) || codes.contains(word));
        if says(&OVERFLOW) || (status == Some(413)) {
            return ModelError::ContextOverflow(said);
        }
        if says(&CREDIT) || status == Some(402) {
            return ModelError::Credit(said);
        }
        if says(&["overloaded", "capacity"]) || status == Some(529) {
            return ModelError::Overloaded(said);
        }
        if says(&["rate_limit", "rate limit", "resource_exhausted", "too many requests"]) || status == Some(429) {
            return ModelError::RateLimit { retry_after_seconds, said };
        }
        if says(&NO_TOOLS) {
            return ModelError::NoTools(said);
        }
        if says(&NO_IMAGES) {
            return ModelError::NoImages(said);
        }
        if says(&["content_filter", "content_policy", "content management policy", "safety"]) {
            return ModelError::Filtered(said);
        }
        if says(&["invalid_api_key", "authentication_error", "permission_error", "api key"]) {
            return ModelError::Key(said);
        }
        if says(&["model_not_found", "not_found_error"]) {
            return ModelError::NoModel(said);
        }
        match status {
            Some(401 | 403) => ModelError::Key(said),
            Some(404 | 405) => ModelError::NoModel(said),
            Some(503) => ModelError::Overloaded(said),
            Some(408 | 500..=599) | None => ModelError::Server(said),
            Some(_) => ModelError::Refused(said),
        }
    }
}

/// How providers say that a conversation is too long.
const OVERFLOW: [&str; 10] = [
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "context limit",
    "exceed_context",
    "prompt is too long",
    "input is too long",
    "maximum number of tokens",
    "request_too_large",
];

/// How they say that it has to be paid for.
const CREDIT: [&str; 5] =
    ["insufficient_quota", "credit balance", "insufficient credits", "billing_error", "payment required"];

/// How they say that a model knows no tools.
const NO_TOOLS: [&str; 5] = [
    "does not support tools",
    "support tool use",
    "does not support tool",
    "does not support function",
    "tools is not supported",
];

/// How they say that it sees nothing.
const NO_IMAGES: [&str; 5] = [
    "does not support image",
    "support image input",
    "not a multimodal model",
    "image input is not supported",
    "does not support vision",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn told(status: u16, body: &str) -> (String, bool) {
        let error = ModelError::of_response(status, None, body.as_bytes());
        (error.to_string(), error.retry_helps())
    }

    fn check(status: u16, body: &str, expected: &str, retry: bool) {
        assert_eq!(told(status, body), (expected.to_owned(), retry), "{status} {body}");
    }

    /// R319: bodies as providers write them, each with what the user can do.
    #[test]
    fn an_error_says_what_to_do() {
        check(
            401,
            r#"{"error": {"message": "Incorrect API key provided: sk-…", "type": "invalid_request_error", "code": "invalid_api_key"}}"#,
            "the provider does not accept the key; put a working one in Settings: Incorrect API key provided: sk-…",
            false,
        );
        check(
            529,
            r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "r"}"#,
            "the provider is overloaded; wait a moment and send again: Overloaded",
            true,
        );
        check(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 250000 tokens > 200000 maximum"}}"#,
            "the conversation is longer than this model takes; choose one with a larger context, or begin a new chat: prompt is too long: 250000 tokens > 200000 maximum",
            false,
        );
        check(
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
            "the conversation is longer than this model takes; choose one with a larger context, or begin a new chat: the request exceeds the available context size, try increasing it",
            false,
        );
        check(
            429,
            r#"{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}"#,
            "the account at the provider has no credit left; top it up, or choose another model: You exceeded your current quota",
            false,
        );
        check(
            400,
            r#"{"error":"registry.example/library/tiny does not support tools"}"#,
            "this model cannot call tools; switch the tools of this chat off, or choose another model: registry.example/library/tiny does not support tools",
            false,
        );
        check(
            404,
            r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#,
            "the provider does not know this model; choose another one, or check the address in Settings: model \"x\" not found, try pulling it first",
            false,
        );
        check(
            422,
            r#"{"detail": [{"loc": ["body"], "msg": "field required"}]}"#,
            "the provider did not accept the request: field required",
            false,
        );
        check(
            400,
            r#"[{"error": {"code": 400, "message": "Bad", "status": "INVALID_ARGUMENT"}}]"#,
            "the provider did not accept the request: Bad",
            false,
        );
        check(
            502,
            "<html><body>Bad gateway</body></html>",
            "the provider failed; send again, and if that does not help, choose another model: it answered 502",
            true,
        );
        check(
            500,
            "oh\r\n no",
            "the provider failed; send again, and if that does not help, choose another model: oh no",
            true,
        );
    }

    #[test]
    fn a_limit_of_requests_says_when() {
        let error = ModelError::of_response(429, Some(7), b"{}");
        let expected =
            "the provider wants fewer requests (again in 7 s); wait a moment and send again: it answered 429";
        assert_eq!((error.to_string().as_str(), error.retry_helps()), (expected, true));
    }

    #[test]
    fn what_a_provider_says_is_bounded() {
        let (words, _) = told(400, &format!(r#"{{"error": "{}"}}"#, "é".repeat(900)));
        assert_eq!(words.chars().filter(|letter| *letter == 'é').count(), 400);
        assert!(words.ends_with('…'));
    }

    /// Errors in the middle of a stream have no status of their own.
    #[test]
    fn values_of_a_stream_are_told_apart_from_errors() {
        let of = |text: &str| ModelError::of_value(&serde_json::from_str(text).expect("is JSON"));
        assert_eq!(of(r#"{"choices": [], "error": null}"#), None);
        let error = of(r#"{"error": {"code": 502, "message": "Provider returned error"}, "choices": []}"#);
        assert_eq!(error, Some(ModelError::Server(Said::new("Provider returned error"))));
        let error = of(r#"{"object": "error", "message": "too bad", "code": 400}"#);
        assert_eq!(error, Some(ModelError::Refused(Said::new("too bad"))));
        let error = of(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
        assert_eq!(error, Some(ModelError::Overloaded(Said::new("Overloaded"))));
    }
}
