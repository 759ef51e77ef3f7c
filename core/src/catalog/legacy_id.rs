//! Tool ids of old, which name a server without its toolset: read where that can only be one server (C09).

use super::{NameError, ServerKey, ToolId};

/// Why an id of old is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LegacyIdError {
    /// It is no tool id of any form.
    #[error(transparent)]
    Name(#[from] NameError),
    /// No installed toolset has such a server.
    #[error("{id:?} names a server that no installed toolset has")]
    NoServer {
        /// The id.
        id: String,
    },
    /// Several toolsets have a server of that name.
    #[error("{id:?} could be {}; write which one", .candidates.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "))]
    Ambiguous {
        /// The id.
        id: String,
        /// What it could be.
        candidates: Vec<ToolId>,
    },
}

impl ToolId {
    /// Reads a tool id, also in the form of old, `mcp:{server}:{tool}`, given the servers there are. What is read is written in the form
    /// of today.
    pub fn parse_legacy(text: &str, servers: &[ServerKey]) -> Result<Self, LegacyIdError> {
        let refused = match Self::parse(text) {
            Ok(id) => return Ok(id),
            Err(refused) => refused,
        };
        let parts = text.strip_prefix("mcp:").and_then(|rest| rest.split_once(':'));
        let Some((server, tool)) = parts.filter(|(server, tool)| !server.contains('~') && !tool.is_empty()) else {
            return Err(refused.into());
        };
        let id: String = text.chars().take(200).collect();
        let named = servers.iter().filter(|key| key.server.as_str() == server);
        let mut candidates: Vec<Self> = named.map(|key| Self::Mcp(key.clone(), tool.to_owned())).collect();
        candidates.sort();
        candidates.dedup();
        match candidates.len() {
            0 => Err(LegacyIdError::NoServer { id }),
            1 => Ok(candidates.remove(0)),
            _ => Err(LegacyIdError::Ambiguous { id, candidates }),
        }
    }
}

/// What a list that belongs to a toolset calls a tool that stands there by its whole id, of today or of old: in such a list it is clear
/// whose server is meant. Everything else is as it is.
#[must_use]
pub fn own_name<'a>(toolset: &str, written: &'a str) -> &'a str {
    let Some(rest) = written.strip_prefix("mcp:") else { return written };
    let Some((server, tool)) = rest.split_once(':') else { return written };
    let name = match server.split_once('~') {
        Some((of, _)) if of == toolset => &rest[of.len() + 1..],
        None => rest,
        Some(_) => return written,
    };
    if tool.is_empty() || name.starts_with(':') { written } else { name }
}

#[cfg(test)]
mod tests {
    use super::super::{ServerId, ToolsetId};
    use super::*;

    fn server(toolset: &str, server: &str) -> ServerKey {
        let toolset = ToolsetId::parse(toolset).expect("is a name");
        ServerKey { toolset, server: ServerId::parse(server).expect("is a name") }
    }

    /// C09
    #[test]
    fn in_a_list_of_a_toolset_it_is_clear_which_server_is_meant() {
        let check = |written: &str, expected: &str| assert_eq!(own_name("a", written), expected);
        check("mcp:github:search", "github:search");
        check("mcp:a~github:list:all", "github:list:all");
        for other in ["mcp:b~github:search", "github:search", "search", "mcp:search", "mcp:github:", "mcp::search"] {
            check(other, other);
        }
    }

    /// C09
    #[test]
    fn an_id_of_old_is_read_where_it_is_clear() {
        let servers = [server("a", "github"), server("b", "files"), server("c", "files")];
        let check = |text: &str, expected: Result<&str, &str>| {
            let found =
                ToolId::parse_legacy(text, &servers).map(|id| id.to_string()).map_err(|error| error.to_string());
            assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
        };
        check("mcp:github:search", Ok("mcp:a~github:search"));
        check("mcp:a~github:search", Ok("mcp:a~github:search"));
        check("write_file", Ok("write_file"));
        check(
            "mcp:files:list:all",
            Err("\"mcp:files:list:all\" could be mcp:b~files:list:all or mcp:c~files:list:all; write which one"),
        );
        check("mcp:gone:x", Err("\"mcp:gone:x\" names a server that no installed toolset has"));
        check(
            "mcp:x",
            Err("\"mcp:x\" is not a tool id, which is \"tool\", \"toolset:tool\" or \"mcp:toolset~server:tool\""),
        );
    }
}
