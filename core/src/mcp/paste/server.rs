//! One server of a configuration, whichever program wrote it.

use serde_json::{Map, Value};

use super::node::Node;
use super::{PasteError, PasteFault, PasteLimits};

/// A server as it is written.
pub(super) struct Written {
    /// How it is reached, in our spelling.
    pub(super) config: Map<String, Value>,
    /// Whether it is switched on.
    pub(super) enabled: bool,
    /// What is not taken over.
    pub(super) remarks: Vec<String>,
}

/// The keys that are understood.
const READ: [&str; 14] = [
    "command",
    "args",
    "env",
    "environment",
    "cwd",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "type",
    "transport",
    "disabled",
    "enabled",
    "name",
];

/// Reads a server. `text` sees every text in which placeholders may be, and gives it in our spelling.
pub(super) fn read(
    node: &Node<'_>,
    limits: &PasteLimits,
    text: &mut dyn FnMut(&str) -> String,
) -> Result<Written, PasteError> {
    let members = node.object()?;
    node.at_most(members.len(), limits.items, "items")?;
    let transport = node.first_of(&["transport", "type"]);
    let config = match (node.get("command"), node.first_of(&["url", "serverUrl", "httpUrl"])) {
        (Some(_), Some(_)) => return Err(node.fail(PasteFault::CommandAndUrl)),
        (None, None) => return Err(node.fail(PasteFault::NeitherCommandNorUrl)),
        (Some(command), None) => {
            if let Some(transport) = transport {
                match transport.text(limits)? {
                    "stdio" | "local" => {}
                    other => return Err(wrong_transport(&transport, other, "command")),
                }
            }
            command_config(node, &command, limits, text)?
        }
        (None, Some(url)) => {
            let transport = transport.map_or(Ok("streamable-http"), |found| transport_of(&found, limits))?;
            url_config(node, &url, transport, limits, text)?
        }
    };
    let disabled = node.get("disabled").map_or(Ok(false), |found| found.flag())?;
    let enabled = node.get("enabled").map_or(Ok(true), |found| found.flag())? && !disabled;
    let remarks = members.keys().filter(|key| !READ.contains(&key.as_str())).map(|key| remark(key)).collect();
    Ok(Written { config, enabled, remarks })
}

fn command_config(
    node: &Node<'_>,
    command: &Node<'_>,
    limits: &PasteLimits,
    text: &mut dyn FnMut(&str) -> String,
) -> Result<Map<String, Value>, PasteError> {
    // OpenCode has the arguments in one list with the command.
    let mut words: Vec<String> = match command.value() {
        Value::Array(_) => command.items(limits)?.iter().map(|word| word.scalar(limits)).collect::<Result<_, _>>()?,
        _ => vec![command.text(limits)?.to_owned()],
    };
    if let Some(args) = node.get("args") {
        let args: Vec<String> = args.items(limits)?.iter().map(|word| word.scalar(limits)).collect::<Result<_, _>>()?;
        words.extend(args);
    }
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(command.fail(PasteFault::Empty));
    }
    let mut words = words.into_iter().map(|word| text(&word));
    let mut config = Map::new();
    config.insert("command".into(), words.next().unwrap_or_default().into());
    config.insert("args".into(), words.collect::<Vec<String>>().into());
    let env = node.first_of(&["env", "environment"]).map(|env| texts(&env, limits, text)).transpose()?;
    if let Some(env) = env.filter(|env| !env.is_empty()) {
        config.insert("env".into(), env.into());
    }
    if let Some(cwd) = node.get("cwd") {
        config.insert("cwd".into(), text(cwd.text(limits)?).into());
    }
    Ok(config)
}

fn url_config(
    node: &Node<'_>,
    url: &Node<'_>,
    transport: &'static str,
    limits: &PasteLimits,
    text: &mut dyn FnMut(&str) -> String,
) -> Result<Map<String, Value>, PasteError> {
    let address = text(url.text(limits)?.trim());
    let lower = address.to_ascii_lowercase();
    if !["http://", "https://"].iter().any(|scheme| lower.starts_with(scheme)) {
        return Err(url.fail(PasteFault::Url));
    }
    let mut config = Map::new();
    config.insert("url".into(), address.into());
    config.insert("transport".into(), transport.into());
    let headers = node.get("headers").map(|headers| texts(&headers, limits, text)).transpose()?;
    if let Some(headers) = headers.filter(|headers| !headers.is_empty()) {
        config.insert("headers".into(), headers.into());
    }
    Ok(config)
}

/// An object of texts. What is null is not set.
fn texts(
    node: &Node<'_>,
    limits: &PasteLimits,
    text: &mut dyn FnMut(&str) -> String,
) -> Result<Map<String, Value>, PasteError> {
    let members = node.members()?;
    node.at_most(members.len(), limits.items, "items")?;
    let mut read = Map::new();
    for (name, value) in members {
        if !value.value().is_null() {
            read.insert(name, text(&value.scalar(limits)?).into());
        }
    }
    Ok(read)
}

/// Makes the many spellings one.
fn transport_of(node: &Node<'_>, limits: &PasteLimits) -> Result<&'static str, PasteError> {
    match node.text(limits)? {
        "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote" => Ok("streamable-http"),
        "sse" => Ok("sse"),
        other => Err(wrong_transport(node, other, "url")),
    }
}

fn wrong_transport(node: &Node<'_>, transport: &str, with: &'static str) -> PasteError {
    node.fail(PasteFault::Transport { transport: transport.chars().take(80).collect(), with })
}

/// What is said of a key that means something there and nothing here.
fn remark(key: &str) -> String {
    match key {
        "autoApprove" | "alwaysAllow" | "trust" => {
            format!("{key} is not taken over: here you choose tool by tool which may run without asking")
        }
        "envFile" => "the file of envFile cannot be read here: enter its values as secrets".to_owned(),
        other => format!("{:?} is not taken over", other.chars().take(80).collect::<String>()),
    }
}
