//! Sources of models that are reached through the server.
//!
//! A provider is the operator's, from `satchel.toml`, or the account's own. The app never holds its key: it names the provider, and
//! the server adds the key on the way.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::SecretName;

/// Header that is on every answer of `POST /api/v1/providers/{name}/chat` that the provider itself gave.
///
/// Without it an answer is the server's own: a 401 from a provider means a wrong key, one from the server a wrong access token.
pub const ANSWERED_BY: &str = "x-satchel-answered-by";
/// The value of [`ANSWERED_BY`].
pub const ANSWERED_BY_PROVIDER: &str = "provider";

/// Answer of `GET /api/v1/providers`: the operator's first, then the account's own by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderList {
    /// Every provider that the account can use.
    pub providers: Vec<ProviderSummary>,
}

/// A provider, as the app may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderSummary {
    /// What it is called, and how it is named in addresses.
    pub name: ProviderName,
    /// Address of its API.
    pub base_url: String,
    /// Which wire format it speaks.
    pub format: ProviderFormat,
    /// The models to offer; the provider is asked when there are none.
    pub models: Vec<String>,
    /// Name of the secret that holds its key.
    pub secret: Option<SecretName>,
    /// Whether it is the operator's and cannot be changed from the app.
    pub read_only: bool,
    /// Whether its key is there.
    pub key: KeyStanding,
}

/// Body of `PUT /api/v1/providers/{name}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderSettings {
    /// Address of its API: for OpenAI's format up to what precedes `/chat/completions`, for Anthropic's up to what precedes `/v1`.
    pub base_url: String,
    /// Which wire format it speaks.
    pub format: ProviderFormat,
    /// The models to offer; the provider is asked when there are none.
    #[serde(default)]
    pub models: Vec<String>,
    /// Name of the secret that holds its key; none where it needs no key or the operator has set one.
    #[serde(default)]
    pub secret: Option<SecretName>,
}

/// A provider's wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderFormat {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// Whether a provider's key is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyStanding {
    /// It is asked without one.
    NotNeeded,
    /// The server has it.
    Set,
    /// It has to be entered, or set by the operator, before anything can be asked.
    Missing,
}

/// Answer of `GET /api/v1/providers/{name}/models`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelList {
    /// The models, in the order of whoever listed them.
    pub models: Vec<ModelSummary>,
}

/// One model of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSummary {
    /// What requests call it.
    pub id: String,
    /// What people call it, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many tokens it takes, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_length: Option<u64>,
    /// Whether it sees pictures, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sees_images: Option<bool>,
    /// What it costs, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<ModelPrices>,
}

/// What the tokens of a model cost: a million of them, in millionths of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelPrices {
    /// Those that it is sent.
    pub input: u64,
    /// Those that it answers with.
    pub output: u64,
    /// Those that it is sent and still has, where they have a price of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

/// The name of a provider: 1 to 64 characters that one segment of an address can carry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProviderName(String);

/// A text that should have been the name of a provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a provider's name has 1 to 64 characters, none of them / or \\, no spaces at its ends, and not only dots")]
pub struct ProviderNameError;

impl ProviderName {
    /// Reads a name.
    ///
    /// Slashes, and names of dots, are refused because browsers rearrange addresses that have them, however they are written.
    pub fn parse(text: &str) -> Result<Self, ProviderNameError> {
        let length = text.chars().count();
        let sound = (1..=64).contains(&length)
            && text.trim() == text
            && !text.contains(|char: char| char.is_control() || matches!(char, '/' | '\\'))
            && text.contains(|char: char| char != '.');
        sound.then(|| Self(text.to_owned())).ok_or(ProviderNameError)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ModelSummary {
    /// A model of which nothing is known but what requests call it.
    #[must_use]
    pub fn named(id: impl Into<String>) -> Self {
        Self { id: id.into(), name: None, context_length: None, sees_images: None, prices: None }
    }

    /// What people call it.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for ProviderName {
    type Error = ProviderNameError;

    fn try_from(text: String) -> Result<Self, ProviderNameError> {
        Self::parse(&text)
    }
}

impl From<ProviderName> for String {
    fn from(name: ProviderName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_on_the_wire() {
        let list = ProviderList {
            providers: vec![ProviderSummary {
                name: ProviderName::parse("claude").expect("a name"),
                base_url: "https://api.anthropic.com".into(),
                format: ProviderFormat::Anthropic,
                models: vec!["one".into()],
                secret: Some(SecretName::parse("ANTHROPIC_API_KEY").expect("a name")),
                read_only: false,
                key: KeyStanding::Missing,
            }],
        };
        insta::assert_json_snapshot!(list, @r#"
        {
          "providers": [
            {
              "name": "claude",
              "base_url": "https://api.anthropic.com",
              "format": "anthropic",
              "models": [
                "one"
              ],
              "secret": "ANTHROPIC_API_KEY",
              "read_only": false,
              "key": "missing"
            }
          ]
        }
        "#);
    }

    #[test]
    fn settings_need_only_an_address_and_a_format() {
        let read: ProviderSettings =
            serde_json::from_str(r#"{"base_url": "https://a.test/v1", "format": "openai"}"#).expect("reads");
        let expected = ProviderSettings {
            base_url: "https://a.test/v1".into(),
            format: ProviderFormat::OpenAi,
            models: vec![],
            secret: None,
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn models_on_the_wire() {
        let named = ModelSummary {
            id: "claude-one".into(),
            name: Some("Claude One".into()),
            context_length: Some(200_000),
            sees_images: Some(true),
            prices: Some(ModelPrices { input: 3_000_000, output: 15_000_000, cached: None }),
        };
        let bare = ModelSummary::named("llama");
        assert_eq!((named.label(), bare.label()), ("Claude One", "llama"));
        insta::assert_json_snapshot!(ModelList { models: vec![named, bare] }, @r#"
        {
          "models": [
            {
              "id": "claude-one",
              "name": "Claude One",
              "context_length": 200000,
              "sees_images": true,
              "prices": {
                "input": 3000000,
                "output": 15000000
              }
            },
            {
              "id": "llama"
            }
          ]
        }
        "#);
    }

    #[test]
    fn names_fit_into_one_segment_of_an_address() {
        for good in ["openai", "My Ollama", "größer", "a.b", &"x".repeat(64)] {
            assert!(ProviderName::parse(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "...", "a/b", "a\\b", " a", "a ", "a\nb", &"x".repeat(65)] {
            assert_eq!(ProviderName::parse(bad), Err(ProviderNameError), "{bad:?}");
        }
    }
}
