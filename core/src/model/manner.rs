//! How models are asked to answer: what frames every conversation, how much chance there is, how long an answer may be. What is not set is
//! the provider's own affair.

use serde::{Deserialize, Serialize};

use crate::record::{RowKey, Setting};
use crate::store::{Store, StoreError, get};
use crate::turn::ModelSettings;

/// How models are asked to answer. Each part is a setting of its own, so that two devices can change two of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// What every conversation begins with, unseen; empty for nothing.
    pub system_prompt: String,
    /// How much chance there is in an answer.
    pub temperature: Option<Temperature>,
    /// How long an answer may be, in tokens.
    pub max_tokens: Option<u32>,
}

/// How much chance there is in an answer: 0 to 2, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Temperature(u8);

/// One part and its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MannerChange {
    /// Sets [`Manner::system_prompt`].
    SystemPrompt(String),
    /// Sets [`Manner::temperature`].
    Temperature(Option<Temperature>),
    /// Sets [`Manner::max_tokens`].
    MaxTokens(Option<u32>),
}

/// A value that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MannerError {
    /// No temperature.
    #[error("a temperature is a number from 0 to 2; leave it empty for the provider's own")]
    Temperature,
    /// No length.
    #[error("an answer has 1 to {MOST_TOKENS} tokens; leave it empty for the provider's own limit")]
    MaxTokens,
    /// Too long.
    #[error("a system prompt has at most {LONGEST_PROMPT} bytes")]
    SystemPrompt,
}

const SYSTEM_PROMPT: &str = "system_prompt";
const TEMPERATURE: &str = "model_temperature";
const MAX_TOKENS: &str = "model_max_tokens";

/// The longest answer that can be asked for, in tokens.
const MOST_TOKENS: u32 = 1_000_000;
/// The longest system prompt, in bytes.
const LONGEST_PROMPT: usize = 100_000;

impl Manner {
    /// Reads what is set. A row that cannot be understood is as if it were not there (R317).
    pub async fn read(store: &impl Store) -> Result<Self, StoreError> {
        let value = async |key: &str| {
            let setting = get::<Setting>(store, RowKey::one(key)).await?;
            Ok::<_, StoreError>(setting.map(|setting| setting.value).unwrap_or_default())
        };
        let (prompt, temperature, tokens) =
            (value(SYSTEM_PROMPT).await?, value(TEMPERATURE).await?, value(MAX_TOKENS).await?);
        Ok(Self {
            system_prompt: serde_json::from_value(prompt).unwrap_or_default(),
            temperature: serde_json::from_value(temperature).ok(),
            max_tokens: serde_json::from_value(tokens).ok().filter(|tokens| (1..=MOST_TOKENS).contains(tokens)),
        })
    }

    /// A model, asked in this manner.
    #[must_use]
    pub fn of_model(&self, name: &str, context_tokens: Option<u64>) -> ModelSettings {
        let prompt = self.system_prompt.trim();
        ModelSettings {
            name: name.to_owned(),
            system: (!prompt.is_empty()).then(|| prompt.to_owned()),
            temperature: self.temperature.map(f64::from),
            max_tokens: self.max_tokens,
            context_tokens,
            ..ModelSettings::default()
        }
    }
}

impl MannerChange {
    /// A system prompt as it was typed.
    pub fn system_prompt(text: &str) -> Result<Self, MannerError> {
        let text = text.trim_end();
        if text.len() > LONGEST_PROMPT { Err(MannerError::SystemPrompt) } else { Ok(Self::SystemPrompt(text.into())) }
    }

    /// A temperature as it was typed; nothing for the provider's own.
    pub fn temperature(text: &str) -> Result<Self, MannerError> {
        let number = |text: &str| text.replace(',', ".").parse::<f64>().map_err(|_| MannerError::Temperature);
        let typed = Some(text.trim()).filter(|text| !text.is_empty());
        typed.map(|text| Temperature::try_from(number(text)?)).transpose().map(Self::Temperature)
    }

