//! MCP configurations that people have already: those of Claude and Cursor, of VS Code with its inputs, and of OpenCode (R318).
//!
//! The programs differ in where they keep their servers and in how they spell a few words; what they say is the same. So that there is one
//! reader, which knows every place and every spelling. What it gives holds no secret: a credential that is written out is taken to be stored
//! in the vault, and its place is held by `${NAME}`; what a configuration leaves open is asked for.

mod comments;
mod id;
mod node;
mod placeholder;
mod server;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::bundle::secrets::{name_looks_secret, take_from_server};
use crate::catalog::ServerId;
use crate::protocol::{SecretName, SecretValue};

use node::Node;
use placeholder::Placeholders;

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasteLimits {
    /// Bytes of the whole text.
    pub text_bytes: usize,
    /// Servers.
    pub servers: usize,
    /// Items of a list or an object of one server.
    pub items: usize,
    /// Bytes of one text of a server.
    pub value_bytes: usize,
}

impl Default for PasteLimits {
    fn default() -> Self {
        Self { text_bytes: 1 << 20, servers: 200, items: 500, value_bytes: 64 << 10 }
    }
}

/// What is there already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PasteKnown {
    /// The ids of toolsets, those that were uninstalled and can be brought back among them.
    pub toolsets: BTreeSet<String>,
    /// The names of the secrets and variables that have a value.
    pub secrets: BTreeSet<String>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Pasted {
    /// The servers, in the order in which they are written.
    pub servers: Vec<PastedServer>,
    /// What has to be asked for before they can be used.
    pub asked: Vec<AskedValue>,
    /// What is not taken over, in sentences.
    pub remarks: Vec<String>,
}

/// A server that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct PastedServer {
    /// Its name as it is written.
    pub name: String,
    /// The id it is offered, which is free.
    pub id: ServerId,
    /// Why that is not its name.
    pub renamed: Option<Renamed>,
    /// How it is reached, with placeholders for what is secret.
    pub config: Value,
    /// Whether it is switched on there.
    pub enabled: bool,
    /// The secrets that were written out, for the vault.
    pub secrets: Vec<(SecretName, SecretValue)>,
}

/// Why a server is offered another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renamed {
    /// Its own has letters that an id cannot have.
    Spelling,
    /// A toolset or another server of the same text has it.
    Taken,
}

/// A value that the configuration leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedValue {
    /// The name it gets.
    pub name: SecretName,
    /// What it is, as far as that is said.
    pub description: Option<String>,
    /// Whether it is hidden while it is typed.
    pub hidden: bool,
    /// The values to choose from, where they are listed.
    pub options: Vec<String>,
    /// What to begin with.
    pub default: Option<String>,
    /// The names of the servers that want it.
    pub servers: Vec<String>,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum PasteError {
    /// It is too long.
    #[error("the configuration has {bytes} bytes, and the limit is {limit}")]
    TooLarge {
        /// Bytes it has.
        bytes: usize,
        /// Bytes it may have.
        limit: usize,
    },
    /// It is no JSON.
    #[error("this is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// It is JSON with no servers in it.
    #[error("no servers are in it; they are expected under \"mcpServers\", \"servers\" or \"mcp\"")]
    NoServers,
    /// It has too many servers.
    #[error("it has {count} servers, and the limit is {limit}")]
    TooMany {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Something in it is wrong.
    #[error("{path}: {fault}")]
    At {
        /// Where.
        path: String,
        /// What.
        fault: PasteFault,
    },
}

/// What is wrong at one place of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasteFault {
    /// It is something else than is expected.
    #[error("this must be {expected}")]
    Kind {
        /// What is expected.
        expected: &'static str,
    },
    /// It is empty.
    #[error("this must not be empty")]
    Empty,
    /// It has too many items, or too long a text.
    #[error("this has more than {limit} {of}")]
    TooMuch {
        /// How many it may have.
        limit: usize,
        /// Of what.
        of: &'static str,
    },
    /// It says neither a command nor an address.
    #[error("a server needs a \"command\" or a \"url\"")]
    NeitherCommandNorUrl,
    /// It says both.
    #[error("a server has a \"command\" or a \"url\", and this has both")]
    CommandAndUrl,
    /// The address is none of the web.
    #[error("the address must begin with http:// or https://")]
    Url,
    /// The transport is not known, or is another one's.
    #[error("{transport:?} is not a transport of a server with a {with}")]
    Transport {
        /// The transport.
        transport: String,
        /// `command` or `url`.
        with: &'static str,
    },
}

