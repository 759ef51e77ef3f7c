//! Which model answers: where it runs, and what it is called there.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::protocol::ProviderName;

/// A model, as a chat remembers it. Written as one text: `server/{provider}/{model}`, `browser/{endpoint}/{model}` or `page/{model}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelChoice {
    /// Where it runs.
    pub place: ModelPlace,
    /// Its name there.
    pub model: String,
}

/// Where a model runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelPlace {
    /// At a provider that the server reaches, with a key that the server keeps.
    Server(ProviderName),
    /// At an endpoint that the browser reaches by itself (R322).
    Browser(ProviderName),
    /// In the page, from a file on this device (R302).
    Page,
}

/// A text that should have been a choice of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not the choice of a model: {0:?}")]
pub struct ModelChoiceError(String);

/// The longest name of a model that is taken.
const LONGEST_MODEL: usize = 300;

impl ModelChoice {
    /// Reads a choice as it was stored.
    pub fn parse(text: &str) -> Result<Self, ModelChoiceError> {
        Self::read(text).ok_or_else(|| ModelChoiceError(text.chars().take(80).collect()))
    }

    fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('/')?;
        let named = || {
            let (name, model) = rest.split_once('/')?;
            Some((ProviderName::parse(name).ok()?, model))
        };
        let (place, model) = match kind {
            "server" => named().map(|(name, model)| (ModelPlace::Server(name), model))?,
            "browser" => named().map(|(name, model)| (ModelPlace::Browser(name), model))?,
            "page" => (ModelPlace::Page, rest),
            _ => return None,
        };
        let sound = !model.trim().is_empty() && model.len() <= LONGEST_MODEL;
        sound.then(|| Self { place, model: model.to_owned() })
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            ModelPlace::Server(name) => write!(f, "server/{name}/{}", self.model),
            ModelPlace::Browser(name) => write!(f, "browser/{name}/{}", self.model),
            ModelPlace::Page => write!(f, "page/{}", self.model),
        }
    }
}

impl TryFrom<String> for ModelChoice {
    type Error = ModelChoiceError;

    fn try_from(text: String) -> Result<Self, ModelChoiceError> {
        Self::parse(&text)
    }
}

impl From<ModelChoice> for String {
    fn from(choice: ModelChoice) -> Self {
        choice.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_one_text() {
        let name = |text| ProviderName::parse(text).expect("is a name");
        let check = |text: &str, place: ModelPlace, model: &str| {
            let choice = ModelChoice { place, model: model.to_owned() };
            assert_eq!(ModelChoice::parse(text), Ok(choice.clone()));
            assert_eq!(choice.to_string(), text);
        };
        check("server/open router/meta/llama-4", ModelPlace::Server(name("open router")), "meta/llama-4");
        check("browser/ollama/qwen3:8b", ModelPlace::Browser(name("ollama")), "qwen3:8b");
        check("page/smollm2-135m", ModelPlace::Page, "smollm2-135m");
        for nothing in ["", "page", "page/", "page/ ", "server/a", "server//m", "moon/a/b"] {
            assert_eq!(ModelChoice::parse(nothing), Err(ModelChoiceError(nothing.to_owned())));
        }
    }

    #[test]
    fn as_stored() {
        let choice = ModelChoice { place: ModelPlace::Page, model: "small".into() };
        assert_eq!(serde_json::to_string(&choice).expect("serialises"), r#""page/small""#);
        assert_eq!(serde_json::from_str::<ModelChoice>(r#""page/small""#).expect("reads"), choice);
        assert!(serde_json::from_str::<ModelChoice>(r#""small""#).is_err());
    }
}
