//! What the screens of saved toolsets read of the answers.

use serde::Deserialize;

use crate::record::Note;

/// `GET /local/saved-toolsets`
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct SavedListRead {
    /// Those there are.
    pub toolsets: Vec<SavedRead>,
    /// The one that is equipped.
    pub equipped: Option<String>,
}

/// A saved toolset, as it is here and now.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedRead {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// A label of the user's own.
    #[serde(default)]
    pub version: Option<String>,
    /// Its tools.
    pub tools: Vec<SavedToolRead>,
    /// What is noted about them.
    pub tool_notes: Vec<NotesRead>,
    /// Whether it takes tools that are not what was chosen.
    pub allow_stale_refs: bool,
    /// What it takes of a model's context.
    pub context: ContextRead,
    /// What has to be said about it.
    pub warnings: Vec<String>,
}

/// A tool of a saved toolset.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedToolRead {
    /// `server.tool`
    pub namespaced_name: Option<String>,
    /// The hash of its definition.
    pub ref_id: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// What it takes.
    pub context: Option<ContextRead>,
}

/// The notes about a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotesRead {
    /// Which tool.
    pub tool_ref: ReferenceRead,
    /// The notes.
    pub notes: Vec<Note>,
}

/// A reference.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceRead {
    /// `server.tool`
    pub namespaced_name: Option<String>,
    /// The hash of the tool's definition.
    pub ref_id: Option<String>,
}

/// An estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct ContextRead {
    /// Tokens.
    pub tokens: u64,
}

/// `GET /local/saved-toolsets/available`
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AvailableRead {
    /// What there is, by who gives it.
    pub tools_by_server: Vec<ServerToolsRead>,
}

/// What a server or a toolset gives.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerToolsRead {
    /// Its name.
    pub server_name: String,
    /// What all of it takes.
    pub context: ContextRead,
    /// Its tools.
    pub tools: Vec<AvailableToolRead>,
}

/// A tool that can be chosen.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AvailableToolRead {
    /// Its own name.
    pub name: String,
    /// `server.tool`
    pub namespaced_name: String,
    /// Its id here.
    pub tool_id: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub context: ContextRead,
    /// Why it cannot be used now.
    #[serde(default)]
    pub unavailable: Option<String>,
}

/// What came of building or equipping one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct EquippedRead {
    /// What has to be said about it (R155).
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Why it could not be applied.
    #[serde(default)]
    pub errors: Vec<String>,
}

/// What came of an import.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ImportedRead {
    /// The names of those that were taken.
    pub imported: Vec<String>,
    /// What was not taken, and why.
    pub remarks: Vec<String>,
}
