//! The wire formats: which there are, where their requests go, and what goes with them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ModelRequest, anthropic, openai};
use crate::digest::BlobId;

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WireFormat {
    /// Chat completions, which most providers and all local servers speak.
    #[default]
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// Gives the bytes of a picture, if they are at hand.
pub type Images<'a> = &'a dyn Fn(&BlobId) -> Option<Vec<u8>>;

impl WireFormat {
    /// The body of a request, to be sent as JSON. A picture that is not at hand becomes a sentence that says so.
    #[must_use]
    pub fn body(self, request: &ModelRequest, images: Images<'_>) -> Value {
        match self {
            Self::OpenAi => openai::body(request, images),
            Self::Anthropic => anthropic::body(request, images),
        }
    }

    /// The address that requests are posted to, below the provider's base address, which may have the path already.
    #[must_use]
    pub fn endpoint(self, base_url: &str) -> String {
        let path = match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/messages",
        };
        let base = base_url.trim_end_matches('/');
        if base.ends_with(path) { base.to_owned() } else { format!("{base}{path}") }
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

/// Base64 with padding, as providers want the bytes of pictures.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let joined =
            three.iter().fold(0_usize, |joined, byte| joined << 8 | usize::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[joined >> (18 - 6 * place) & 63];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0x00]), "//4A");
    }

    #[test]
    fn requests_know_their_address() {
        let check = |format: WireFormat, base: &str, expected: &str| assert_eq!(format.endpoint(base), expected);
        check(WireFormat::OpenAi, "http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/chat/completions");
        check(WireFormat::OpenAi, "https://x.test/v1/chat/completions", "https://x.test/v1/chat/completions");
        check(WireFormat::Anthropic, "https://x.test/v1", "https://x.test/v1/messages");
    }

    /// R322
    #[test]
    fn keys_are_sent_as_each_provider_wants_them() {
        assert_eq!(WireFormat::OpenAi.headers(None), []);
        assert_eq!(WireFormat::OpenAi.headers(Some("k")), [("authorization", "Bearer k".to_owned())]);
        let names: Vec<&str> = WireFormat::Anthropic.headers(Some("k")).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["anthropic-version", "anthropic-dangerous-direct-browser-access", "x-api-key"]);
    }

    #[test]
    fn as_configured() {
        let words = serde_json::to_string(&[WireFormat::OpenAi, WireFormat::Anthropic]).expect("serialises");
        assert_eq!(words, r#"["openai","anthropic"]"#);
    }
}
