//! `toolset.yaml`: what an author says about a toolset. This is the only file that reads YAML.
//!
//! The text is read event by event into values that know their lines; size, depth and aliases are bounded while that happens, so
//! that no small text becomes a huge value. What the values mean is read from them key by key, and the first thing that is wrong
//! is told with its key and line. Keys that we do not know are kept (C65) and said; comments are lost.

mod error;
mod node;
mod renderer;
mod schema;
mod server;
#[cfg(test)]
mod tests;
mod tool;
mod tool_override;
mod unknown;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use semver::Version;
use serde_json::{Number, Value};

use super::BundleLimits;
use crate::catalog::{Slug, ToolsetId};

pub use error::{Fault, ManifestError, Place};
pub use renderer::RendererDeclaration;
pub use server::{Reach, ServerDeclaration, server_line};
pub use tool::ToolDeclaration;
pub use tool_override::OverrideDeclaration;
pub use unknown::{NETWORK_KEYS, OVERRIDE_KEYS, SECRET_KEYS, SERVER_KEYS, TOOL_KEYS};
pub use variables::SecretDeclaration;
pub(super) use variables::{Piece, pieces};

use node::{At, Kind, Node};

/// The keys of a manifest that mean something to us, in the order in which an export writes them.
pub const KNOWN_KEYS: [&str; 12] = [
    "manifest_version",
    "id",
    "slug",
    "name",
    "version",
    "description",
    "tools",
    "tool_overrides",
    "mcp_servers",
    "python_packages",
    "network",
    "secrets",
];

/// A manifest that was found right.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The version of the format, always `1`.
    pub manifest_version: String,
    /// The toolset's id.
    pub id: ToolsetId,
    /// What the bundle interface calls it, where that is not its id.
    pub slug: Slug,
    /// Its display name.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// What it is for.
    pub description: String,
    /// Its tools, in the author's order.
    pub tools: Vec<ToolDeclaration>,
    /// What it changes about its tools and those of its servers.
    pub overrides: Vec<OverrideDeclaration>,
    /// Its MCP servers.
    pub servers: Vec<ServerDeclaration>,
    /// The Python packages its tools need.
    pub python_packages: Vec<String>,
    /// The hosts its tools want to reach.
    pub hosts: Vec<String>,
    /// Every secret and variable it needs: those it declares, then those its servers and requests name (C49).
    pub secrets: Vec<SecretDeclaration>,
    /// The keys at the top that we do not know.
    pub unknown_keys: Vec<String>,
    /// What is accepted and still worth a look, with its place.
    pub remarks: Vec<(Place, String)>,
    /// All of it as it was written, for the package's row.
    pub json: Value,
}

impl Manifest {
    /// Reads a manifest from a stranger.
    pub fn parse(bytes: &[u8], limits: &BundleLimits) -> Result<Self, ManifestError> {
        let whole = |fault| ManifestError { place: Place::default(), fault };
        if bytes.len() > limits.yaml_bytes {
            return Err(whole(Fault::TooLarge { bytes: bytes.len(), limit: limits.yaml_bytes }));
        }
        let text = std::str::from_utf8(bytes).map_err(|_not_text| whole(Fault::NotText))?;
        let node = read_yaml(text, limits)?;
        Self::from_node(&node)
    }

    /// Reads a manifest that is stored in a package, or was made in the app.
    pub fn from_json(value: &Value) -> Result<Self, ManifestError> {
        Self::from_node(&Node::from_json(value))
    }

