//! How a request says who asks: a key, a bearer token, or a name and a password.

use serde::Deserialize;

use super::fault::{ExpandFault, HttpFault, HttpFaultKind};
use super::template::{Names, Template, Values};
use crate::base64;

/// What a definition says under `auth`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Auth {
    kind: AuthKind,
    place: AuthPlace,
    name: String,
    value: Template,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum AuthKind {
    #[serde(rename = "apiKey")]
    ApiKey,
    #[serde(rename = "bearer")]
    Bearer,
    #[serde(rename = "basic")]
    Basic,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AuthPlace {
    #[default]
    Header,
    Query,
}

/// As it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WrittenAuth {
    #[serde(rename = "type")]
    kind: AuthKind,
    #[serde(default, rename = "in")]
    place: Option<AuthPlace>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    value_template: Option<String>,
}

/// Where it goes, ready to be sent.
pub(super) enum Shown {
    Header(String, String),
    Query(String, String),
}

impl Auth {
    pub(super) fn read(written: WrittenAuth, names: &Names<'_>, path: &str) -> Result<Self, HttpFault> {
        let WrittenAuth { kind, place, name, value_template } = written;
        let value = value_template.filter(|text| !text.is_empty());
        let value = value.ok_or_else(|| HttpFaultKind::Missing("valueTemplate").at(path))?;
        let (name, place) = match kind {
            AuthKind::ApiKey => {
                let name = name.filter(|name| !name.is_empty());
                (name.ok_or_else(|| HttpFaultKind::Missing("name").at(path))?, place.unwrap_or_default())
            }
            AuthKind::Bearer | AuthKind::Basic => ("Authorization".to_owned(), AuthPlace::Header),
        };
        let value = Template::read(&value, names, &format!("{path}.valueTemplate"))?;
        Ok(Self { kind, place, name, value })
    }

    /// The name of the header that it sets.
    pub(super) fn header(&self) -> Option<&str> {
        (self.place == AuthPlace::Header).then_some(self.name.as_str())
    }

    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.value.secrets()
    }

    pub(super) fn fill(&self, values: Values<'_>) -> Result<Shown, ExpandFault> {
        let value = self.value.fill(values, "auth", |text| Ok(text.to_owned()))?;
        let value = value.ok_or_else(|| match self.value.alone() {
            Some(named) => values.missing(named, "auth"),
            None => ExpandFault::NoArgument { name: String::new(), place: "auth" },
        })?;
        let value = match self.kind {
            AuthKind::ApiKey => value,
            AuthKind::Bearer => format!("Bearer {value}"),
            AuthKind::Basic => format!("Basic {}", base64::encode(value.as_bytes())),
        };
        Ok(match self.place {
            AuthPlace::Header => Shown::Header(self.name.clone(), value),
            AuthPlace::Query => Shown::Query(self.name.clone(), value),
        })
    }
}
