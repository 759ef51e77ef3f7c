//! The operator's own `mcpServers` file, in the format that other programs have (C39).
//!
//! A command in it is approved by being there, and everything in it is offered to the app. It is read once, at the start.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use satchel_core::protocol::{McpDefinition, McpOffer};
use serde_json::{Map, Value};

use super::Fingerprint;

/// Largest file that is read.
const FILE_BYTES: u64 = 1024 * 1024;

/// What the operator's file has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorServers {
    offers: Vec<McpOffer>,
    approved: HashSet<Fingerprint>,
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
        let mut read = Self::default();
        for (name, entry) in servers {
            let entry = entry.as_object().ok_or_else(|| format!("{name:?} is not an object"))?;
            if entry.get("disabled") == Some(&Value::Bool(true)) {
                continue;
            }
            let definition = definition(entry).map_err(|reason| format!("{name:?}: {reason}"))?;
            read.approved.extend(Fingerprint::of(&definition));
            read.offers.push(McpOffer { name: name.clone(), definition });
        }
        Ok(read)
    }

    /// What is offered, in the order of the file.
    #[must_use]
    pub fn offers(&self) -> &[McpOffer] {
        &self.offers
    }

    /// Whether a command is in the file.
    #[must_use]
    pub fn approves(&self, fingerprint: &Fingerprint) -> bool {
        self.approved.contains(fingerprint)
    }

    /// Whether exactly this is in the file.
    #[must_use]
    pub fn has(&self, definition: &McpDefinition) -> bool {
        self.offers.iter().any(|offer| offer.definition == *definition)
    }
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
        let names: Vec<_> = read.offers().iter().map(|offer| offer.name.as_str()).collect();
        assert_eq!(names, ["files", "old", "web"]);
        let files = &read.offers()[0].definition;
        assert!(read.has(files) && read.approves(&Fingerprint::of(files).expect("a command")));
        assert!(matches!(&read.offers()[1].definition, McpDefinition::Url { transport: McpTransport::Sse, .. }));
        assert!(matches!(
            &read.offers()[2].definition,
            McpDefinition::Url { transport: McpTransport::StreamableHttp, .. }
        ));

        let off: McpDefinition = serde_json::from_str(r#"{"command": "rm"}"#).expect("reads");
        assert!(!read.approves(&Fingerprint::of(&off).expect("a command")), "what is switched off is not approved");
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
