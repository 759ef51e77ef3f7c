//! The rows of every table: what they hold and what they are keyed by.
//!
//! A record is a plain struct with named fields. The store keeps it as one row, field by field, each field with the stamp of
//! its last change, which is what lets two devices merge their rows.

mod approval;
mod attachment;
mod chat;
mod draft;
mod grant;
mod kept_value;
mod mcp_seen;
mod message;
mod package;
mod pin;
mod position;
mod python_packages;
mod saved_toolset;
mod setting;
mod tool;
mod tool_call;
mod tool_metrics;
mod tool_override;
mod tool_render_config;
mod toolset;
mod toolset_file;
mod toolset_mcp_server;
mod workspace_manifest;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use approval::Approval;
pub use attachment::Attachment;
pub use chat::{Chat, Equipped, ForkOrigin};
pub use draft::{Draft, EditedFile};
pub use grant::Grant;
pub use kept_value::KeptValue;
pub use mcp_seen::McpSeen;
pub use message::{CallKind, Content, ContentError, Message, Part, RequestedCall, RequestedFunction, Role};
pub use package::{Package, PackageId, PackageStanding};
pub use pin::Pin;
pub use position::Position;
pub use python_packages::{PythonPackages, PythonWheel};
pub use saved_toolset::{NoReference, Note, SavedToolset, ToolNotes, ToolReference};
pub use setting::Setting;
pub use tool::{Tool, ToolKind};
pub use tool_call::{CallStatus, ErrorKind, Spilled, ToolCall};
pub use tool_metrics::ToolMetrics;
pub use tool_override::ToolOverride;
pub use tool_render_config::{RendererKind, ToolRenderConfig};
pub use toolset::{SourceType, Toolset};
pub use toolset_file::{FileKind, ToolsetFile};
pub use toolset_mcp_server::ToolsetMcpServer;
pub use workspace_manifest::{ManifestSource, Node, NodeHead, WorkspaceManifest};

/// A typed row. Its serialised form must be an object; each of its members is a field with a stamp of its own.
pub trait Record: Serialize + DeserializeOwned {
    /// The table it belongs to.
    const TABLE: Table;

    /// Its key within that table.
    fn key(&self) -> RowKey;
}

/// Every table of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// What the user has set, the same on all of their devices.
    Settings,
    /// Text typed but not sent yet.
    Drafts,
    /// Where the user was: open panes, scroll positions.
    Positions,
    /// Installed toolsets.
    Toolsets,
    /// What their authors wrote, by hash.
    Packages,
    /// The files of packages.
    ToolsetFiles,
    /// The tools that packages declare.
    Tools,
    /// How those tools are shown.
    ToolRenderConfigs,
    /// What the user has changed about tools.
    ToolOverrides,
    /// The MCP servers of toolsets.
    ToolsetMcpServers,
    /// Conversations.
    Chats,
    /// What was said in them.
    Messages,
    /// What tools were called with and what they gave.
    ToolCalls,
    /// States of the files of chats.
    WorkspaceManifests,
    /// Which state belongs to which message.
    NodeHeads,
    /// Named selections of tools.
    SavedToolsets,
    /// What else is remembered for all devices.
    Kv,
    /// The definitions of tools as the user knows them.
    Pins,
    /// The hosts that toolsets may reach.
    Grants,
    /// The tools that need not ask.
    Approvals,
    /// How tools have been doing.
    ToolMetrics,
    /// The wheels that were fetched for toolsets.
    PythonPackages,
    /// What MCP servers offered when they were last connected.
    McpSeen,
}

/// Whether the rows of a table leave the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Noted in the outbox and sent, sealed, to the user's other devices.
    Synced,
    /// Never sent, whatever happens.
    DeviceLocal,
}

impl Table {
    /// All tables, in the order in which they were introduced.
    pub const ALL: [Self; 23] = [
        Self::Settings,
        Self::Drafts,
        Self::Positions,
        Self::Toolsets,
        Self::Packages,
        Self::ToolsetFiles,
        Self::Tools,
        Self::ToolRenderConfigs,
        Self::ToolOverrides,
        Self::ToolsetMcpServers,
        Self::Chats,
        Self::Messages,
        Self::ToolCalls,
        Self::WorkspaceManifests,
        Self::NodeHeads,
        Self::SavedToolsets,
        Self::Kv,
        Self::Pins,
        Self::Grants,
        Self::Approvals,
        Self::ToolMetrics,
        Self::PythonPackages,
        Self::McpSeen,
    ];

