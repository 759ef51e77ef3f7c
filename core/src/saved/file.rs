//! Files of saved toolsets as hypertool-mcp writes them, in and out (R154, R158, FORMATS).
//!
//! Two shapes are read: a map of toolsets by name, and the later one that has that map under `toolsets` beside what was last equipped.
//! Whether stale references are allowed is neither written nor read: a file from somebody else must not make a selection insecure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::SavedError;
use super::toolset_manager::{check_name, check_tools};
use crate::record::{Note, SavedToolset, ToolNotes, ToolReference};
use crate::time::Timestamp;

/// Most bytes of a file.
const MOST_BYTES: usize = 4 << 20;
/// Most toolsets of a file.
const MOST_TOOLSETS: usize = 1_000;
/// The version of the later shape.
const VERSION: &str = "1.0.0";

/// How a file is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileShape {
    /// A map of toolsets by name.
    #[default]
    Toolsets,
    /// That map, what was last equipped, and a version.
    Config,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The toolsets, sorted by name.
    pub toolsets: Vec<SavedToolset>,
    /// The one that was last equipped, if the file says so.
    pub last_equipped: Option<String>,
    /// What was not taken, and why.
    pub remarks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadToolset {
    name: Option<String>,
    description: Option<String>,
    version: Option<String>,
    created_at: Option<String>,
    last_modified: Option<String>,
    #[serde(default)]
    tools: Vec<ReadReference>,
    #[serde(default)]
    tool_notes: Vec<ReadNotes>,
    #[serde(default)]
    allow_stale_refs: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadReference {
    namespaced_name: Option<String>,
    ref_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadNotes {
    tool_ref: ReadReference,
    #[serde(default)]
    notes: Vec<Note>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenToolset<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    created_at: Timestamp,
    last_modified: Timestamp,
    tools: Vec<WrittenReference<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_notes: Vec<WrittenNotes<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenReference<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    namespaced_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenNotes<'a> {
    tool_ref: WrittenReference<'a>,
    notes: &'a [Note],
}

impl<'a> From<&'a ToolReference> for WrittenReference<'a> {
    fn from(reference: &'a ToolReference) -> Self {
        Self { namespaced_name: reference.namespaced_name(), ref_id: reference.ref_id() }
    }
}

impl Imported {
    /// Reads a file of either shape. A toolset that makes no sense keeps none of the others from being read.
    pub fn read(text: &str, now: Timestamp) -> Result<Self, SavedError> {
        read(text, now)
    }
}

pub(super) fn read(text: &str, now: Timestamp) -> Result<Imported, SavedError> {
    let refused = |why: String| SavedError::File(why);
    if text.len() > MOST_BYTES {
        return Err(refused(format!("it has {} bytes, and the limit is {MOST_BYTES}", text.len())));
    }
    let mut whole: Map<String, Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| refused(error.to_string()))?;
    // A toolset may be called "toolsets"; then it has tools of its own.
    let is_config = whole.get("toolsets").is_some_and(|map| map.is_object() && !map["tools"].is_array());
    let last_equipped = match is_config {
        true => whole.get("lastEquippedToolset").and_then(Value::as_str).map(str::to_owned),
        false => None,
    };
    let entries = match (is_config, whole.get_mut("toolsets").map(Value::take)) {
        (true, Some(Value::Object(entries))) => entries,
        (_, _) => whole,
    };
    if entries.len() > MOST_TOOLSETS {
        return Err(refused(format!("it has {} toolsets, and the limit is {MOST_TOOLSETS}", entries.len())));
    }
    let mut imported = Imported { last_equipped, ..Imported::default() };
    let mut found = BTreeMap::new();
    for (key, entry) in entries {
        let shown: String = key.chars().take(80).collect();
        match toolset(&key, entry, now) {
            Ok((toolset, remark)) => {
                imported.remarks.extend(remark);
                found.insert(toolset.name.clone(), toolset);
            }
            Err(error) => imported.remarks.push(format!("{shown:?} was not imported: {error}")),
        }
    }
    imported.toolsets = found.into_values().collect();
    Ok(imported)
}

fn toolset(key: &str, entry: Value, now: Timestamp) -> Result<(SavedToolset, Option<String>), SavedError> {
    let read: ReadToolset = serde_json::from_value(entry).map_err(|error| SavedError::File(error.to_string()))?;
    let name = read.name.unwrap_or_else(|| key.to_owned());
    check_name(&name)?;
    let reference = |read: ReadReference| ToolReference::new(read.namespaced_name, read.ref_id.map(with_prefix));
    let tools = read.tools.into_iter().map(reference).collect::<Result<Vec<_>, _>>()?;
    check_tools(&tools)?;
    let mut notes = Vec::new();
    for one in read.tool_notes {
        notes.push(ToolNotes { tool: reference(one.tool_ref)?, notes: one.notes });
    }
    let moment = |text: Option<String>| text.and_then(|text| Timestamp::parse(&text).ok());
    let created_at = moment(read.created_at).unwrap_or(now);
    let remark = read.allow_stale_refs.then(|| {
        format!("{name:?} allowed stale references where it came from; here it is strict until you allow them")
    });
    let toolset = SavedToolset {
        description: read.description,
        version: read.version,
        created_at,
        modified_at: moment(read.last_modified).unwrap_or(created_at),
        tools,
        notes,
        allow_stale_refs: false,
        name,
    };
    Ok((toolset, remark))
}

/// References are kept with their beginning, whichever way they are written (C13).
fn with_prefix(reference: String) -> String {
    let is_bare = reference.len() == 64 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_bare { format!("sha256:{reference}") } else { reference }
}

/// The file of some toolsets, for people and for hypertool-mcp.
pub(super) fn write<'a>(
    toolsets: impl IntoIterator<Item = &'a SavedToolset>,
    last_equipped: Option<&str>,
    shape: FileShape,
) -> String {
    let written = |toolset: &'a SavedToolset| WrittenToolset {
        name: &toolset.name,
        description: toolset.description.as_deref(),
        version: toolset.version.as_deref(),
        created_at: toolset.created_at,
        last_modified: toolset.modified_at,
        tools: toolset.tools.iter().map(WrittenReference::from).collect(),
        tool_notes: toolset
            .notes
            .iter()
            .map(|one| WrittenNotes { tool_ref: (&one.tool).into(), notes: &one.notes })
            .collect(),
    };
    let map: BTreeMap<&str, WrittenToolset<'_>> =
        toolsets.into_iter().map(|toolset| (toolset.name.as_str(), written(toolset))).collect();
    let map = serde_json::to_value(map).expect("texts and lists always serialise");
    let whole = match shape {
        FileShape::Toolsets => map,
        FileShape::Config => {
            let mut whole = Map::from_iter([("toolsets".to_owned(), map)]);
            whole.extend(last_equipped.map(|name| ("lastEquippedToolset".to_owned(), name.into())));
            whole.insert("version".to_owned(), VERSION.into());
            Value::Object(whole)
        }
    };
    serde_json::to_string_pretty(&whole).expect("a value always serialises")
}
