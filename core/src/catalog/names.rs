//! What toolsets, servers and tools may be called, and how a tool's whole id is written.
//!
//! `write_file` is a built-in, `{toolset}:{tool}` a tool of a toolset, `mcp:{toolset}~{server}:{tool}` a tool of an MCP server.
//! The marks between the parts are therefore forbidden inside them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text_id::text_id;

/// Why something cannot be called that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It has no characters, too many, or some that are not allowed.
    #[error("{kind} {name:?} must begin with a letter and have at most 64 letters, digits, \"_\" and \"-\"")]
    Spelling {
        /// What was to be named.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// It has two underscores in a row, which separate the parts of a wire name.
    #[error("{kind} {name:?} must not contain \"__\"")]
    DoubleUnderscore {
        /// What was to be named.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// It means something else already.
    #[error("{kind} {name:?} is reserved")]
    Reserved {
        /// What was to be named.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A whole tool id that has none of the three forms.
    #[error("{0:?} is not a tool id, which is \"tool\", \"toolset:tool\" or \"mcp:toolset~server:tool\"")]
    ToolId(String),
}

/// Defines the newtype of a name, with the doc comment, the word for it and the reserved words it is given.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $check:expr) => {
        name! {
            $(#[$doc])*
            $name, $kind, parse, $check
        }
    };
    ($(#[$doc:meta])* $name:ident, $kind:literal, $read:ident, $check:expr) => {
        text_id! {
            $(#[$doc])*
            $name, NameError, $read
        }

        impl $name {
            /// Reads a name and says what is wrong with it.
            pub fn parse(name: impl Into<String>) -> Result<Self, NameError> {
                let name = name.into();
                let check: fn(&str) -> Option<Fault> = $check;
                let shown = || name.chars().take(80).collect::<String>();
                match check(&name) {
                    None => Ok(Self(name)),
                    Some(Fault::Spelling) => Err(NameError::Spelling { kind: $kind, name: shown() }),
                    Some(Fault::DoubleUnderscore) => Err(NameError::DoubleUnderscore { kind: $kind, name: shown() }),
                    Some(Fault::Reserved) => Err(NameError::Reserved { kind: $kind, name: shown() }),
                }
            }
        }
    };
}

/// The name of the toolset that is built in.
const BUILTIN: &str = "builtin";

/// The toolset of web search that is built in, and the one of its tools that has a reserved name (C05).
pub(crate) const EXA: &str = "builtin-exa-web-search";
const EXA_SEARCH: &str = "search";

enum Fault {
    Spelling,
    DoubleUnderscore,
    Reserved,
}

name! {
    /// The name of a toolset, the first part of its tools' ids. Nobody can give a toolset a reserved name; the one that is built in has
    /// its own by [`ToolsetId::builtin`], and rows may say it.
    ToolsetId, "the toolset id", stored, |name| {
        part_fault(name).or_else(|| ["mcp", "toolset", BUILTIN].contains(&name).then_some(Fault::Reserved))
    }
}

name! {
    /// The name of an MCP server within its toolset.
    ServerId, "the server id", part_fault
}

name! {
    /// The name of a tool that a toolset declares, within that toolset.
    ToolName, "the tool id", |name| {
        spelling_fault(name).or_else(|| ["tools", "bundles", "search"].contains(&name).then_some(Fault::Reserved))
    }
}

impl ToolsetId {
    /// The toolset of the tools that are compiled in.
    #[must_use]
    pub fn builtin() -> Self {
        Self(BUILTIN.into())
    }

    /// Reads a name from a row.
    fn stored(name: String) -> Result<Self, NameError> {
        if name == BUILTIN { Ok(Self::builtin()) } else { Self::parse(name) }
    }
}

/// `^[A-Za-z][A-Za-z0-9_-]{0,63}$`
fn spelling_fault(name: &str) -> Option<Fault> {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic());
    let goes_on = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    (!begins || !goes_on || name.len() > 64).then_some(Fault::Spelling)
}

fn part_fault(name: &str) -> Option<Fault> {
    spelling_fault(name).or_else(|| name.contains("__").then_some(Fault::DoubleUnderscore))
}

/// The identity of an MCP server over all toolsets: `{toolset}~{server}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerKey {
    /// The toolset it belongs to.
    pub toolset: ToolsetId,
    /// Its name there.
    pub server: ServerId,
}

impl fmt::Display for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}", self.toolset, self.server)
    }
}

