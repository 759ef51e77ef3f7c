//! Secrets in the server's vault: they go in and are used there, and no answer ever has one in it (I8).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// Answer of `GET /api/v1/secrets`: the names of the account's secrets, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretList {
    /// One for each name.
    pub secrets: Vec<SecretSummary>,
}

/// What may be known about a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretSummary {
    /// Its name.
    pub name: SecretName,
    /// Whether the server can use it. One that was damaged in the vault cannot be used and has to be entered again.
    pub has_value: bool,
    /// When it was first entered.
    pub created_at: Timestamp,
    /// When it was last entered.
    pub updated_at: Timestamp,
}

/// Body of `PUT /api/v1/secrets/{name}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutSecret {
    /// The secret itself.
    pub value: SecretValue,
}

/// A secret on its way to the vault. It does not show itself in logs; [`SecretValue::reveal`] is the one way to see it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretValue(String);

/// The name of a secret, as `${NAME}` has it: letters, digits and `_`, at most 128, and no digit first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretName(String);

/// A text that should have been the name of a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret's name has up to 128 letters, digits and _ and does not begin with a digit, such as OPENAI_API_KEY")]
pub struct SecretNameError;

impl SecretValue {
    /// Takes a secret in.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The secret itself, for whoever keeps it.
    #[must_use]
    pub fn into_inner(self) -> String {
        self.0
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SecretValue(hidden)")
    }
}

impl SecretName {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, SecretNameError> {
        let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let rest = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (first && rest && text.len() <= 128).then(|| Self(text.to_owned())).ok_or(SecretNameError)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for SecretName {
    type Error = SecretNameError;

    fn try_from(text: String) -> Result<Self, SecretNameError> {
        Self::parse(&text)
    }
}

impl From<SecretName> for String {
    fn from(name: SecretName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_on_the_wire() {
        let list = SecretList {
            secrets: vec![SecretSummary {
                name: SecretName::parse("OPENAI_API_KEY").expect("a name"),
                has_value: true,
                created_at: Timestamp::from_millis(0),
                updated_at: Timestamp::from_millis(1),
            }],
        };
        insta::assert_json_snapshot!(list, @r#"
        {
          "secrets": [
            {
              "name": "OPENAI_API_KEY",
              "has_value": true,
              "created_at": "1970-01-01T00:00:00.000Z",
              "updated_at": "1970-01-01T00:00:00.001Z"
            }
          ]
        }
        "#);
        let put = PutSecret { value: SecretValue::new("sk-1") };
        assert_eq!(serde_json::to_string(&put).expect("writes"), r#"{"value":"sk-1"}"#);
    }

    /// I8
    #[test]
    fn a_secret_does_not_show_itself() {
        let put = PutSecret { value: SecretValue::new("sk-1") };
        assert_eq!(format!("{put:?}"), "PutSecret { value: SecretValue(hidden) }");
    }

    #[test]
    fn names_are_those_of_placeholders() {
        for good in ["A", "_", "OPENAI_API_KEY", "key2"] {
            assert!(SecretName::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "2keys", "a-b", "a b", "ä", "a/b", "${A}", &"a".repeat(129)] {
            assert_eq!(SecretName::parse(bad), Err(SecretNameError), "{bad}");
        }
    }
}