    /// The name of the table in storage, exports and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Drafts => "drafts",
            Self::Positions => "positions",
            Self::Toolsets => "toolsets",
            Self::Packages => "packages",
            Self::ToolsetFiles => "toolset_files",
            Self::Tools => "tools",
            Self::ToolRenderConfigs => "tool_render_configs",
            Self::ToolOverrides => "tool_overrides",
            Self::ToolsetMcpServers => "toolset_mcp_servers",
            Self::Chats => "chats",
            Self::Messages => "messages",
            Self::ToolCalls => "tool_calls",
            Self::WorkspaceManifests => "workspace_manifests",
            Self::NodeHeads => "node_heads",
            Self::SavedToolsets => "saved_toolsets",
            Self::Kv => "kv",
            Self::Pins => "pins",
            Self::Grants => "grants",
            Self::Approvals => "approvals",
            Self::ToolMetrics => "tool_metrics",
            Self::PythonPackages => "python_packages",
            Self::McpSeen => "mcp_seen",
        }
    }

    /// Whether its rows leave the device.
    #[must_use]
    pub const fn scope(self) -> Scope {
        match self {
            Self::Settings
            | Self::Toolsets
            | Self::Packages
            | Self::ToolsetFiles
            | Self::Tools
            | Self::ToolRenderConfigs
            | Self::ToolOverrides
            | Self::ToolsetMcpServers
            | Self::Chats
            | Self::Messages
            | Self::ToolCalls
            | Self::WorkspaceManifests
            | Self::NodeHeads
            | Self::SavedToolsets
            | Self::Kv
            | Self::Pins => Scope::Synced,
            Self::Drafts
            | Self::Positions
            | Self::Grants
            | Self::Approvals
            | Self::ToolMetrics
            | Self::PythonPackages
            | Self::McpSeen => Scope::DeviceLocal,
        }
    }
}

impl Table {
    /// The fields by which rows of the table can be looked up; each holds a text in every row that is found by it.
    #[must_use]
    pub const fn indexed(self) -> &'static [&'static str] {
        match self {
            Self::Packages
            | Self::ToolsetMcpServers
            | Self::ToolOverrides
            | Self::Grants
            | Self::PythonPackages
            | Self::McpSeen
            | Self::Pins => &["toolset_id"],
            Self::ToolsetFiles | Self::ToolRenderConfigs => &["package"],
            Self::Tools => &["package", "tool_id", "toolset_id"],
            Self::Messages | Self::WorkspaceManifests | Self::NodeHeads => &["chat_id"],
            Self::ToolCalls => &["chat_id", "call_id"],
            Self::Approvals => &["tool_id"],
            Self::Settings
            | Self::Drafts
            | Self::Positions
            | Self::Toolsets
            | Self::Chats
            | Self::SavedToolsets
            | Self::Kv
            | Self::ToolMetrics => &[],
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The key of a row within its table: one text or several, compared part by part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RowKey(Vec<String>);

impl RowKey {
    /// A key of one part.
    #[must_use]
    pub fn one(part: impl Into<String>) -> Self {
        Self(vec![part.into()])
    }

    /// A key of several parts.
    #[must_use]
    pub fn of<const N: usize>(parts: [&str; N]) -> Self {
        const { assert!(N > 0, "a key has at least one part") };
        Self(parts.map(str::to_owned).to_vec())
    }

    /// Rebuilds a key that a store kept; an empty list is not a key.
    #[must_use]
    pub fn from_parts(parts: Vec<String>) -> Option<Self> {
        (!parts.is_empty()).then_some(Self(parts))
    }

    /// The parts, at least one.
    #[must_use]
    pub fn parts(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("/"))
    }
}

/// Names one row of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RowRef {
    /// The table.
    pub table: Table,
    /// The key within it.
    pub key: RowKey,
}

impl RowRef {
    /// The name of this record's row.
    #[must_use]
    pub fn of<R: Record>(record: &R) -> Self {
        Self { table: R::TABLE, key: record.key() }
    }

    /// The name of the row of a record with this key.
    #[must_use]
    pub fn to<R: Record>(key: RowKey) -> Self {
        Self { table: R::TABLE, key }
    }
}

impl fmt::Display for RowRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.table, self.key)
    }
}
