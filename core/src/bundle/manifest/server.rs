//! What a manifest says about one MCP server (R049).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::node::At;
use super::unknown::{self, SERVER_KEYS};
use super::{Fault, ManifestError, Place};
use crate::catalog::ServerId;

/// One item of `mcp_servers`.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerDeclaration {
    /// Its id within the toolset.
    pub id: ServerId,
    /// How it is reached.
    pub reach: Reach,
    /// Whether its tools ask before they run; they do unless it is said otherwise (C41).
    pub requires_confirmation: bool,
    /// How it is reached, as the row keeps it: spellings made one, keys that we do not know kept.
    pub config: Value,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It is a program, started by a Satchel server once its operator approved exactly this (C39).
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// It is somewhere on the web.
    Url {
        /// Where.
        url: String,
        /// `streamable-http` or `sse`.
        transport: &'static str,
    },
}

impl ServerDeclaration {
    /// The whole command line or address, for people to read before they agree.
    #[must_use]
    pub fn line(&self) -> String {
        server_line(&self.config)
    }
}

/// The whole command line or address that a server's configuration means: nothing is left out, the variables it is started with
/// included, because they can change what runs; quotes show where an argument begins and ends.
#[must_use]
pub fn server_line(config: &Value) -> String {
    let text = |key: &str| config.get(key).and_then(Value::as_str);
    let Some(command) = text("command") else { return text("url").unwrap_or_default().to_owned() };
    let plain = |word: &str| {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./@=:,+".contains(char);
        if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("{word:?}") }
    };
    let args = config.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let env = config.get("env").and_then(Value::as_object).into_iter().flatten();
    let variables = env.map(|(name, value)| format!("{name}={}", plain(value.as_str().unwrap_or_default())));
    let line = variables.chain(std::iter::once(command).chain(args).map(plain)).collect::<Vec<_>>().join(" ");
    match text("cwd") {
        Some(folder) => format!("{line} (in the folder {})", plain(folder)),
        None => line,
    }
}

/// Reads all servers.
pub(super) fn read_all(
    root: &At<'_>,
    remarks: &mut Vec<(Place, String)>,
) -> Result<Vec<ServerDeclaration>, ManifestError> {
    let mut servers: Vec<ServerDeclaration> = Vec::new();
    let mut ids = BTreeSet::new();
    for at in root.items("mcp_servers")? {
        let server = read(&at)?;
        unknown::remark(&at, &SERVER_KEYS, remarks)?;
        remark_needless(&at, &server.reach, remarks)?;
        if !ids.insert(server.id.clone()) {
            return Err(at.required("id")?.fail(Fault::DuplicateServer(server.id.to_string())));
        }
        servers.push(server);
    }
    Ok(servers)
}

fn read(at: &At<'_>) -> Result<ServerDeclaration, ManifestError> {
    let id_at = at.required("id")?;
    let id = ServerId::parse(id_at.text()?).map_err(|error| id_at.fail(error))?;
    let transport = at.get("transport")?.map_or_else(|| at.get("type"), |found| Ok(Some(found)))?;
    let mut config = Map::new();
    let reach = match (at.get("command")?, at.get("url")?) {
        (Some(_), Some(_)) => return Err(at.fail(Fault::CommandOrUrl("both"))),
        (None, None) => return Err(at.fail(Fault::CommandOrUrl("neither"))),
        (Some(command), None) => {
            if let Some(found) = transport {
                let text = found.text()?;
                if text != "stdio" {
                    let transport = text.chars().take(80).collect();
                    return Err(found.fail(Fault::Transport { transport, with: "command", allowed: "\"stdio\" is" }));
                }
            }
            let command = command.some_text()?.to_owned();
            let args: Vec<String> = at.items("args")?.iter().map(|arg| arg.scalar()).collect::<Result<_, _>>()?;
            config.insert("command".into(), command.clone().into());
            config.insert("args".into(), args.clone().into());
            if let Some(env) = at.text_map("env")? {
                config.insert("env".into(), env.into());
            }
            if let Some(cwd) = at.optional_text("cwd")? {
                config.insert("cwd".into(), cwd.into());
            }
            Reach::Command { command, args }
        }
        (None, Some(url)) => {
            let text = url.some_text()?.to_owned();
            if !["http://", "https://"].iter().any(|scheme| text.to_ascii_lowercase().starts_with(scheme)) {
                return Err(url.fail(Fault::Url));
            }
            let transport = transport.map_or(Ok("streamable-http"), |found| read_transport(&found))?;
            config.insert("url".into(), text.clone().into());
            config.insert("transport".into(), transport.into());
            if let Some(headers) = at.text_map("headers")? {
                config.insert("headers".into(), headers.into());
            }
            Reach::Url { url: text, transport }
        }
    };
    // What other programs add to their servers is kept.
    for (key, value) in at.members()? {
        if !SERVER_KEYS.contains(&key) {
            config.insert(key.into(), value.json());
        }
    }
    let requires_confirmation = at.optional_bool("requires_confirmation")?.unwrap_or(true);
    Ok(ServerDeclaration { id, reach, requires_confirmation, config: Value::Object(config) })
}

/// Remarks what belongs to the other way to reach a server, since it would look as if it did something.
fn remark_needless(at: &At<'_>, reach: &Reach, remarks: &mut Vec<(Place, String)>) -> Result<(), ManifestError> {
    let (needless, with): (&[&str], _) = match reach {
        Reach::Command { .. } => (&["headers"], "command"),
        Reach::Url { .. } => (&["args", "env", "cwd"], "url"),
    };
    for key in needless {
        if let Some(found) = at.get(key)? {
            remarks.push((found.place(), format!("it does nothing for a server with a {with}")));
        }
    }
    Ok(())
}

/// Makes the many spellings one.
fn read_transport(at: &At<'_>) -> Result<&'static str, ManifestError> {
    match at.text()? {
        "http" | "streamable-http" | "streamableHttp" | "streamable_http" => Ok("streamable-http"),
        "sse" => Ok("sse"),
        other => Err(at.fail(Fault::Transport {
            transport: other.chars().take(80).collect(),
            with: "url",
            allowed: "\"streamable-http\" and \"sse\" are",
        })),
    }
}
