//! How an MCP server is started or reached, with `${VAR}` where a value is kept elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Body of `PUT /api/v1/mcp/servers/{key}`: a server's configuration as its row keeps it.
///
/// Keys that other programs add are not looked at, here as everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum McpDefinition {
    /// A program that speaks on its standard input and output.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// The variables that it is started with, and no others but a few that every program needs.
        env: BTreeMap<String, String>,
        /// The folder that it is started in.
        cwd: Option<String>,
    },
    /// A place on the web.
    Url {
        /// Where.
        url: String,
        /// How it is spoken with.
        transport: McpTransport,
        /// What every request to it carries.
        headers: BTreeMap<String, String>,
    },
}

/// How a server on the web is spoken with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum McpTransport {
    /// One address, of both protocol eras.
    #[default]
    StreamableHttp,
    /// The older pair of addresses: one to listen at, one to speak to.
    Sse,
}

/// Why a definition makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpDefinitionError {
    /// It says both how to start a server and where one is.
    #[error("an MCP server has a command or a url, not both")]
    Both,
    /// It says neither.
    #[error("an MCP server has a command or a url")]
    Neither,
}

/// A definition as it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    env: Option<BTreeMap<String, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transport: Option<McpTransport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<String, String>>,
}

impl McpDefinition {
    /// Every text of it that may have placeholders.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (words, pairs, last) = match self {
            Self::Command { command, args, env, cwd } => (Some((command, args.as_slice())), env, cwd.as_ref()),
            Self::Url { url, headers, .. } => (None, headers, Some(url)),
        };
        let words = words.into_iter().flat_map(|(command, args)| std::iter::once(command).chain(args));
        words.chain(pairs.values()).chain(last).map(String::as_str)
    }
}

impl TryFrom<Written> for McpDefinition {
    type Error = McpDefinitionError;

    fn try_from(written: Written) -> Result<Self, McpDefinitionError> {
        match (written.command, written.url) {
            (Some(_), Some(_)) => Err(McpDefinitionError::Both),
            (None, None) => Err(McpDefinitionError::Neither),
            (Some(command), None) => Ok(Self::Command {
                command,
                args: written.args.unwrap_or_default(),
                env: written.env.unwrap_or_default(),
                cwd: written.cwd,
            }),
            (None, Some(url)) => Ok(Self::Url {
                url,
                transport: written.transport.unwrap_or_default(),
                headers: written.headers.unwrap_or_default(),
            }),
        }
    }
}

impl From<McpDefinition> for Written {
    fn from(definition: McpDefinition) -> Self {
        let nothing =
            Self { command: None, args: None, env: None, cwd: None, url: None, transport: None, headers: None };
        match definition {
            McpDefinition::Command { command, args, env, cwd } => {
                Self { command: Some(command), args: Some(args), env: Some(env), cwd, ..nothing }
            }
            McpDefinition::Url { url, transport, headers } => {
                Self { url: Some(url), transport: Some(transport), headers: Some(headers), ..nothing }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(value: Value) -> McpDefinition {
        serde_json::from_value(value).expect("reads")
    }

    #[test]
    fn a_command_on_the_wire() {
        let full = json!({
            "command": "npx", "args": ["-y", "pkg"], "env": {"B": "${MY_API_KEY}", "A": ""}, "cwd": "/srv", "timeout": 3,
        });
        insta::assert_json_snapshot!(read(full), @r#"
        {
          "command": "npx",
          "args": [
            "-y",
            "pkg"
          ],
          "env": {
            "A": "",
            "B": "${MY_API_KEY}"
          },
          "cwd": "/srv"
        }
        "#);
        assert_eq!(
            read(json!({"command": "npx", "cwd": null})),
            McpDefinition::Command { command: "npx".into(), args: vec![], env: BTreeMap::new(), cwd: None }
        );
    }

    #[test]
    fn a_url_on_the_wire() {
        let full = json!({"url": "https://x/mcp", "transport": "sse", "headers": {"Authorization": "Bearer ${TOKEN}"}});
        insta::assert_json_snapshot!(read(full), @r#"
        {
          "url": "https://x/mcp",
          "transport": "sse",
          "headers": {
            "Authorization": "Bearer ${TOKEN}"
          }
        }
        "#);
        let bare = read(json!({"url": "https://x/mcp"}));
        assert!(matches!(bare, McpDefinition::Url { transport: McpTransport::StreamableHttp, .. }));
    }

    #[test]
    fn a_definition_is_one_of_the_two() {
        for bad in [
            json!({}),
            json!({"args": ["x"]}),
            json!({"command": "x", "url": "https://x"}),
            json!({"command": ["x"]}),
            json!({"url": "https://x", "transport": "pigeon"}),
        ] {
            assert!(serde_json::from_value::<McpDefinition>(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn placeholders_are_looked_for_in_every_text() {
        let command = read(json!({"command": "c", "args": ["a"], "env": {"N": "e"}, "cwd": "d"}));
        assert_eq!(command.texts().collect::<Vec<_>>(), ["c", "a", "e", "d"]);
        let url = read(json!({"url": "u", "headers": {"N": "h"}}));
        assert_eq!(url.texts().collect::<Vec<_>>(), ["h", "u"]);
    }
}
