//! What scripts say, spelled out: the tools there are, the stream of an answer, the question a tool asks, the errors by their names.

use serde_json::{Value, json};

use crate::approval::{ApprovalRequest, DefaultButton, Hints};
use crate::catalog::{ToolId, ToolsetId};
use crate::digest::BlobId;
use crate::model::{ModelError, Said};
use crate::record::Spilled;
use crate::turn::{Lane, Offer, Offers};

/// The tools of the stage. `web` needs no files; a tool does what its name says.
pub(super) fn offers() -> Offers {
    let offer = |id: &str, lane| Offer {
        tool: ToolId::parse(id).expect("is a tool id"),
        description: format!("The tool {id}"),
        parameters: Some(json!({"type": "object", "properties": {}})),
        lane,
    };
    Offers::of(vec![
        offer("mine:count", Lane::Files),
        offer("mine:write", Lane::Files),
        offer("mine:fail", Lane::Files),
        offer("mine:ask", Lane::Files),
        offer("mine:gone", Lane::Files),
        offer("mine:big", Lane::Files),
        offer("web:fetch", Lane::Free),
        offer("web:look", Lane::Free),
    ])
}

/// The stream of `text|id=tool(arguments) …|reason`; without its end where it breaks off.
pub(super) fn stream(said: &str, breaks: bool) -> String {
    let mut parts = said.splitn(3, '|');
    let (text, calls, reason) =
        (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or("stop"));
    let chunk = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}));
    let mut body = String::new();
    if !text.is_empty() {
        let half = text.floor_char_boundary(text.len() / 2);
        body += &chunk(json!({"role": "assistant", "content": &text[..half]}));
        body += &chunk(json!({"content": &text[half..]}));
    }
    let calls: Vec<&str> = calls.split_whitespace().collect();
    for (index, call) in calls.iter().enumerate() {
        let (id, rest) = call.split_once('=').unwrap_or(("", call));
        let (name, arguments) = rest.split_once('(').expect("has arguments");
        let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
        let name = match name {
            "fetch" | "look" => format!("toolset__web__{name}"),
            "nothing" => "nothing".to_owned(),
            "other" => "toolset__other__x".to_owned(),
            _ => format!("toolset__mine__{name}"),
        };
        body +=
            &chunk(json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": ""}}]}));
        body += &chunk(json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}));
    }
    if !breaks {
        body += &format!("data: {}\n\n", json!({"choices": [{"delta": {}, "finish_reason": reason}]}));
        body += &format!("data: {}\n\n", json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}));
        body += "data: [DONE]\n\n";
    }
    body
}

/// What `big` gives.
pub(super) fn large(call_id: &str) -> Spilled {
    Spilled {
        path: format!("{call_id}.json"),
        sha256: BlobId::of(b"large"),
        size: 70_000,
        media_type: "application/json".into(),
        preview: "[".into(),
    }
}

/// What `ask` asks.
pub(super) fn question(arguments: &Value) -> ApprovalRequest {
    ApprovalRequest {
        tool_id: ToolId::parse("mine:ask").expect("is a tool id"),
        tool_name: "Ask".into(),
        description: String::new(),
        toolset_id: ToolsetId::parse("mine").expect("is a name"),
        toolset_name: "Mine".into(),
        arguments: arguments.clone(),
        input_schema: None,
        hints: Hints::default(),
        default: DefaultButton::Deny,
        definition_hash: BlobId::of(b"ask"),
    }
}

/// The error of a name.
pub(super) fn error_named(name: &str) -> ModelError {
    match name {
        "overflow" => ModelError::ContextOverflow(Said::default()),
        "broken" => ModelError::Broken(Said::default()),
        other => ModelError::Key(Said::new(other)),
    }
}
