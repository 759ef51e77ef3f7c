//! Where in a schema there are schemas.

use serde_json::Value;

/// Keywords that hold one schema.
const ONE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords that hold a list of schemas.
const LIST: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Keywords that hold schemas by name.
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// The schemas directly in a schema, each with its JSON pointer from there.
pub(super) fn below(schema: &Value) -> Vec<(String, &Value)> {
    let Some(members) = schema.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (keyword, value) in members {
        let is_schema = value.is_object() || value.is_boolean();
        if ONE.contains(&keyword.as_str()) && is_schema {
            found.push((format!("/{}", escape(keyword)), value));
        }
        if let (true, Some(items)) = (LIST.contains(&keyword.as_str()), value.as_array()) {
            let item = |(at, item)| (format!("/{keyword}/{at}"), item);
            found.extend(items.iter().enumerate().map(item));
        }
        if let (true, Some(named)) = (NAMED.contains(&keyword.as_str()), value.as_object()) {
            let member = |(name, schema): (&String, _)| (format!("/{}/{}", escape(keyword), escape(name)), schema);
            found.extend(named.iter().map(member));
        }
    }
    found
}

/// Whether any of these keywords is in a schema or in one inside of it.
pub(super) fn mentions(schema: &Value, keywords: &[&str]) -> bool {
    let mut left = vec![schema];
    while let Some(schema) = left.pop() {
        if keywords.iter().any(|keyword| schema.get(keyword).is_some()) {
            return true;
        }
        match schema {
            Value::Object(members) => left.extend(members.values()),
            Value::Array(items) => left.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

/// A name as part of a JSON pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
