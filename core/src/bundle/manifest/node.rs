//! A value of a manifest that knows its line, and a place that knows its path: what errors are told with.

use std::rc::Rc;

use serde_json::{Map, Number, Value};

use super::{Fault, ManifestError, Place};

/// A value and the line it begins in. Shared, because aliases repeat values.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) line: Option<usize>,
    pub(super) kind: Kind,
    /// How many values it is, itself included.
    pub(super) count: usize,
    /// How many lists and maps are inside one another, itself included.
    pub(super) depth: usize,
}

#[derive(Debug)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Rc<Node>>),
    Map(Vec<(String, Rc<Node>)>),
}

impl Node {
    pub(super) fn new(line: Option<usize>, kind: Kind) -> Self {
        let sums = |(count, depth): (usize, usize), node: &Rc<Self>| (count + node.count, depth.max(node.depth + 1));
        let (count, depth) = match &kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => (1, 0),
            Kind::List(items) => items.iter().fold((1, 1), sums),
            Kind::Map(members) => members.iter().map(|(_, value)| value).fold((1, 1), sums),
        };
        Self { line, kind, count, depth }
    }

    /// A value that was stored, which has no lines.
    pub(super) fn from_json(value: &Value) -> Self {
        let kind = match value {
            Value::Null => Kind::Null,
            Value::Bool(value) => Kind::Bool(*value),
            Value::Number(value) => Kind::Number(value.clone()),
            Value::String(value) => Kind::Text(value.clone()),
            Value::Array(items) => Kind::List(items.iter().map(|item| Rc::new(Self::from_json(item))).collect()),
            Value::Object(members) => {
                Kind::Map(members.iter().map(|(key, value)| (key.clone(), Rc::new(Self::from_json(value)))).collect())
            }
        };
        Self::new(None, kind)
    }

    pub(super) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => Value::Number(value.clone()),
            Kind::Text(value) => Value::String(value.clone()),
            Kind::List(items) => items.iter().map(|item| item.to_json()).collect(),
            Kind::Map(members) => {
                Value::Object(members.iter().map(|(key, value)| (key.clone(), value.to_json())).collect())
            }
        }
    }

    fn found(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "true or false",
            Kind::Number(_) => "a number (write it in quotes if it is a text)",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }
}

/// A value together with the keys that lead to it.
#[derive(Clone)]
pub(super) struct At<'a> {
    node: &'a Node,
    key: String,
}

impl<'a> At<'a> {
    pub(super) fn root(node: &'a Node) -> Self {
        Self { node, key: String::new() }
    }

    pub(super) fn place(&self) -> Place {
        Place { key: self.key.clone(), line: self.node.line }
    }

    pub(super) fn fail(&self, fault: impl Into<Fault>) -> ManifestError {
        ManifestError { place: self.place(), fault: fault.into() }
    }

    pub(super) fn json(&self) -> Value {
        self.node.to_json()
    }

    fn expected(&self, expected: &'static str) -> ManifestError {
        self.fail(Fault::Expected { expected, found: self.node.found() })
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self.node.kind, Kind::Map(_))
    }

    /// The members of a map, those without a value included.
    pub(super) fn members(&self) -> Result<Vec<(&'a str, At<'a>)>, ManifestError> {
        let Kind::Map(members) = &self.node.kind else { return Err(self.expected("a map")) };
        Ok(members.iter().map(|(key, value)| (key.as_str(), self.child(key, value))).collect())
    }

    fn child(&self, key: &str, node: &'a Rc<Node>) -> At<'a> {
        let dot = if self.key.is_empty() { "" } else { "." };
        At { node, key: format!("{}{dot}{key}", self.key) }
    }

    /// A member of a map, unless it is absent or null, which is the same.
    pub(super) fn get(&self, key: &str) -> Result<Option<At<'a>>, ManifestError> {
        let Kind::Map(members) = &self.node.kind else { return Err(self.expected("a map")) };
        let found = members.iter().find(|(name, value)| name == key && !matches!(value.kind, Kind::Null));
        Ok(found.map(|(key, value)| self.child(key, value)))
    }

    pub(super) fn required(&self, key: &'static str) -> Result<At<'a>, ManifestError> {
        self.get(key)?.ok_or_else(|| self.fail(Fault::Missing(key)))
    }

    /// The items of a list, which may be absent.
    pub(super) fn items(&self, key: &str) -> Result<Vec<At<'a>>, ManifestError> {
        self.get(key)?.map_or_else(|| Ok(Vec::new()), |list| list.list())
    }

    pub(super) fn list(&self) -> Result<Vec<At<'a>>, ManifestError> {
        let Kind::List(items) = &self.node.kind else { return Err(self.expected("a list")) };
        Ok(items.iter().enumerate().map(|(at, node)| At { node, key: format!("{}[{at}]", self.key) }).collect())
    }

    pub(super) fn text(&self) -> Result<&'a str, ManifestError> {
        let Kind::Text(text) = &self.node.kind else { return Err(self.expected("a text")) };
        Ok(text)
    }

    /// A text with something in it.
    pub(super) fn some_text(&self) -> Result<&'a str, ManifestError> {
        let text = self.text()?;
        if text.trim().is_empty() { Err(self.fail(Fault::Empty)) } else { Ok(text) }
    }

    /// A text, or a number or truth value as it would be written: what arguments and variables of a command are.
    pub(super) fn scalar(&self) -> Result<String, ManifestError> {
        match &self.node.kind {
            Kind::Text(text) => Ok(text.clone()),
            Kind::Number(number) => Ok(number.to_string()),
            Kind::Bool(value) => Ok(value.to_string()),
            Kind::Null | Kind::List(_) | Kind::Map(_) => Err(self.expected("a text")),
        }
    }

    pub(super) fn optional_text(&self, key: &str) -> Result<Option<String>, ManifestError> {
        self.get(key)?.map(|at| at.text().map(str::to_owned)).transpose()
    }

    pub(super) fn optional_bool(&self, key: &str) -> Result<Option<bool>, ManifestError> {
        let Some(at) = self.get(key)? else { return Ok(None) };
        let Kind::Bool(value) = at.node.kind else { return Err(at.expected("true or false")) };
        Ok(Some(value))
    }

    pub(super) fn optional_number(&self, key: &str) -> Result<Option<(u64, At<'a>)>, ManifestError> {
        let Some(at) = self.get(key)? else { return Ok(None) };
        let Kind::Number(number) = &at.node.kind else { return Err(at.expected("a whole number")) };
        let number = number.as_u64().ok_or_else(|| at.expected("a whole number"))?;
        Ok(Some((number, at)))
    }

    /// A list of texts, which may be absent.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, ManifestError> {
        self.items(key)?.iter().map(|item| item.some_text().map(str::to_owned)).collect()
    }

    /// A map of texts, which may be absent.
    pub(super) fn text_map(&self, key: &str) -> Result<Option<Map<String, Value>>, ManifestError> {
        let Some(map) = self.get(key)? else { return Ok(None) };
        let members = map.members()?;
        members
            .into_iter()
            .map(|(name, at)| Ok((name.to_owned(), at.scalar()?.into())))
            .collect::<Result<_, _>>()
            .map(Some)
    }
}