    fn from_node(node: &Node) -> Result<Self, ManifestError> {
        let root = At::root(node);
        let manifest_version = root.required("manifest_version")?;
        let version_text = manifest_version.scalar()?;
        if version_text != "1" {
            return Err(manifest_version.fail(Fault::ManifestVersion(version_text)));
        }
        let id_at = root.required("id")?;
        let id = ToolsetId::parse(id_at.text()?).map_err(|error| id_at.fail(error))?;
        let name = root.required("name")?.some_text()?.to_owned();
        let version_at = root.required("version")?;
        let version = Version::parse(version_at.text()?).map_err(|error| {
            version_at.fail(Fault::Version {
                version: version_at.text().unwrap_or_default().chars().take(80).collect(),
                reason: error.to_string(),
            })
        })?;

        let mut remarks = Vec::new();
        let declared = variables::declared(&root, &mut remarks)?;
        let tools = tool::read_all(&root, &declared, &mut remarks)?;
        let servers = server::read_all(&root, &mut remarks)?;
        let overrides = tool_override::read_all(&root, &tools, &servers, &mut remarks)?;
        let mut hosts = match root.get("network")? {
            Some(network) => {
                unknown::remark(&network, &NETWORK_KEYS, &mut remarks)?;
                hosts(&network, "hosts")?
            }
            None => Vec::new(),
        };
        let mut seen: BTreeSet<String> = hosts.iter().cloned().collect();
        hosts.extend(tools.iter().flat_map(|tool| &tool.hosts).filter(|host| seen.insert((*host).clone())).cloned());
        Ok(Self {
            manifest_version: version_text,
            slug: tool::read_slug(&root, id.as_str())?,
            id,
            name,
            version,
            description: root.optional_text("description")?.unwrap_or_default(),
            secrets: variables::wanted(declared, &tools, &servers),
            tools,
            overrides,
            servers,
            python_packages: python_packages(&root)?,
            hosts,
            unknown_keys: (root.members()?.into_iter())
                .filter(|(key, _)| !KNOWN_KEYS.contains(key))
                .map(|(key, _)| key.to_owned())
                .collect(),
            remarks,
            json: root.json(),
        })
    }
}

/// Hosts, each a name with or without a port.
fn hosts(at: &At<'_>, key: &str) -> Result<Vec<String>, ManifestError> {
    let host = |item: At<'_>| {
        let host = item.some_text()?;
        let (name, port) = host.rsplit_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let good = !name.is_empty() && name.bytes().all(plain) && port.is_none_or(|port| port.parse::<u16>().is_ok());
        if good { Ok(host.to_ascii_lowercase()) } else { Err(item.fail(Fault::Host(host.to_owned()))) }
    };
    at.items(key)?.into_iter().map(host).collect()
}

/// Requirements by name; an address would be a way around the user's package source.
fn python_packages(root: &At<'_>) -> Result<Vec<String>, ManifestError> {
    let package = |item: At<'_>| {
        let text = item.some_text()?;
        let good = text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.chars().all(|char| char.is_ascii_alphanumeric() || "._-[],<>=!~ ".contains(char));
        if good { Ok(text.to_owned()) } else { Err(item.fail(Fault::PythonPackage(text.to_owned()))) }
    };
    root.items("python_packages")?.into_iter().map(package).collect()
}

/// A list or map that is being read.
struct Open {
    line: usize,
    anchor: usize,
    body: Body,
}

enum Body {
    List(Vec<Rc<Node>>),
    Map { members: Vec<(String, Rc<Node>)>, keys: BTreeSet<String>, key: Option<String> },
}

