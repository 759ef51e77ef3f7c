//! A copy of the built-in tools as a toolset of the user's own (C52).
//!
//! The tools that are compiled in can only be switched. A copy is an ordinary bundle whose tools name the same functions (C30): it can be
//! overridden, exported, edited and removed like any other, and what its author may say about a tool, this manifest says. Its functions
//! are still those of the app.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::declaration::VERSION;
use super::{Builtin, TOOLS};
use crate::catalog::ToolsetId;

/// The id of a copy: the first is number 1.
#[must_use]
pub fn copy_id(number: u32) -> ToolsetId {
    let name = if number == 1 { "builtin-copy".to_owned() } else { format!("builtin-copy-{number}") };
    ToolsetId::parse(&name).expect("is spelled as an id")
}

/// The manifest of a copy. What is switched off here stays off there.
#[must_use]
pub fn copy_manifest(id: &ToolsetId, switched_off: &BTreeSet<&str>) -> Value {
    let tools: Vec<Value> = TOOLS.iter().map(|tool| entry(tool, !switched_off.contains(tool.name))).collect();
    json!({
        "manifest_version": "1",
        "id": id.as_str(),
        "name": "Built-in tools (copy)",
        "version": VERSION,
        "description": "A copy of the tools that are part of Satchel, to be changed.",
        "tools": tools,
    })
}

fn entry(tool: &Builtin, enabled: bool) -> Value {
    let mut entry = json!({
        "id": tool.name,
        "name": tool.title,
        "description": tool.description,
        "category": "files",
        "type": "builtin",
        "builtin": {"func": tool.name},
        "input_schema": (tool.input_schema)(),
        "output_schema": (tool.output_schema)(),
        "tags": ["files"],
    });
    let members = entry.as_object_mut().expect("is one");
    if let Some((renderer, config)) = tool.renderer {
        let mut shown = Map::from_iter([("type".to_owned(), renderer.name().into())]);
        shown.extend(config().as_object().cloned().unwrap_or_default());
        members.insert("renderer".into(), Value::Object(shown));
    }
    if !enabled {
        members.insert("enabled".into(), false.into());
    }
    entry
}
