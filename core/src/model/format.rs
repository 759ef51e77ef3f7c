//! The wire formats: where their requests go, and what goes with them.

use serde_json::Value;

use super::{ModelRequest, anthropic, openai};
use crate::digest::BlobId;
use crate::protocol::ProviderFormat;

/// Gives the bytes of a picture, if they are at hand.
pub type Images<'a> = &'a dyn Fn(&BlobId) -> Option<Vec<u8>>;

impl ProviderFormat {
    /// The body of a request, to be sent as JSON. A picture that is not at hand becomes a sentence that says so.
    #[must_use]
    pub fn body(self, request: &ModelRequest, images: Images<'_>) -> Value {
        match self {
            Self::OpenAi => openai::body(request, images),
            Self::Anthropic => anthropic::body(request, images),
        }
    }

    /// The address that requests are posted to: below the base address, as the server has it too, which may have all or some of the path
    /// already.
    #[must_use]
    pub fn endpoint(self, base_url: &str) -> String {
        format!("{}{}", self.base(base_url), self.path())
    }

    /// The address that tells which models there are.
    #[must_use]
    pub fn models_endpoint(self, base_url: &str) -> String {
        let base = self.base(base_url);
        match self {
            Self::OpenAi => format!("{base}/models"),
            // Twenty are told unless more are asked for.
            Self::Anthropic => format!("{base}/v1/models?limit=1000"),
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/v1/messages",
        }
    }

    fn base(self, base_url: &str) -> &str {
        let base = base_url.trim_end_matches('/');
        let base = base.strip_suffix(self.path()).unwrap_or(base);
        match self {
            Self::OpenAi => base,
            Self::Anthropic => base.strip_suffix("/v1").unwrap_or(base),
        }
    }

    /// The headers of a request beside its content type. The key is a secret: they are sent, and nothing else is done with them.
    #[must_use]
    pub fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
        match self {
            Self::OpenAi => key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect(),
            Self::Anthropic => {
                let key = key.map(|key| ("x-api-key", key.to_owned()));
                // Without the second, Anthropic answers no browser; the key is the user's own and on the user's device (R322).
                let always =
                    [("anthropic-version", "2023-06-01"), ("anthropic-dangerous-direct-browser-access", "true")];
                always.into_iter().map(|(name, value)| (name, value.to_owned())).chain(key).collect()
            }
        }
    }
}

/// What is said where a picture is not at hand.
pub(super) const NO_PICTURE: &str = "[a picture that is no longer stored]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_know_their_address() {
        let check = |format: ProviderFormat, base: &str, expected: &str| assert_eq!(format.endpoint(base), expected);
        check(ProviderFormat::OpenAi, "http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/chat/completions");
        check(ProviderFormat::OpenAi, "https://x.test/v1/chat/completions", "https://x.test/v1/chat/completions");
        for base in ["https://x.test", "https://x.test/v1", "https://x.test/v1/messages"] {
            check(ProviderFormat::Anthropic, base, "https://x.test/v1/messages");
            let models = ProviderFormat::Anthropic.models_endpoint(base);
            assert_eq!(models, "https://x.test/v1/models?limit=1000");
        }
        for base in ["http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/chat/completions"] {
            assert_eq!(ProviderFormat::OpenAi.models_endpoint(base), "http://127.0.0.1:11434/v1/models");
        }
    }

    /// R322
    #[test]
    fn keys_are_sent_as_each_provider_wants_them() {
        assert_eq!(ProviderFormat::OpenAi.headers(None), []);
        assert_eq!(ProviderFormat::OpenAi.headers(Some("k")), [("authorization", "Bearer k".to_owned())]);
        let names: Vec<&str> = ProviderFormat::Anthropic.headers(Some("k")).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["anthropic-version", "anthropic-dangerous-direct-browser-access", "x-api-key"]);
    }
}
