//! Carrying out what a management tool is called for, on a shelf. The answers are hypertool's.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    Discovery, Management, Mode, NewToolset, Resolution, SavedError, Shelf, active_answer, available_answer,
    toolset_info,
};
use crate::record::{NoReference, Note, SavedToolset, ToolReference};
use crate::time::Timestamp;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BuildArguments {
    name: String,
    description: Option<String>,
    tools: Vec<Reference>,
    #[serde(default)]
    auto_equip: bool,
}

#[derive(Deserialize)]
struct NameArguments {
    name: String,
    #[serde(default)]
    confirm: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnnotateArguments {
    tool_ref: Reference,
    notes: Vec<Note>,
}

/// A reference, as hypertool writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    namespaced_name: Option<String>,
    ref_id: Option<String>,
}

impl TryFrom<Reference> for ToolReference {
    type Error = NoReference;

    fn try_from(read: Reference) -> Result<Self, NoReference> {
        Self::new(read.namespaced_name, read.ref_id)
    }
}

/// Does what a tool is called for. What is refused is an answer too: its `success` is false, and `error` says why.
pub fn manage(shelf: &mut Shelf, discovery: &Discovery, tool: Management, arguments: &Value, now: Timestamp) -> Value {
    match attempt(shelf, discovery, tool, arguments, now) {
        Ok(answer) => answer,
        Err(error) => match tool {
            Management::Build => json!({
                "meta": {"success": false, "toolsetName": arguments["name"], "autoEquipped": false, "error": error.to_string()},
            }),
            _ => json!({"success": false, "error": error.to_string()}),
        },
    }
}

fn attempt(
    shelf: &mut Shelf,
    discovery: &Discovery,
    tool: Management,
    arguments: &Value,
    now: Timestamp,
) -> Result<Value, SavedError> {
    match tool {
        Management::ListAvailable => Ok(available_answer(discovery)),
        Management::ListSaved => {
            let info = |toolset: &SavedToolset| toolset_info(toolset, shelf, discovery);
            Ok(json!({"success": true, "toolsets": shelf.toolsets.values().map(info).collect::<Vec<_>>()}))
        }
        Management::Active => Ok(active_answer(shelf, discovery)),
        Management::Build => build(shelf, discovery, read(arguments)?, now),
        Management::Equip => {
            let NameArguments { name, .. } = read(arguments)?;
            let resolution = shelf.equip(&name, discovery)?;
            Ok(equipped(shelf, discovery, &name, &resolution))
        }
        Management::Unequip => {
            let name = shelf.unequip().ok_or(SavedError::NothingEquipped)?;
            Ok(json!({"success": true, "unequipped": name}))
        }
        Management::Delete => {
            let NameArguments { name, confirm } = read(arguments)?;
            shelf.get(&name)?;
            if !confirm {
                return Err(SavedError::Unconfirmed(name));
            }
            let deleted = shelf.delete(&name)?;
            Ok(json!({"success": true, "deleted": deleted.name}))
        }
        Management::Annotate => {
            let AnnotateArguments { tool_ref, notes } = read(arguments)?;
            let told = shelf.annotate(&ToolReference::try_from(tool_ref)?, notes, now)?;
            Ok(json!({"success": true, "tool": told.tool.namespaced_name(), "notes": told.notes}))
        }
        Management::Enter => {
            shelf.mode = Mode::Configuring;
            Ok(json!({"success": true, "mode": "configuration"}))
        }
        Management::Exit => {
            shelf.mode = Mode::Working;
            Ok(json!({"success": true, "mode": "working"}))
        }
    }
}

fn build(shelf: &mut Shelf, discovery: &Discovery, asked: BuildArguments, now: Timestamp) -> Result<Value, SavedError> {
    let tools = asked.tools.into_iter().map(ToolReference::try_from).collect::<Result<Vec<_>, _>>()?;
    let new = NewToolset { name: asked.name.clone(), description: asked.description, version: None, tools };
    shelf.build(new, discovery, now)?;
    let warnings = match asked.auto_equip {
        true => shelf.equip(&asked.name, discovery)?.warnings,
        false => Vec::new(),
    };
    let toolset = toolset_info(shelf.get(&asked.name)?, shelf, discovery);
    Ok(json!({
        "meta": {"success": true, "toolsetName": asked.name, "autoEquipped": asked.auto_equip},
        "toolset": toolset,
        "warnings": warnings,
    }))
}

fn equipped(shelf: &Shelf, discovery: &Discovery, name: &str, resolution: &Resolution) -> Value {
    let toolset = shelf.get(name).ok().map(|toolset| toolset_info(toolset, shelf, discovery));
    json!({
        "success": true,
        "equipped": name,
        "toolset": toolset,
        "warnings": resolution.warnings,
        "errors": resolution.errors,
    })
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, SavedError> {
    serde_json::from_value(arguments.clone()).map_err(|error| SavedError::Arguments(error.to_string()))
}
