//! `query_json`: values of a JSON file by a query.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::json_path::Query;
use super::lines::{cut, lines};
use super::view::path;
use super::{Failure, View};
use crate::counted::counted;
use crate::store::Store;
use crate::workspace::WorkspacePath;

pub(super) const TOOL: Builtin = Builtin {
    which: Which::QueryJson,
    name: "query_json",
    title: "Query JSON",
    description: "Finds values in a JSON or JSON Lines file of the workspace with a JSONPath query (RFC 9535), such as \"$.items[?@.price < 10].name\" or \"$..id\", and returns each value with its path. Query \"$\" to see what the file contains; a file of JSON Lines is a list.",
    writes: false,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path of the file."},
            "query": {"type": "string", "minLength": 1, "default": "$", "description": "The JSONPath query, which begins with $."},
            "max_results": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200, "description": "The most values to return."},
        },
        "required": ["path", "query"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "total": {"type": "integer"},
            "results": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "at": {"type": "string", "description": "Where the value is, written as a query."},
                    "value": {},
                    "shape": {"type": "string", "description": "The shape of a value that is too large to return."},
                },
            }},
            "truncated": {"type": "string"},
        },
        "required": ["path", "total", "results"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: String,
    query: String,
    max_results: Option<usize>,
}

/// How many names of an object's members are told.
const NAMES: usize = 50;

pub(super) async fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let Arguments { path: at, query: asked, max_results } = arguments;
    let path = path(&at)?;
    let limits = view.limits;
    let refused = |why: String| Failure::Pattern { pattern: cut(&asked, 80), why };
    if asked.len() > limits.pattern_bytes {
        return Err(refused(format!("it has {} bytes, and the limit is {}", asked.len(), limits.pattern_bytes)));
    }
    let query = Query::read(&asked).map_err(|error| refused(error.to_string()))?;
    let text = view.text(&path).await?;
    let document = read_json(&path, &text)?;
    let found = query.run(&document, limits.query_steps).map_err(|error| refused(error.to_string()))?;
    let (total, most) = (found.len(), view.entries(max_results));
    let (mut results, mut left) = (Vec::new(), limits.told_bytes);
    for (place, value) in found.into_iter().take(most) {
        let line = json!({"at": place.to_string(), "value": value});
        let size = line.to_string().len();
        if size > left {
            if results.is_empty() {
                results.push(json!({"at": place.to_string(), "shape": shape(value)}));
            }
            break;
        }
        left -= size;
        results.push(line);
    }
    let told = results.len();
    let mut result = json!({"path": path.as_str(), "total": total, "results": results});
    if told < total {
        result["truncated"] = format!("{told} of {total} results are shown; use a narrower query").into();
    }
    Ok(result)
}

/// The document of a file; one value a line is a list, where the file is named so.
fn read_json(path: &WorkspacePath, text: &str) -> Result<Value, Failure> {
    let failed = |line: usize, error: serde_json::Error| Failure::NotJson {
        path: path.clone(),
        line: line + error.line(),
        column: error.column(),
        why: error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
    };
    let name = path.name().to_ascii_lowercase();
    if name.ends_with(".jsonl") || name.ends_with(".ndjson") {
        let filled = lines(text).into_iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let values = filled.map(|(at, line)| serde_json::from_str(line).map_err(|error| failed(at, error)));
        return values.collect::<Result<Vec<Value>, _>>().map(Value::Array);
    }
    serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|error| failed(0, error))
}

/// What a value is like.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let names: Vec<&str> = members.keys().take(NAMES).map(String::as_str).collect();
            let more =
                if members.len() > NAMES { format!(" and {} more", members.len() - NAMES) } else { String::new() };
            format!("an object of {}: {}{more}", counted(members.len(), "member"), cut(&names.join(", "), 2_000))
        }
        Value::Array(items) => format!("a list of {}", counted(items.len(), "item")),
        Value::String(text) => format!("a text of {}", counted(text.len(), "byte")),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::BuiltinLimits;
    use super::super::sample::{check, check_with, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[
        ("a.json", r#"{"items": [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]}"#),
        ("b.jsonl", "{\"id\": 1}\n\n{\"id\": 2}\n"),
        ("bad.json", "{\n  \"a\": ,\n}"),
        ("bad.jsonl", "1\n2\n{"),
    ];

    #[test]
    fn values_are_found_with_their_places() {
        let query = |path: &str, query: &str, expected: Value| {
            check(FILES, "query_json", json!({"path": path, "query": query}), expected);
        };
        query(
            "a.json",
            "$.items[?@.id > 1].name",
            json!({"path": "a.json", "total": 1, "results": [{"at": "$['items'][1]['name']", "value": "two"}]}),
        );
        query(
            "b.jsonl",
            "$[1].id",
            json!({"path": "b.jsonl", "total": 1, "results": [{"at": "$[1]['id']", "value": 2}]}),
        );
        query("a.json", "$.none", json!({"path": "a.json", "total": 0, "results": []}));
    }

    #[test]
    fn what_is_too_much_is_cut_and_said() {
        let cut = json!({"path": "a.json", "total": 2, "results": [{"at": "$['items'][0]['id']", "value": 1}],
            "truncated": "1 of 2 results are shown; use a narrower query"});
        check(FILES, "query_json", json!({"path": "a.json", "query": "$..id", "max_results": 1}), cut);
        let limits = BuiltinLimits { told_bytes: 40, ..BuiltinLimits::default() };
        let shape =
            json!({"path": "a.json", "total": 1, "results": [{"at": "$", "shape": "an object of 1 member: items"}]});
        check_with(&limits, FILES, "query_json", json!({"path": "a.json", "query": "$"}), shape);
    }

    #[test]
    fn what_cannot_be_queried_is_said() {
        let query = |path: &str, query: &str, message: &str| {
            refuses(FILES, "query_json", json!({"path": path, "query": query}), message);
        };
        query("a.json", "items", "the pattern \"items\" cannot be read: at character 1: a query begins with \"$\"");
        query("bad.json", "$", "\"bad.json\" is not JSON: expected value, in line 2, column 8");
        query("bad.jsonl", "$", "\"bad.jsonl\" is not JSON: EOF while parsing an object, in line 3, column 1");
    }
}