impl Pasted {
    /// Reads a configuration.
    pub fn read(text: &str, known: &PasteKnown, limits: &PasteLimits) -> Result<Self, PasteError> {
        if text.len() > limits.text_bytes {
            return Err(PasteError::TooLarge { bytes: text.len(), limit: limits.text_bytes });
        }
        let root = parse(text)?;
        let Places { servers, inputs } = places(&root)?;
        if servers.len() > limits.servers {
            return Err(PasteError::TooMany { count: servers.len(), limit: limits.servers });
        }
        let mut placeholders = Placeholders::of(inputs, limits)?;
        let mut read = Self { servers: Vec::new(), asked: Vec::new(), remarks: Vec::new() };
        let mut ids = known.toolsets.clone();
        let mut secrets: BTreeMap<String, SecretValue> = BTreeMap::new();
        for (name, node) in servers {
            let written = server::read(&node, limits, &mut |text| placeholders.normal(text, &name))?;
            let (id, renamed) = id::free(&name, &ids);
            ids.insert(id.to_string());
            let mut config = written.config;
            let mut others: BTreeSet<String> = known.secrets.union(&placeholders.names()).cloned().collect();
            others.extend(secrets.keys().cloned());
            let taken = take_from_server(&mut config, id.as_str(), &others);
            let taken = taken.into_iter().filter_map(|one| Some((SecretName::parse(&one.name).ok()?, one.value)));
            let taken: Vec<(SecretName, SecretValue)> = taken.collect();
            secrets.extend(taken.iter().map(|(name, value)| (name.to_string(), value.clone())));
            let remark = |remark: String| format!("{name}: {remark}");
            read.remarks.extend(written.remarks.into_iter().map(remark));
            let enabled = written.enabled;
            let config = Value::Object(config);
            read.servers.push(PastedServer { name, id, renamed, config, enabled, secrets: taken });
        }
        read.asked = placeholders.into_asked(|name| known.secrets.contains(name), name_looks_secret);
        Ok(read)
    }
}

/// Reads JSON as people write it: with comments, with commas too many, and with the outer braces left out.
fn parse(text: &str) -> Result<Value, PasteError> {
    let text = comments::without(text.trim_start_matches('\u{feff}').trim());
    serde_json::from_str(&text).or_else(|error| {
        let members = text.trim().trim_end_matches(',');
        let whole = if members.starts_with('"') { format!("{{{members}}}") } else { String::new() };
        serde_json::from_str(&whole).map_err(|_| PasteError::NotJson(error))
    })
}

/// Where a configuration has what is read of it.
struct Places<'a> {
    /// The servers by their names.
    servers: Vec<(String, Node<'a>)>,
    /// The list of inputs.
    inputs: Option<Node<'a>>,
}

/// The servers by their names, and the list of inputs, wherever the program keeps them.
fn places(root: &Value) -> Result<Places<'_>, PasteError> {
    let root = Node::root(root);
    // VS Code's settings have the same below `mcp` that its own file has at the top; OpenCode has its servers there.
    let below = root.get("mcp").filter(|mcp| mcp.get("servers").is_some());
    let root = below.unwrap_or(root);
    let named = ["mcpServers", "servers", "mcp"].into_iter().find_map(|key| root.get(key));
    let servers = match named {
        Some(named) => named.members()?,
        None if is_server(&root) => vec![(id::of_config(root.value()), root.clone())],
        None => {
            let members = root.members()?;
            if members.is_empty() || !members.iter().all(|(_, node)| is_server(node)) {
                return Err(PasteError::NoServers);
            }
            members
        }
    };
    if servers.is_empty() {
        return Err(PasteError::NoServers);
    }
    Ok(Places { servers, inputs: root.get("inputs") })
}

/// Whether this says how a server is reached.
fn is_server(node: &Node<'_>) -> bool {
    ["command", "url", "serverUrl", "httpUrl"].into_iter().any(|key| node.get(key).is_some())
}