/// The stored id of a tool, the same for good.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ToolId {
    /// Compiled into the app; its id has no namespace (R085).
    BuiltIn(ToolName),
    /// Declared by a toolset.
    Toolset(ToolsetId, ToolName),
    /// Offered by an MCP server, which may call its tools what it likes.
    Mcp(ServerKey, String),
}

impl ToolId {
    /// Reads a tool id. The form of old, `mcp:{server}:{tool}`, is not read here: it needs the list of servers.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let refused = || NameError::ToolId(text.chars().take(200).collect());
        match text.split_once(':') {
            None => Ok(Self::BuiltIn(ToolName::parse(text)?)),
            Some(("mcp", rest)) => {
                let (key, tool) = rest.split_once(':').filter(|(_, tool)| !tool.is_empty()).ok_or_else(refused)?;
                let (toolset, server) = key.split_once('~').ok_or_else(refused)?;
                let key = ServerKey { toolset: ToolsetId::parse(toolset)?, server: ServerId::parse(server)? };
                Ok(Self::Mcp(key, tool.into()))
            }
            // Its toolset is ours, and by its id it can be mistaken for no address.
            Some((EXA, EXA_SEARCH)) => Ok(Self::Toolset(ToolsetId(EXA.into()), ToolName(EXA_SEARCH.into()))),
            Some((toolset, tool)) => Ok(Self::Toolset(ToolsetId::parse(toolset)?, ToolName::parse(tool)?)),
        }
    }

    /// The tool's name without its namespace.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::BuiltIn(name) | Self::Toolset(_, name) => name.as_str(),
            Self::Mcp(_, name) => name,
        }
    }

    /// The toolset that has it.
    #[must_use]
    pub fn toolset(&self) -> ToolsetId {
        match self {
            Self::BuiltIn(_) => ToolsetId::builtin(),
            Self::Toolset(toolset, _) => toolset.clone(),
            Self::Mcp(server, _) => server.toolset.clone(),
        }
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(name) => write!(f, "{name}"),
            Self::Toolset(toolset, name) => write!(f, "{toolset}:{name}"),
            Self::Mcp(key, name) => write!(f, "mcp:{key}:{name}"),
        }
    }
}

impl TryFrom<String> for ToolId {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<ToolId> for String {
    fn from(id: ToolId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R109, C03, C05, C07
    #[test]
    fn names_that_are_refused_say_why() {
        let check = |name: &str, expected: &str| {
            assert_eq!(ToolsetId::parse(name).expect_err("is refused").to_string(), expected);
        };
        let spelling = |name: &str| {
            format!(
                "the toolset id {name:?} must begin with a letter and have at most 64 letters, digits, \"_\" and \"-\""
            )
        };
        for name in ["", "1st", "-x", "a~b", "a:b", "a.b", "a/b", "a b", "é", &"a".repeat(65)] {
            check(name, &spelling(name));
        }
        check("a__b", r#"the toolset id "a__b" must not contain "__""#);
        check("mcp", r#"the toolset id "mcp" is reserved"#);
        assert_eq!(ToolsetId::parse("a".repeat(64)).map(|id| id.as_str().len()), Ok(64));
        assert!(ToolName::parse("search").is_err() && ToolName::parse("a__b").is_ok());
    }

    /// R110
    #[test]
    fn tool_ids_have_three_forms() {
        for id in ["write_file", "mytools:analyze", "mcp:a~b:list:all/of it", "builtin-exa-web-search:search"] {
            assert_eq!(ToolId::parse(id).expect("is a tool id").to_string(), id);
        }
        assert_eq!(ToolId::parse("mcp:a~b:list:all").expect("is a tool id").name(), "list:all");
        for wrong in ["", "mcp:github:search", "mcp:a~b:", "mcp:a~b", "a:", ":a", "a:b:c", "a:search"] {
            assert!(ToolId::parse(wrong).is_err(), "{wrong:?} was read");
        }
    }
}
