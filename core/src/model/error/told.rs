//! What a provider tells of an error, wherever it puts it, and what that means.

use serde_json::Value;

use super::{ModelError, Said};

/// Gemini puts an error into a list.
pub(super) fn first_of_list(value: &Value) -> &Value {
    value.as_array().and_then(|list| list.first()).unwrap_or(value)
}

/// What is told of an error, wherever a provider puts it.
pub(super) struct Told {
    words: String,
    /// Its codes and types, for machines, joined.
    codes: String,
    status: Option<u16>,
}

impl Told {
    pub(super) fn of(value: &Value) -> Self {
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
    pub(super) fn of_text(text: &str) -> Self {
        let page = text.trim_start().starts_with('<');
        Self { words: if page { String::new() } else { text.to_owned() }, codes: String::new(), status: None }
    }

    pub(super) fn into_error(self, status: Option<u16>, retry_after_seconds: Option<u64>) -> ModelError {
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
