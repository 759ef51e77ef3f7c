//! The secrets and variables that a toolset needs (C49): `secrets:` and every `${NAME}` of its servers and requests.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::node::At;
use super::unknown::{self, SECRET_KEYS};
use super::{Fault, ManifestError, Place, ServerDeclaration, ToolDeclaration, schema};

/// One secret or variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretDeclaration {
    /// Its name.
    pub name: String,
    /// What the author says that it is.
    pub description: Option<String>,
}

/// A part of a text with placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bundle) enum Piece<'a> {
    /// As it is.
    Text(&'a str),
    /// What is between `${` and `}`.
    Placeholder(&'a str),
}

/// Divides a text at its placeholders; a `${` without an end is text.
pub(in crate::bundle) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start + 2..].find('}') else { break };
        if start > 0 {
            pieces.push(Piece::Text(&rest[..start]));
        }
        pieces.push(Piece::Placeholder(&rest[start + 2..start + 2 + length]));
        rest = &rest[start + 3 + length..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The secrets that a manifest lists.
pub(super) fn declared(
    root: &At<'_>,
    remarks: &mut Vec<(Place, String)>,
) -> Result<Vec<SecretDeclaration>, ManifestError> {
    let secret = |at: At<'_>| {
        if at.is_map() {
            unknown::remark(&at, &SECRET_KEYS, remarks)?;
        }
        let (name_at, description) =
            if at.is_map() { (at.required("name")?, at.optional_text("description")?) } else { (at.clone(), None) };
        let name = name_at.text()?;
        if !is_name(name) {
            return Err(name_at.fail(Fault::SecretName(name.chars().take(80).collect())));
        }
        Ok(SecretDeclaration { name: name.to_owned(), description })
    };
    root.items("secrets")?.into_iter().map(secret).collect()
}

/// What is declared, then what servers and requests name besides. In a request a name of an argument means the argument.
pub(super) fn wanted(
    declared: Vec<SecretDeclaration>,
    tools: &[ToolDeclaration],
    servers: &[ServerDeclaration],
) -> Vec<SecretDeclaration> {
    let mut names = Vec::new();
    for server in servers {
        collect(&server.config, &[], &mut names);
    }
    for tool in tools {
        let arguments = schema::arguments(tool.input_schema.as_ref());
        tool.http.iter().for_each(|http| collect(http, &arguments, &mut names));
    }
    let mut wanted = declared;
    let mut seen: BTreeSet<String> = wanted.iter().map(|secret| secret.name.clone()).collect();
    for name in names {
        if seen.insert(name.clone()) {
            wanted.push(SecretDeclaration { name, description: None });
        }
    }
    wanted
}

fn collect(value: &Value, arguments: &[&str], names: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => names.extend(pieces(text).into_iter().filter_map(|piece| match piece {
            Piece::Placeholder(name) if is_name(name) && !arguments.contains(&name) => Some(name.to_owned()),
            Piece::Placeholder(_) | Piece::Text(_) => None,
        })),
        Value::Array(items) => items.iter().for_each(|item| collect(item, arguments, names)),
        Value::Object(members) => members.values().for_each(|value| collect(value, arguments, names)),
    }
}

fn is_name(text: &str) -> bool {
    text.len() <= 128
        && text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
