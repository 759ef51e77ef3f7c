//! What the app's own screens read of the answers: the fields they show, as plain texts.
//!
//! The rows and the bundle have richer types, but the page would have to carry the code that reads them. The answers are made
//! from those types beside this one; a test reads each answer by these.

mod saved;
mod servers;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub use saved::{
    AvailableRead, AvailableToolRead, ContextRead, EquippedRead, ImportedRead, NotesRead, ReferenceRead, SavedListRead,
    SavedRead, SavedToolRead, ServerToolsRead,
};
pub use servers::{
    AskedRead, McpServerRead, OfferRead, OfferedToolRead, PastedRead, PastedServerRead, PinRead, ServersRead,
};

use crate::digest::BlobId;
use crate::record::ToolOverride;
use crate::time::Timestamp;

/// `GET /local/toolsets`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ToolsetsRead {
    /// The toolsets, sorted by id.
    pub toolsets: Vec<ToolsetRead>,
    /// Those that were uninstalled and can be brought back.
    #[serde(default)]
    pub uninstalled: Vec<UninstalledRead>,
    /// What cannot be read.
    #[serde(default)]
    pub broken: Vec<String>,
}

/// A toolset, in a list or by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct ToolsetRead {
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// Its master switch.
    pub enabled: bool,
    /// Whether it was made of one MCP server, and is shown with those (R120).
    #[serde(default)]
    pub user_mcp: bool,
    /// How many tools it has.
    pub tool_count: u32,
    /// In how many other versions devices have it that changed it while they were apart.
    #[serde(default)]
    pub apart_count: u32,
    /// Why it cannot be used.
    #[serde(default)]
    pub unavailable_reason: Option<String>,
    /// Where it came from, a word.
    pub source_type: String,
    /// The file, folder or address; not in a list.
    #[serde(default)]
    pub source_ref: Option<String>,
    /// The secrets and variables that it wants; only in a list.
    #[serde(default)]
    pub secrets: Vec<WantedSecretRead>,
    /// The name of its contents; not in a list.
    #[serde(default)]
    pub package: String,
    /// The secrets and variables that have no value yet; not in a list.
    #[serde(default)]
    pub missing_secrets: Vec<String>,
    /// What of it cannot be read; not in a list.
    #[serde(default)]
    pub broken: Vec<String>,
}

/// A secret or variable that a toolset wants.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct WantedSecretRead {
    /// Its name.
    pub name: String,
    /// What the author says that it is.
    #[serde(default)]
    pub description: Option<String>,
}

impl ToolsetRead {
    /// Whether it is compiled in: it can be switched and copied, and nothing else.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.source_type == "builtin"
    }
}

/// A bundle of the tools interface, which is a toolset by its other name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleRead {
    /// Its UUID.
    #[serde(rename = "bundleID")]
    pub bundle_id: String,
    /// Its id.
    #[serde(rename = "toolsetID")]
    pub toolset_id: String,
    /// Its display name.
    pub display_name: String,
    /// Its switch.
    pub is_enabled: bool,
    /// Whether it is compiled in.
    pub is_built_in: bool,
    /// How many tools it has.
    pub tool_count: usize,
}

/// The bundles, page by page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BundlesRead {
    /// Those of this page.
    pub bundles: Vec<BundleRead>,
}

/// A tool that was made by the tools interface.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MadeToolRead {
    /// Its whole id.
    #[serde(rename = "toolID")]
    pub tool_id: String,
}

/// Where the web search that is built in asks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BaseUrlRead {
    /// The address.
    pub base_url: String,
}

/// A toolset that can be brought back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct UninstalledRead {
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Until when.
    pub until: Timestamp,
}

/// `GET /local/toolsets/{id}`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DetailsRead {
    /// The toolset.
    pub toolset: ToolsetRead,
    /// Its tools, as they are in effect.
    pub tools: Vec<ToolRead>,
    /// Its files.
    pub files: Vec<FileRead>,
    /// Its servers.
    pub mcp_servers: Vec<ServerRead>,
    /// The hosts that its tools may ask for.
    #[serde(default)]
    pub hosts: Vec<HostRead>,
    /// The tools that were approved for longer than one call.
    #[serde(default)]
    pub remembered: Vec<RememberedRead>,
    /// What other devices made of it while they were apart.
    #[serde(default)]
    pub apart: Vec<ApartRead>,
}

/// Another version of a toolset, made on another device while both were apart.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ApartRead {
    /// The name of its contents.
    pub package: String,
    /// Its version.
    pub version: String,
    /// How its tools differ.
    pub tools: DifferencesRead,
    /// How its files differ.
    pub files: DifferencesRead,
}

/// How another version differs from the one in use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct DifferencesRead {
    /// What only the other has.
    pub only_there: Vec<String>,
    /// What only the one in use has.
    pub only_here: Vec<String>,
    /// What both have, and not the same.
    pub changed: Vec<String>,
}

/// A host that a toolset names.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HostRead {
    /// The host, with its port where it is not the usual one.
    pub host: String,
    /// Whether its tools may reach it.
    pub granted: bool,
}

/// A tool that was approved for longer than one call.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RememberedRead {
    /// The tool.
    pub tool_id: String,
    /// In how many single chats.
    pub chats: u32,
    /// Whether everywhere.
    pub everywhere: bool,
    /// Whether it is still the tool that was approved.
    pub holds: bool,
}

/// `POST /local/toolsets/preview`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PreviewRead {
    /// What it means for what is there.
    pub outcome: OutcomeRead,
    /// The version that is there, where it is another.
    #[serde(default)]
    pub from: Option<String>,
    /// What it contains.
    pub contents: ContentsRead,
    /// What is accepted and still worth a look.
    pub warnings: Vec<String>,
}