    /// A length as it was typed; nothing for the provider's own.
    pub fn max_tokens(text: &str) -> Result<Self, MannerError> {
        let typed = Some(text.trim()).filter(|text| !text.is_empty());
        let tokens = typed.map(|text| text.parse::<u32>().map_err(|_| MannerError::MaxTokens)).transpose()?;
        match tokens {
            Some(tokens) if !(1..=MOST_TOKENS).contains(&tokens) => Err(MannerError::MaxTokens),
            tokens => Ok(Self::MaxTokens(tokens)),
        }
    }

    /// The row that keeps it.
    #[must_use]
    pub fn row(self) -> Setting {
        let (key, value) = match self {
            Self::SystemPrompt(text) => (SYSTEM_PROMPT, text.into()),
            Self::Temperature(temperature) => (TEMPERATURE, temperature.map(f64::from).into()),
            Self::MaxTokens(tokens) => (MAX_TOKENS, tokens.into()),
        };
        Setting { key: key.into(), value }
    }
}

impl TryFrom<f64> for Temperature {
    type Error = MannerError;

    fn try_from(number: f64) -> Result<Self, MannerError> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was found to be in the range")]
        let hundredths = (0.0..=2.0).contains(&number).then(|| (number * 100.0).round() as u8);
        hundredths.map(Self).ok_or(MannerError::Temperature)
    }
}

impl From<Temperature> for f64 {
    fn from(temperature: Temperature) -> Self {
        Self::from(temperature.0) / 100.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::at_once::at_once;
    use crate::ids::DeviceId;
    use crate::store::{Commit, MemoryStore};
    use crate::time::Timestamp;

    fn store_of(rows: &[Setting]) -> MemoryStore {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let store = MemoryStore::new(device);
        let commit = rows.iter().fold(Commit::default(), |commit, row| commit.put(row));
        at_once(store.apply(commit, Timestamp::from_millis(1))).expect("fits");
        store
    }

    #[test]
    fn what_is_typed_is_kept_and_read() {
        let changes = [
            MannerChange::system_prompt("Be brief.\n"),
            MannerChange::temperature(" 0,7 "),
            MannerChange::max_tokens("2000"),
        ];
        let rows = changes.map(|change| change.expect("can be set").row());
        let expected = [
            ("system_prompt", json!("Be brief.")),
            ("model_temperature", json!(0.7)),
            ("model_max_tokens", json!(2000)),
        ];
        assert_eq!(rows.clone().map(|row| (row.key, row.value)), expected.map(|(key, value)| (key.to_owned(), value)));
        let manner = at_once(Manner::read(&store_of(&rows))).expect("reads");
        let settings = manner.of_model("m", Some(8_192));
        let expected = ModelSettings {
            name: "m".into(),
            system: Some("Be brief.".into()),
            temperature: Some(0.7),
            max_tokens: Some(2_000),
            context_tokens: Some(8_192),
            ..ModelSettings::default()
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn what_is_left_empty_is_the_providers_own() {
        let changes = [MannerChange::system_prompt(" "), MannerChange::temperature(""), MannerChange::max_tokens("")];
        let rows = changes.map(|change| change.expect("can be set").row());
        let manner = at_once(Manner::read(&store_of(&rows))).expect("reads");
        assert_eq!(manner, Manner::default());
        assert_eq!(manner.of_model("m", None), ModelSettings { name: "m".into(), ..ModelSettings::default() });
    }

    /// R317
    #[test]
    fn what_cannot_be_understood_is_not_set() {
        let row = |key: &str, value| Setting { key: key.into(), value };
        let rows =
            [row(SYSTEM_PROMPT, json!({"of": "the future"})), row(TEMPERATURE, json!(7)), row(MAX_TOKENS, json!(0))];
        assert_eq!(at_once(Manner::read(&store_of(&rows))).expect("reads"), Manner::default());
    }

    #[test]
    fn what_cannot_be_set_is_said() {
        for text in ["hot", "-0.1", "2.01", "nan"] {
            assert_eq!(MannerChange::temperature(text), Err(MannerError::Temperature), "{text}");
        }
        for text in ["many", "0", "-5", "1.5", "1000001"] {
            assert_eq!(MannerChange::max_tokens(text), Err(MannerError::MaxTokens), "{text}");
        }
        let long = "x".repeat(LONGEST_PROMPT + 1);
        assert_eq!(MannerChange::system_prompt(&long), Err(MannerError::SystemPrompt));
    }
}
