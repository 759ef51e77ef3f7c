//! What the page of MCP servers reads of the answers.

use serde::Deserialize;
use serde_json::Value;

use crate::mcp::{Change, PublishedElsewhere};
use crate::protocol::{McpApproval, McpIdentity};
use crate::time::Timestamp;

/// `GET /local/servers`
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ServersRead {
    /// The MCP servers of all toolsets.
    pub servers: Vec<McpServerRead>,
    /// What the operator of the Satchel server offers.
    pub offers: Vec<OfferRead>,
    /// What other browsers of the account have published, and this one has not.
    pub elsewhere: Vec<PublishedElsewhere>,
}

/// A server that the operator offers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct OfferRead {
    /// What the operator calls it.
    pub name: String,
    /// The whole command line or address.
    pub line: String,
    /// How it is reached.
    pub config: Value,
    /// The names in it whose values the operator has set.
    pub set: Vec<String>,
    /// Whether it was added already.
    pub added: bool,
}

/// An MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct McpServerRead {
    /// Its key, `{toolset}~{server}`.
    pub id: String,
    /// Its name in its toolset.
    #[serde(rename = "serverId")]
    pub server_id: String,
    /// Its toolset.
    #[serde(rename = "toolsetId")]
    pub toolset_id: String,
    /// Its toolset's name.
    pub name: String,
    /// Whether the user added it by itself.
    pub user_mcp: bool,
    /// How it is reached.
    pub config: Value,
    /// The whole command line or address.
    pub line: String,
    /// Whether it is a program to be started.
    pub is_command: bool,
    /// Its switch.
    pub enabled: bool,
    /// How it is doing, a word.
    pub status: String,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the operator has approved its command.
    #[serde(default)]
    pub approval: Option<McpApproval>,
    /// What another browser of the account has published in its place.
    #[serde(default)]
    pub instead: Option<String>,
    /// Who it says that it is.
    #[serde(default)]
    pub identity: Option<McpIdentity>,
    /// When its tools last changed.
    #[serde(default)]
    pub seen_at: Option<Timestamp>,
    /// Whether its tools are those of an earlier connection.
    pub stale: bool,
    /// Its tools.
    pub tools: Vec<OfferedToolRead>,
}

/// A tool, as its server offers it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct OfferedToolRead {
    /// Its whole id.
    pub tool_id: String,
    /// The server's name for it.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub input_schema: Option<Value>,
    /// What it gives.
    pub output_schema: Option<Value>,
    /// What it says about itself.
    pub annotations: Option<Value>,
    /// How it compares with what it was.
    pub pin: PinRead,
}

/// How a tool, of a server or of a package, compares with what it was when it was first used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct PinRead {
    /// `new`, `same`, `changed` or `unreadable`.
    pub standing: String,
    /// What has changed.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// The name of its whole definition then; not said in lists.
    #[serde(default)]
    pub definition_hash: Option<String>,
    /// When that was; not said in lists.
    #[serde(default)]
    pub pinned_at: Option<Timestamp>,
}

/// `POST /local/servers/read`
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PastedRead {
    /// The servers that were read.
    pub servers: Vec<PastedServerRead>,
    /// What has to be asked for.
    pub asked: Vec<AskedRead>,
    /// What is not taken over.
    pub remarks: Vec<String>,
}

/// A server of a configuration.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PastedServerRead {
    /// Its name there.
    pub name: String,
    /// The id it is offered.
    pub id: String,
    /// Why that is another: `spelling` or `taken`.
    pub renamed: Option<String>,
    /// How it is reached.
    pub config: Value,
    /// The whole command line or address.
    pub line: String,
    /// Whether it is a program to be started.
    pub is_command: bool,
    /// Whether it is switched on there.
    pub enabled: bool,
    /// The secrets that were written out, for the vault.
    pub secrets: Vec<(String, String)>,
}

/// A value that has to be asked for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AskedRead {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it is hidden while it is typed.
    pub hidden: bool,
    /// The values to choose from.
    pub options: Vec<String>,
    /// What to begin with.
    pub default: Option<String>,
    /// Who wants it.
    pub servers: Vec<String>,
}