/// `POST /local/toolsets/{id}/duplicate`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MadeRead {
    /// The id of what was made.
    pub toolset_id: String,
}

/// What installing a bundle means for what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeRead {
    /// Nothing of this id is there.
    New,
    /// It is there already.
    Same,
    /// An older one is there.
    Upgrade,
    /// A newer one is there.
    Downgrade,
    /// The same version with other contents is there.
    Conflict,
}

/// What a bundle contains.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ContentsRead {
    /// The toolset's id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The name of its contents.
    pub package: String,
    /// All bytes of its files.
    pub size: u64,
    /// Its tools.
    pub tools: Vec<ToolRead>,
    /// Its servers.
    pub servers: Vec<ServerRead>,
    /// The hosts it wants to reach.
    pub hosts: Vec<String>,
    /// The Python packages it needs.
    pub python_packages: Vec<String>,
    /// The secrets and variables it wants.
    pub secrets: Vec<SecretRead>,
    /// Its files.
    pub files: Vec<FileRead>,
}

/// A tool, before it is installed or after.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ToolRead {
    /// Its whole id.
    pub tool_id: String,
    /// Its display name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How it runs, a word.
    #[serde(rename = "type")]
    pub kind: String,
    /// How its result is shown, a word.
    pub renderer: Option<String>,
    /// Whether it asks before it runs.
    pub requires_confirmation: bool,
    /// Why it cannot be used.
    #[serde(default)]
    pub unavailable_reason: Option<String>,
}

/// A file, before it is installed or after.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FileRead {
    /// Where it is.
    pub path: String,
    /// How many bytes.
    pub size: u64,
    /// The name of its bytes.
    pub sha256: BlobId,
}

/// A server, before it is installed or after.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ServerRead {
    /// Its id within the toolset.
    #[serde(alias = "serverId")]
    pub server_id: String,
    /// The whole command line or address.
    pub line: String,
    /// Whether it is a command.
    pub is_command: bool,
    /// Why it cannot be reached.
    #[serde(default)]
    pub unavailable_reason: Option<String>,
}

/// A secret or variable that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SecretRead {
    /// Its name.
    pub name: String,
    /// What the author says that it is.
    pub description: Option<String>,
}

/// `GET /local/tools`
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ToolsRead {
    /// The tools of this page, sorted by id.
    pub tools: Vec<ToolItemRead>,
    /// Names the next page, if there is one.
    #[serde(default, rename = "nextPageToken")]
    pub next_page_token: Option<String>,
}

/// A tool that is here, in a list or by itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ToolItemRead {
    /// Its whole id.
    pub tool_id: String,
    /// The toolset it belongs to.
    pub toolset_id: Option<String>,
    /// How it is called by hand.
    pub slug: String,
    /// The version of its toolset.
    pub version: String,
    /// Its display name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The kind of tool it is, where it says.
    #[serde(default)]
    pub category: Option<String>,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// How it runs, a word.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was last changed; not known of a tool that a server has only just told.
    #[serde(default)]
    pub modified_at: Option<Timestamp>,
    /// What it takes, where that is known.
    pub input_schema: Option<Value>,
    /// Whether it asks before it runs.
    pub requires_confirmation: bool,
    /// Its own switch.
    pub enabled: bool,
    /// How its result is shown, a word.
    pub renderer: Option<String>,
    /// Why it cannot be used.
    #[serde(default)]
    pub unavailable_reason: Option<String>,
    /// What its definition costs in every request to a model, roughly.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// How often it was called, and how that went.
    #[serde(default)]
    pub metrics: Option<MetricsRead>,
}

impl ToolItemRead {
    /// When it was last called or changed, whichever is later; nothing is as if it had been never (R253).
    #[must_use]
    pub fn recent(&self) -> Timestamp {
        let called = self.metrics.as_ref().and_then(|metrics| metrics.last_called_at);
        called.max(self.modified_at).unwrap_or_default()
    }
}

/// How often a tool was called, and how that went.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MetricsRead {
    /// How often.
    pub calls: u64,
    /// How often that ended in an error.
    pub errors: u64,
    /// How many milliseconds all calls took together.
    pub total_millis: u64,
    /// How many the longest took.
    pub longest_millis: u64,
    /// When it was last called.
    pub last_called_at: Option<Timestamp>,
}

/// What `GET /local/tools/{tool_id}` says beside [`ToolItemRead`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ToolMoreRead {
    /// What it gives.
    pub output_schema: Option<Value>,
    /// The function that is called, for a Python tool.
    pub entrypoint: Option<String>,
    /// What is asked, for an HTTP tool.
    #[serde(default)]
    pub http: Option<Value>,
    /// How long it may take.
    pub timeout_seconds: Option<u32>,
    /// The renderer with its configuration.
    pub render_config: Option<Value>,
    /// The file that holds its function.
    #[serde(default)]
    pub source: Option<SourceRead>,
    /// What the user has changed of it.
    #[serde(default)]
    pub overrides: Option<ToolOverride>,
    /// How it compares with what it was when it was first used.
    #[serde(default)]
    pub pin: PinRead,
}

/// The file with the code of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SourceRead {
    /// Where it is in the toolset.
    pub path: String,
    /// The name of its bytes.
    pub sha256: BlobId,
}

/// What `GET /local/manifests/{a}/diff/{b}` says, as far as it is shown: the paths.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct DiffRead {
    /// Files that only the second has.
    pub added: BTreeMap<String, Value>,
    /// Files that both have, with other contents.
    pub changed: BTreeMap<String, Value>,
    /// Files that only the first has.
    pub deleted: BTreeMap<String, Value>,
}
