//! Texts with placeholders, read once, and the values that come in their places.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::fault::{ExpandFault, HttpFault, HttpFaultKind};
use crate::protocol::SecretName;

/// What a placeholder means, by the definition alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Argument(String),
    Secret(String),
    Answer { step: String, path: Vec<String> },
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Named(Named),
}

/// A text with placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) pieces: Vec<Piece>,
}

/// The names that placeholders may have.
#[derive(Clone, Debug, Default)]
pub(super) struct Names<'a> {
    /// The tool's arguments.
    pub(super) arguments: BTreeSet<&'a str>,
    /// The calls before this one.
    pub(super) steps: Vec<String>,
}

/// What is filled in.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) secrets: &'a BTreeMap<String, String>,
    pub(super) answers: &'a BTreeMap<String, Value>,
}

impl Template {
    /// Reads a text. What is between `${` and `}` is an argument if the tool has one of that name, whatever the name looks like.
    pub(super) fn read(text: &str, names: &Names<'_>, path: &str) -> Result<Self, HttpFault> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let shown = || rest[start..].chars().take(40).collect::<String>();
            let length = rest[start + 2..].find('}');
            let length = length.ok_or_else(|| HttpFaultKind::Placeholder(shown()).at(path))?;
            if start > 0 {
                pieces.push(Piece::Text(rest[..start].to_owned()));
            }
            let name = &rest[start + 2..start + 2 + length];
            pieces.push(Piece::Named(names.meaning(name).map_err(|kind| kind.at(path))?));
            rest = &rest[start + 3 + length..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self { pieces })
    }

    /// The secrets that it names.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Named(Named::Secret(name)) => Some(name.as_str()),
            Piece::Named(Named::Argument(_) | Named::Answer { .. }) | Piece::Text(_) => None,
        })
    }

    /// Whether it is one placeholder and nothing else.
    pub(super) fn alone(&self) -> Option<&Named> {
        match self.pieces.as_slice() {
            [Piece::Named(named)] => Some(named),
            _ => None,
        }
    }

    /// The text with every value put through `encode`. None where it is an argument alone that is not given.
    pub(super) fn fill(
        &self,
        values: Values<'_>,
        place: &'static str,
        mut encode: impl FnMut(&str) -> Result<String, ExpandFault>,
    ) -> Result<Option<String>, ExpandFault> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Named(named) => match values.of(named)? {
                    Some(value) => text.push_str(&encode(&as_text(&value))?),
                    None if self.alone().is_some() => return Ok(None),
                    None => return Err(values.missing(named, place)),
                },
            }
        }
        Ok(Some(text))
    }
}

impl Names<'_> {
    fn meaning(&self, name: &str) -> Result<Named, HttpFaultKind> {
        if name.is_empty() {
            return Err(HttpFaultKind::Placeholder("${}".into()));
        }
        if self.arguments.contains(name) {
            return Ok(Named::Argument(name.to_owned()));
        }
        if let Some(answer) = name.strip_prefix("steps.") {
            let mut parts = answer.split('.');
            let step = parts.next().unwrap_or_default().to_owned();
            if !self.steps.contains(&step) {
                return Err(HttpFaultKind::NoSuchStep(answer.chars().take(80).collect()));
            }
            return Ok(Named::Answer { step, path: parts.map(str::to_owned).collect() });
        }
        match SecretName::parse(name) {
            Ok(name) => Ok(Named::Secret(name.to_string())),
            Err(_) => Err(HttpFaultKind::Unknown(name.chars().take(80).collect())),
        }
    }
}

impl<'a> Values<'a> {
    /// The value of a placeholder; none where an argument is not given.
    pub(super) fn of(&self, named: &Named) -> Result<Option<Cow<'a, Value>>, ExpandFault> {
        match named {
            Named::Argument(name) => Ok(self.arguments.get(name).filter(|value| !value.is_null()).map(Cow::Borrowed)),
            Named::Secret(name) => {
                let value = self.secrets.get(name).ok_or_else(|| ExpandFault::NoSecret(name.clone()))?;
                Ok(Some(Cow::Owned(Value::String(value.clone()))))
            }
            Named::Answer { step, path } => {
                let found = self.answers.get(step).and_then(|answer| look_into(answer, path));
                let missing = || ExpandFault::NoAnswer { step: step.clone(), path: path.join(".") };
                found.map(|value| Some(Cow::Borrowed(value))).ok_or_else(missing)
            }
        }
    }

    /// What to say where a value has to be and is not.
    pub(super) fn missing(&self, named: &Named, place: &'static str) -> ExpandFault {
        match named {
            Named::Argument(name) => ExpandFault::NoArgument { name: name.clone(), place },
            Named::Secret(name) => ExpandFault::NoSecret(name.clone()),
            Named::Answer { step, path } => ExpandFault::NoAnswer { step: step.clone(), path: path.join(".") },
        }
    }
}

/// A value inside another, by names and places in lists.
fn look_into<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, part| match value {
        Value::Object(members) => members.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// A value as text: a text as it is, anything else as JSON writes it.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A text with every byte written as `%XX` that is not a letter, a digit or one of `-._~`.
pub(super) fn percent(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
