//! What a model without a place for tools in its template is told: the tools in words, and calls and their results as things that were said.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Offer;
use crate::model::ToolDefinition;

/// How much of a tool's description is told: a small model has little room, and little use for the rest.
const MOST_DESCRIPTION: usize = 160;
/// What is said where a picture is.
const UNSEEN: &str = "[a picture, which this model cannot see]";

/// The messages in words alone. Several in a row of one voice become one: many templates know no other order.
pub(super) fn messages(messages: &[Value], offer: Option<&Offer>) -> Vec<Value> {
    let mut told: Vec<(&str, String)> = Vec::new();
    let mut say = |role: &'static str, text: String| match told.last_mut() {
        Some((last, so_far)) if *last == role => {
            so_far.push_str("\n\n");
            so_far.push_str(&text);
        }
        Some(_) | None => told.push((role, text)),
    };
    // What frames the conversation comes first, then the tools, both as one message.
    let is_frame =
        |message: &Value| matches!(message.get("role").and_then(Value::as_str), Some("system" | "developer"));
    let (frame, rest) = messages.split_at(messages.iter().take_while(|message| is_frame(message)).count());
    frame.iter().for_each(|message| say("system", text_of(message)));
    if let Some(offer) = offer {
        say("system", tools(offer));
    }
    for message in rest {
        let text = text_of(message);
        match message.get("role").and_then(Value::as_str) {
            Some("assistant") => {
                let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let lines = Some(text).filter(|text| !text.is_empty()).into_iter().chain(calls.iter().map(call));
                say("assistant", lines.collect::<Vec<_>>().join("\n"));
            }
            Some("tool") => say("user", format!("Result of the tool:\n{text}")),
            Some(_) | None => say("user", text),
        }
    }
    told.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// A message with a sentence in the place of each picture.
pub(super) fn without_pictures(message: &Value) -> Value {
    let mut message = message.clone();
    if message.get("content").is_some_and(Value::is_array) {
        message["content"] = text_of(&message).into();
    }
    message
}

/// What a message says, in words.
fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let part = |part: &Value| part.get("text").and_then(Value::as_str).unwrap_or(UNSEEN).to_owned();
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// A call as the model writes it.
fn call(value: &Value) -> String {
    let function = value.get("function").unwrap_or(value);
    let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "{}".into(),
    };
    format!("{{\"tool\":{},\"arguments\":{arguments}}}", Value::from(name))
}

fn tools(offer: &Offer) -> String {
    let ways = if offer.must_call {
        "Call one of these tools now."
    } else {
        "Answer in plain words. Only when a tool below is needed, call it instead."
    };
    let mut text = format!("{ways} A call is one line and nothing else:\n");
    text.push_str(r#"{"tool":"name","arguments":{"field":"value"}}"#);
    text.push_str("\nYou are then told its result. The tools:");
    for tool in &offer.tools {
        write!(text, "\n- {}", signature(tool)).expect("writing to a text does not fail");
    }
    text
}

/// `name(field: kind, other?: kind): what it does`.
fn signature(tool: &ToolDefinition) -> String {
    let required = tool.parameters.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let field = |(name, schema): (&String, &Value)| {
        let mark = if required.iter().any(|required| required == name) { "" } else { "?" };
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or("any");
        format!("{name}{mark}: {kind}")
    };
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let fields: Vec<String> = properties.into_iter().flatten().map(field).collect();
    let line = tool.description.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MOST_DESCRIPTION).collect();
    let more = if short.len() < line.len() { "…" } else { "" };
    format!("{}({}): {short}{more}", tool.name, fields.join(", "))
}
