//! The body of a request, and how values are written into it.
//!
//! A body that is a map or a list is JSON: a text that is one placeholder and nothing else becomes the value itself, with its type; inside
//! a longer text a value is text. A body that is a text is taken for what its `Content-Type` says it is, and for JSON where it begins as
//! that does: between quotes a value is escaped, elsewhere it is written as JSON writes it.

use serde_json::{Map, Value};

use super::fault::{ExpandFault, HttpFault};
use super::template::{Named, Names, Piece, Template, Values, as_text, percent};

/// A body with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BodyTemplate {
    /// A value of JSON.
    Json(Shape),
    /// A text.
    Text(Template, TextKind),
}

/// What a body that is a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    Json,
    Form,
    Plain,
}

/// A value of JSON with templates in the place of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Fixed(Value),
    Text(Template),
    List(Vec<Shape>),
    Map(Vec<(String, Shape)>),
}

impl BodyTemplate {
    /// Reads a body. `content_type` is what the author's header says.
    pub(super) fn read(
        body: &Value,
        content_type: Option<&str>,
        names: &Names<'_>,
        path: &str,
    ) -> Result<Self, HttpFault> {
        let Value::String(text) = body else { return Shape::read(body, names, path).map(Self::Json) };
        let essence = content_type.unwrap_or_default().to_ascii_lowercase();
        let kind = if essence.contains("json") {
            TextKind::Json
        } else if essence.contains("x-www-form-urlencoded") {
            TextKind::Form
        } else if essence.is_empty() && text.trim_start().starts_with(['{', '[']) {
            TextKind::Json
        } else {
            TextKind::Plain
        };
        Ok(Self::Text(Template::read(text, names, path)?, kind))
    }

    /// The media type, where the author does not say it.
    pub(super) fn media_type(&self) -> &'static str {
        match self {
            Self::Json(_) | Self::Text(_, TextKind::Json) => "application/json",
            Self::Text(_, TextKind::Form) => "application/x-www-form-urlencoded",
            Self::Text(_, TextKind::Plain) => "text/plain; charset=utf-8",
        }
    }

    /// The secrets that it names.
    pub(super) fn secrets(&self) -> Vec<&str> {
        match self {
            Self::Json(shape) => shape.secrets(),
            Self::Text(template, _) => template.secrets().collect(),
        }
    }

    /// The bytes, with everything filled in.
    pub(super) fn fill(&self, values: Values<'_>) -> Result<Vec<u8>, ExpandFault> {
        match self {
            Self::Json(shape) => {
                let value = shape.fill(values)?.unwrap_or(Value::Null);
                Ok(value.to_string().into_bytes())
            }
            Self::Text(template, TextKind::Json) => fill_json(template, values).map(String::into_bytes),
            Self::Text(template, TextKind::Form) => {
                let text = template.fill(values, BODY, |text| Ok(percent(text)))?;
                Ok(text.unwrap_or_default().into_bytes())
            }
            Self::Text(template, TextKind::Plain) => {
                let text = template.fill(values, BODY, |text| Ok(text.to_owned()))?;
                Ok(text.unwrap_or_default().into_bytes())
            }
        }
    }
}

const BODY: &str = "the body";

impl Shape {
    fn read(value: &Value, names: &Names<'_>, path: &str) -> Result<Self, HttpFault> {
        Ok(match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::Fixed(value.clone()),
            Value::String(text) => Self::Text(Template::read(text, names, path)?),
            Value::Array(items) => {
                let item = |(at, item)| Self::read(item, names, &format!("{path}[{at}]"));
                Self::List(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    Ok((name.clone(), Self::read(value, names, &format!("{path}.{name}"))?))
                };
                Self::Map(members.iter().map(member).collect::<Result<_, HttpFault>>()?)
            }
        })
    }

    fn secrets(&self) -> Vec<&str> {
        match self {
            Self::Fixed(_) => Vec::new(),
            Self::Text(template) => template.secrets().collect(),
            Self::List(items) => items.iter().flat_map(Self::secrets).collect(),
            Self::Map(members) => members.iter().flat_map(|(_, value)| value.secrets()).collect(),
        }
    }

    /// The value; none where it is an argument that is not given, whose member is then left out.
    fn fill(&self, values: Values<'_>) -> Result<Option<Value>, ExpandFault> {
        Ok(match self {
            Self::Fixed(value) => Some(value.clone()),
            Self::Text(template) => match template.alone() {
                Some(named) => values.of(named)?.map(std::borrow::Cow::into_owned),
                None => template.fill(values, BODY, |text| Ok(text.to_owned()))?.map(Value::String).or(Some("".into())),
            },
            Self::List(items) => {
                let filled: Vec<Option<Value>> =
                    items.iter().map(|item| item.fill(values)).collect::<Result<_, _>>()?;
                Some(Value::Array(filled.into_iter().flatten().collect()))
            }
            Self::Map(members) => {
                let mut filled = Map::new();
                for (name, value) in members {
                    if let Some(value) = value.fill(values)? {
                        filled.insert(name.clone(), value);
                    }
                }
                Some(Value::Object(filled))
            }
        })
    }
}

/// A text of JSON: what a value becomes depends on whether it stands between quotes.
fn fill_json(template: &Template, values: Values<'_>) -> Result<String, ExpandFault> {
    let mut text = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for piece in &template.pieces {
        match piece {
            Piece::Text(plain) => {
                for char in plain.chars() {
                    match char {
                        _ if escaped => escaped = false,
                        '\\' if quoted => escaped = true,
                        '"' => quoted = !quoted,
                        _ => {}
                    }
                }
                text.push_str(plain);
            }
            Piece::Named(named) => {
                let value = match values.of(named)? {
                    Some(value) => value.into_owned(),
                    None if quoted => return Err(values.missing(named, BODY)),
                    None => Value::Null,
                };
                if quoted {
                    let written = Value::String(as_text(&value)).to_string();
                    text.push_str(&written[1..written.len() - 1]);
                } else {
                    // A secret is a text, whatever it looks like.
                    let value = match named {
                        Named::Secret(_) => Value::String(as_text(&value)),
                        Named::Argument(_) | Named::Answer { .. } => value,
                    };
                    text.push_str(&value.to_string());
                }
            }
        }
    }
    Ok(text)
}
