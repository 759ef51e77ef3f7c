//! A value of a configuration with the way that leads to it, so that what is wrong can be found.

use serde_json::{Map, Value};

use super::{PasteError, PasteFault, PasteLimits};

/// A value, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// A member of an object; none where it is not there, or null.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Self { value, path: self.below(key) })
    }

    /// The first member there is of several that mean the same.
    pub(super) fn first_of(&self, keys: &[&str]) -> Option<Self> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The members of an object.
    pub(super) fn members(&self) -> Result<Vec<(String, Self)>, PasteError> {
        let member = |(key, value): (&String, &'a Value)| (key.clone(), Self { value, path: self.below(key) });
        Ok(self.object()?.iter().map(member).collect())
    }

    /// The items of a list.
    pub(super) fn items(&self, limits: &PasteLimits) -> Result<Vec<Self>, PasteError> {
        let items = self.value.as_array().ok_or_else(|| self.kind("a list"))?;
        self.at_most(items.len(), limits.items, "items")?;
        let item = |(at, value): (usize, &'a Value)| Self { value, path: format!("{}[{at}]", self.path) };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(super) fn object(&self) -> Result<&'a Map<String, Value>, PasteError> {
        self.value.as_object().ok_or_else(|| self.kind("an object"))
    }

    /// A text that is not empty.
    pub(super) fn text(&self, limits: &PasteLimits) -> Result<&'a str, PasteError> {
        let text = self.value.as_str().ok_or_else(|| self.kind("a text"))?;
        self.at_most(text.len(), limits.value_bytes, "bytes")?;
        if text.trim().is_empty() { Err(self.fail(PasteFault::Empty)) } else { Ok(text) }
    }

    /// A text, or a number or a switch that somebody wrote without quotes.
    pub(super) fn scalar(&self, limits: &PasteLimits) -> Result<String, PasteError> {
        let text = match self.value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => self.value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return Err(self.kind("a text")),
        };
        self.at_most(text.len(), limits.value_bytes, "bytes")?;
        Ok(text)
    }

    pub(super) fn flag(&self) -> Result<bool, PasteError> {
        self.value.as_bool().ok_or_else(|| self.kind("true or false"))
    }

    pub(super) fn at_most(&self, count: usize, limit: usize, of: &'static str) -> Result<(), PasteError> {
        if count > limit { Err(self.fail(PasteFault::TooMuch { limit, of })) } else { Ok(()) }
    }

    pub(super) fn fail(&self, fault: PasteFault) -> PasteError {
        let path = if self.path.is_empty() { "the configuration".to_owned() } else { self.path.clone() };
        PasteError::At { path, fault }
    }

    fn kind(&self, expected: &'static str) -> PasteError {
        self.fail(PasteFault::Kind { expected })
    }

    fn below(&self, key: &str) -> String {
        let key: String = key.chars().take(80).collect();
        if self.path.is_empty() { key } else { format!("{}.{key}", self.path) }
    }
}
