//! The operator's own `mcpServers` file, in the format that other programs have (C39).
//!
//! A command in it is approved by being there, and everything in it is offered to the app. It is read once, at the start.
//!
//! The values in it are the operator's: keys, most of all. An account is offered each server with names in their places ([`Concealed`]), and
//! may publish exactly that; the server then uses what the file has. A definition that differs anywhere is the account's own and gets none of
//! them.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use satchel_core::mcp::Concealed;
use satchel_core::protocol::{McpDefinition, McpOffer, SecretName};
use serde_json::{Map, Value};

use super::Fingerprint;
use super::placeholders::{PassedOn, mentioned};
use crate::vault::Secret;

/// Largest file that is read.
const FILE_BYTES: u64 = 1024 * 1024;

/// What the names of the operator's values begin with.
const OWNER: &str = "operator";
/// How much of a server's name is in them.
const OWNER_CHARACTERS: usize = 40;

/// What the operator's file has.
#[derive(Clone, Debug, Default)]
pub struct OperatorServers {
    servers: Vec<OperatorServer>,
}

/// One server of the file. It does not show its values in logs.
#[derive(Clone)]
pub(super) struct OperatorServer {
    pub(super) name: String,
    /// As the file has it.
    pub(super) whole: McpDefinition,
    /// As accounts see it.
    pub(super) shown: McpDefinition,
    /// The values that accounts do not see, by the names that stand for them.
    pub(super) values: Vec<(SecretName, Secret)>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OperatorFileError {
    /// It cannot be read.
    #[error("cannot read the file of MCP servers {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is larger than any.
    #[error("the file of MCP servers {path} is larger than {FILE_BYTES} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// It is not what it should be.
    #[error("the file of MCP servers {path}: {reason}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl OperatorServers {
    /// Reads a file; without one there is nothing.
    pub fn read(path: Option<&Path>) -> Result<Self, OperatorFileError> {
        let Some(path) = path else { return Ok(Self::default()) };
        let unreadable = |source| OperatorFileError::Unreadable { path: path.to_owned(), source };
        if std::fs::metadata(path).map_err(unreadable)?.len() > FILE_BYTES {
            return Err(OperatorFileError::TooLarge { path: path.to_owned() });
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        Self::parse(&text).map_err(|reason| OperatorFileError::Content { path: path.to_owned(), reason })
    }

    /// Reads the text of a file, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let servers = file.get("mcpServers").and_then(Value::as_object);
        let servers = servers.ok_or("it has no object \"mcpServers\"")?;
        let (mut read, mut owners) = (Self::default(), BTreeSet::new());
        for (name, entry) in servers {
            let entry = entry.as_object().ok_or_else(|| format!("{name:?} is not an object"))?;
            if entry.get("disabled") == Some(&Value::Bool(true)) {
                continue;
            }
            let whole = definition(entry).map_err(|reason| format!("{name:?}: {reason}"))?;
            let Concealed { definition: shown, values } = Concealed::of(&whole, &owner(name, &mut owners));
            let values = values.into_iter().map(|(name, value)| (name, Secret::new(value.into_inner()))).collect();
            read.servers.push(OperatorServer { name: name.clone(), whole, shown, values });
        }
        Ok(read)
    }

    /// What is offered, in the order of the file. Of the server's environment, what is passed on is set by the operator too.
    #[must_use]
    pub fn offers(&self, passed_on: &PassedOn) -> Vec<McpOffer> {
        let offer = |server: &OperatorServer| {
            let names: BTreeSet<SecretName> = mentioned(&server.shown).collect();
            let own = |name: &SecretName| server.values.iter().any(|(own, _)| own == name);
            let set = names.into_iter().filter(|name| own(name) || passed_on.has(name)).collect();
            McpOffer { name: server.name.clone(), definition: server.shown.clone(), set }
        };
        self.servers.iter().map(offer).collect()
    }

    pub(super) fn servers(&self) -> &[OperatorServer] {
        &self.servers
    }

    /// Whether a command is in the file.
    #[must_use]
    pub fn approves(&self, fingerprint: &Fingerprint) -> bool {
        let is_it = |definition: &McpDefinition| Fingerprint::of(definition).as_ref() == Some(fingerprint);
        self.servers.iter().any(|server| is_it(&server.shown) || is_it(&server.whole))
    }

    /// The server of the file that exactly this definition stands for.
    pub(super) fn find(&self, definition: &McpDefinition) -> Option<&OperatorServer> {
        self.servers.iter().find(|server| server.shown == *definition || server.whole == *definition)
    }
}

impl fmt::Debug for OperatorServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OperatorServer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Whose the values of a server are. No two servers have the same, or one could be taken for the other.
fn owner(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |char: char| if char.is_ascii_alphanumeric() { char.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(plain).take(OWNER_CHARACTERS).collect();
    let first = std::iter::once(format!("{OWNER}_{name}"));
    let mut spellings = first.chain((2..).map(|number| format!("{OWNER}_{name}_{number}")));
    let free = spellings.find(|spelling| taken.insert(spelling.clone()));
    free.expect("there is always one more number")
}

/// An entry with the spellings of its transport made one.
fn definition(entry: &Map<String, Value>) -> Result<McpDefinition, String> {
    let mut entry = entry.clone();
    let kind = entry.remove("type").or_else(|| entry.get("transport").cloned());
    entry.remove("transport");
    let has_command = entry.contains_key("command");
    match kind.as_ref().map(|kind| kind.as_str().unwrap_or_default()) {
        None => {}
        Some("stdio") if has_command => {}
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") if !has_command => {}
        Some("sse") if !has_command => {
            entry.insert("transport".into(), "sse".into());
        }
        Some(_) => return Err("its type does not go with the rest of it".to_owned()),
    }
    serde_json::from_value(Value::Object(entry)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_core::protocol::McpTransport;

    #[test]
    fn the_format_that_people_have_is_read() {
        let text = r#"{"mcpServers": {
            "files": {"command": "npx", "args": ["-y", "files"], "env": {"A": "1"}, "type": "stdio", "autoApprove": []},
            "old": {"type": "sse", "url": "http://127.0.0.1:1/sse"},
            "off": {"command": "rm", "disabled": true},
            "web": {"url": "https://x/mcp", "transport": "streamableHttp", "headers": {"X": "${Y}"}}
        }}"#;
        let read = OperatorServers::parse(text).expect("reads");
        let offers = read.offers(&PassedOn::default());
        let names: Vec<_> = offers.iter().map(|offer| offer.name.as_str()).collect();
        assert_eq!(names, ["files", "old", "web"]);
        let files = &offers[0].definition;
        assert!(read.find(files).is_some() && read.approves(&Fingerprint::of(files).expect("a command")));
        assert!(matches!(&offers[1].definition, McpDefinition::Url { transport: McpTransport::Sse, .. }));
        assert!(matches!(&offers[2].definition, McpDefinition::Url { transport: McpTransport::StreamableHttp, .. }));

        let off: McpDefinition = serde_json::from_str(r#"{"command": "rm"}"#).expect("reads");
        assert!(!read.approves(&Fingerprint::of(&off).expect("a command")), "what is switched off is not approved");
    }

    /// I8: two servers that differ in their keys alone are two offers, and neither shows its key.
    #[test]
    fn values_are_offered_by_names_of_their_own() {
        let text = r#"{"mcpServers": {
            "my files": {"command": "npx", "env": {"KEY": "hunter2"}},
            "my-files": {"command": "npx", "env": {"KEY": "hunter3"}},
            "shared": {"command": "npx", "env": {"KEY": "${SHARED}", "MORE": "${OPEN}"}}
        }}"#;
        let read = OperatorServers::parse(text).expect("reads");
        assert!(!format!("{read:?}").contains("hunter"), "{read:?}");
        let passed_on = PassedOn::new(&["SHARED".to_owned()], |_| Some("hunter4".to_owned()));
        insta::assert_json_snapshot!(read.offers(&passed_on), @r#"
        [
          {
            "name": "my files",
            "definition": {
              "command": "npx",
              "args": [],
              "env": {
                "KEY": "${OPERATOR_MY_FILES_KEY}"
              }
            },
            "set": [
              "OPERATOR_MY_FILES_KEY"
            ]
          },
          {
            "name": "my-files",
            "definition": {
              "command": "npx",
              "args": [],
              "env": {
                "KEY": "${OPERATOR_MY_FILES_2_KEY}"
              }
            },
            "set": [
              "OPERATOR_MY_FILES_2_KEY"
            ]
          },
          {
            "name": "shared",
            "definition": {
              "command": "npx",
              "args": [],
              "env": {
                "KEY": "${SHARED}",
                "MORE": "${OPEN}"
              }
            },
            "set": [
              "SHARED"
            ]
          }
        ]
        "#);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let check = |text: &str, expected: &str| {
            let reason = OperatorServers::parse(text).expect_err("is refused");
            assert!(reason.contains(expected), "{reason}");
        };
        check("{", "line 1");
        check("{}", "no object \"mcpServers\"");
        check(r#"{"mcpServers": {"a": 1}}"#, "\"a\" is not an object");
        check(r#"{"mcpServers": {"a": {}}}"#, "\"a\": an MCP server has a command or a url");
        check(r#"{"mcpServers": {"a": {"command": "x", "type": "http"}}}"#, "its type does not go");
        check(r#"{"mcpServers": {"a": {"url": "x", "transport": "pigeon"}}}"#, "its type does not go");
    }
}
