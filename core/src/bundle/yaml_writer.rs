//! Writes values as YAML: one spelling for equal values, which every reader of YAML 1.1 or 1.2 reads as the same.

use serde_json::Value;

use super::manifest::looks_like_number;

/// A document of this value, with a line for each scalar.
pub(super) fn to_yaml(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Object(members) if !members.is_empty() => block(value, 0, &mut text),
        Value::Array(items) if !items.is_empty() => block(value, 0, &mut text),
        scalar => {
            text.push_str(&inline(scalar));
            text.push('\n');
        }
    }
    text
}

/// Writes a list or map that is not empty, from the start of a line.
fn block(value: &Value, indent: usize, text: &mut String) {
    let pad = "  ".repeat(indent);
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                text.push_str(&format!("{pad}{}:", word(key)));
                below(value, indent + 1, text);
            }
        }
        Value::Array(items) => {
            for item in items {
                text.push_str(&format!("{pad}-"));
                match item {
                    Value::Object(members) if !members.is_empty() => {
                        // The first member stands beside the dash.
                        let mut inner = String::new();
                        block(item, indent + 1, &mut inner);
                        text.push(' ');
                        text.push_str(inner.trim_start_matches(' '));
                    }
                    _ => below(item, indent + 1, text),
                }
            }
        }
        scalar => text.push_str(&inline(scalar)),
    }
}

/// Writes what comes after a key or a dash.
fn below(value: &Value, indent: usize, text: &mut String) {
    let nested = value.as_object().is_some_and(|members| !members.is_empty())
        || value.as_array().is_some_and(|items| !items.is_empty());
    if nested {
        text.push('\n');
        block(value, indent, text);
    } else {
        text.push_str(&format!(" {}\n", inline(value)));
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => word(text),
        Value::Array(_) => "[]".into(),
        Value::Object(_) => "{}".into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A text, in quotes unless it is surely read as that text without them.
fn word(text: &str) -> String {
    let plain = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || " _-./()+$'".contains(char))
        && !text.ends_with(' ')
        && text.len() <= 200
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_ascii_lowercase().as_str())
        && !looks_like_number(text);
    if plain {
        return text.into();
    }
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // Control characters, and what some readers take for the end of a line or the start of a file.
            '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(char)));
            }
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