/// Reads one document, with everything bounded while it is read. The parser itself does not recurse and looks ahead one line.
fn read_yaml(text: &str, limits: &BundleLimits) -> Result<Node, ManifestError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: BTreeMap<usize, Rc<Node>> = BTreeMap::new();
    let mut aliased = 0;
    let mut root: Option<Rc<Node>> = None;
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let deep = error.info().contains("recursion limit");
            let fault = if deep { Fault::TooDeep(limits.yaml_depth) } else { Fault::Syntax(error.info().into()) };
            ManifestError { place: Place { key: String::new(), line: Some(error.marker().line()) }, fault }
        })?;
        let line = span.start.line();
        let fail = |fault| ManifestError { place: Place { key: String::new(), line: Some(line) }, fault };
        let awaits_key = matches!(open.last(), Some(Open { body: Body::Map { key: None, .. }, .. }));
        let (node, anchor) = match event {
            Event::DocumentStart(_) if root.is_some() => return Err(fail(Fault::SecondDocument)),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                continue;
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if awaits_key => return Err(fail(Fault::KeyNotText)),
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_deref(), "seq").map_err(fail)?;
                open.push(Open { line, anchor, body: Body::List(Vec::new()) });
                check_depth(open.len(), limits).map_err(fail)?;
                continue;
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_deref(), "map").map_err(fail)?;
                let body = Body::Map { members: Vec::new(), keys: BTreeSet::new(), key: None };
                open.push(Open { line, anchor, body });
                check_depth(open.len(), limits).map_err(fail)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { line, anchor, body } = open.pop().expect("the parser ends only what it began");
                let kind = match body {
                    Body::List(items) => Kind::List(items),
                    Body::Map { members, .. } => Kind::Map(members),
                };
                (Rc::new(Node::new(Some(line), kind)), anchor)
            }
            Event::Scalar(text, ScalarStyle::Plain, _, None) if awaits_key && !is_null(&text) => {
                (Rc::new(Node::new(Some(line), Kind::Text(text.into_owned()))), 0)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let kind = scalar(&text, style, tag.as_deref()).map_err(fail)?;
                (Rc::new(Node::new(Some(line), kind)), anchor)
            }
            Event::Alias(anchor) => {
                let node = anchors.get(&anchor).cloned().ok_or_else(|| fail(Fault::SelfAlias))?;
                aliased += node.count;
                if aliased > limits.yaml_alias_nodes {
                    return Err(fail(Fault::TooManyAliases(limits.yaml_alias_nodes)));
                }
                check_depth(open.len() + node.depth, limits).map_err(fail)?;
                (node, 0)
            }
        };
        if anchor != 0 {
            anchors.insert(anchor, Rc::clone(&node));
        }
        match open.last_mut().map(|open| &mut open.body) {
            None => root = Some(node),
            Some(Body::List(items)) => items.push(node),
            Some(Body::Map { members, key, .. }) if key.is_some() => {
                members.push((key.take().expect("was looked at"), node));
            }
            Some(Body::Map { keys, key, .. }) => {
                let Kind::Text(text) = &node.kind else { return Err(fail(Fault::KeyNotText)) };
                if !keys.insert(text.clone()) {
                    return Err(fail(Fault::DuplicateKey(text.clone())));
                }
                *key = Some(text.clone());
            }
        }
    }
    drop(anchors);
    let root = root.unwrap_or_else(|| Rc::new(Node::new(Some(1), Kind::Null)));
    Ok(Rc::into_inner(root).expect("nothing else holds the whole document"))
}

fn check_depth(depth: usize, limits: &BundleLimits) -> Result<(), Fault> {
    if depth > limits.yaml_depth { Err(Fault::TooDeep(limits.yaml_depth)) } else { Ok(()) }
}

/// Tags that only say what a value is anyway are let pass.
fn check_tag(tag: Option<&Tag>, expected: &str) -> Result<(), Fault> {
    match tag {
        None => Ok(()),
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == expected => Ok(()),
        Some(tag) => Err(Fault::Tag(tag.to_string())),
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// What a scalar is, by the core schema of YAML 1.2: `yes` and `on` are texts.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Kind, Fault> {
    if let Some(tag) = tag {
        return match (tag.is_yaml_core_schema(), tag.suffix.as_str()) {
            (true, "str") => Ok(Kind::Text(text.into())),
            _ if tag.handle == "!" && tag.suffix.is_empty() => Ok(Kind::Text(text.into())),
            (true, "int" | "float" | "bool" | "null") => plain(text),
            _ => Err(Fault::Tag(tag.to_string())),
        };
    }
    if style == ScalarStyle::Plain { plain(text) } else { Ok(Kind::Text(text.into())) }
}

fn plain(text: &str) -> Result<Kind, Fault> {
    match text {
        _ if is_null(text) => return Ok(Kind::Null),
        "true" | "True" | "TRUE" => return Ok(Kind::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Kind::Bool(false)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "-.inf" | "-.Inf" | "-.INF" | ".nan" | ".NaN" | ".NAN" => {
            return Err(Fault::Number(text.into()));
        }
        _ => {}
    }
    let radix = |prefix: &str, radix| {
        let digits = text.strip_prefix(prefix).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u64::from_str_radix(digits, radix).ok()
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Ok(Kind::Number(number.into()));
    }
    if !looks_like_number(text) {
        return Ok(Kind::Text(text.into()));
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let number = (unsigned.parse::<u64>().map(Number::from).ok())
        .or_else(|| unsigned.parse::<i64>().map(Number::from).ok())
        .or_else(|| unsigned.parse::<f64>().ok().and_then(Number::from_f64));
    number.map(Kind::Number).ok_or_else(|| Fault::Number(text.chars().take(80).collect()))
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
pub(super) fn looks_like_number(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(whole)
        && digits(part)
        && !(whole.is_empty() && part.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}
