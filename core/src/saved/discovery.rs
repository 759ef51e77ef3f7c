//! The tools that are known now, under both of the names by which a reference may know them.
//!
//! A tool is called `{server}.{tool}`, or `{toolset}.{tool}` where no server gives it (C05). Where two providers have one name, each tool
//! of a server is called by its server's key, which no other has; the short name then stands for neither. Tools of servers that are away are
//! here as they were last seen, with the reason why they cannot be used (C22).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::catalog::{EffectiveTool, InstalledToolset, Selection, Surroundings, ToolId, ToolsetId, definition_tokens};
use crate::exa::EXA_ID;
use crate::mcp::ref_id;
use crate::record::ToolReference;

/// Who gives a tool, and what that is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Namespace {
    /// A toolset: its id.
    Toolset(String),
    /// An MCP server: its toolset and its own name.
    Server(String, String),
}

impl Namespace {
    /// The name that stands before the dot where no other provider has it.
    fn short(&self) -> &str {
        match self {
            Self::Toolset(name) | Self::Server(_, name) => name,
        }
    }

    /// The name that no other provider has.
    fn whole(&self) -> String {
        match self {
            Self::Toolset(name) => name.clone(),
            Self::Server(toolset, server) => format!("{toolset}~{server}"),
        }
    }
}

/// A tool that was found, before it has a name over all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct NewlyFound {
    /// The tool.
    pub id: ToolId,
    /// Who gives it.
    pub namespace: Namespace,
    /// What its provider says of it: `name`, `inputSchema`, and perhaps `outputSchema` and `annotations`, as received.
    pub received: Value,
    /// What it does, as the model is told.
    pub description: String,
    /// Why it cannot be used now.
    pub unavailable: Option<String>,
}

/// A tool that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredTool {
    /// The tool.
    pub id: ToolId,
    /// Its name without its provider's.
    pub name: String,
    /// What its provider is called (R153).
    pub server_name: String,
    /// `{server}.{tool}`.
    pub namespaced_name: String,
    /// The hash of its definition (C13).
    pub ref_id: String,
    /// What it does.
    pub description: String,
    /// What its definition takes of a model's context, as estimated.
    pub tokens: u64,
    /// Why it cannot be used now.
    pub unavailable: Option<String>,
}

/// All tools that are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Discovery {
    tools: Vec<DiscoveredTool>,
    by_name: BTreeMap<String, Vec<usize>>,
    by_ref: BTreeMap<String, Vec<usize>>,
}

impl Discovery {
    /// Names what was found, in its order.
    #[must_use]
    pub fn of(found: Vec<NewlyFound>) -> Self {
        let providers: BTreeSet<&Namespace> = found.iter().map(|found| &found.namespace).collect();
        let mut claims: BTreeMap<&str, usize> = BTreeMap::new();
        for provider in &providers {
            *claims.entry(provider.short()).or_default() += 1;
        }
        let mut discovery = Self::default();
        for one in &found {
            let at = discovery.tools.len();
            let (short, whole) = (one.namespace.short(), one.namespace.whole());
            let is_shared = claims.get(short).is_some_and(|claims| *claims > 1);
            let server_name = if is_shared { whole.clone() } else { short.to_owned() };
            let name = one.id.name().to_owned();
            // Who saved a tool under its short name, before another provider of that name came, is told of both.
            let names: BTreeSet<String> =
                [short, &whole].into_iter().map(|server| format!("{server}.{name}")).collect();
            for name in names {
                discovery.by_name.entry(name).or_default().push(at);
            }
            let reference = ref_id(short, &one.received);
            discovery.by_ref.entry(bare(&reference)).or_default().push(at);
            let tokens = definition_tokens(&name, &one.description, one.received.get("inputSchema"));
            discovery.tools.push(DiscoveredTool {
                id: one.id.clone(),
                namespaced_name: format!("{server_name}.{name}"),
                name,
                server_name,
                ref_id: reference,
                description: one.description.clone(),
                tokens,
                unavailable: one.unavailable.clone(),
            });
        }
        discovery
    }

    /// The tools of installed toolsets, as they are here and now.
    #[must_use]
    pub fn of_toolsets(toolsets: &[InstalledToolset], surroundings: &Surroundings) -> Self {
        let of = |installed: &InstalledToolset| -> Vec<NewlyFound> {
            installed.tools_in_effect(surroundings).iter().map(newly_found).collect()
        };
        Self::of(toolsets.iter().flat_map(of).collect())
    }

    /// All of them.
    #[must_use]
    pub fn tools(&self) -> &[DiscoveredTool] {
        &self.tools
    }

    /// Those that go by this name.
    pub(super) fn named(&self, name: &str) -> Vec<&DiscoveredTool> {
        let found = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        // The name that a tool goes by counts before one that it could go by.
        let own: Vec<&DiscoveredTool> =
            found.iter().map(|at| &self.tools[*at]).filter(|tool| tool.namespaced_name == name).collect();
        match own.is_empty() {
            true => found.iter().map(|at| &self.tools[*at]).collect(),
            false => own,
        }
    }

    /// Those with this reference, with or without its beginning.
    pub(super) fn referred(&self, reference: &str) -> Vec<&DiscoveredTool> {
        let found = self.by_ref.get(&bare(reference)).map(Vec::as_slice).unwrap_or_default();
        found.iter().map(|at| &self.tools[*at]).collect()
    }

    /// Those that can be chosen. The search that comes with the app is among them once it can be used: nobody has asked for it before.
    pub fn choosable(&self) -> impl Iterator<Item = &DiscoveredTool> {
        let is_unasked = |tool: &DiscoveredTool| tool.unavailable.is_some() && tool.id.toolset().as_str() == EXA_ID;
        self.tools.iter().filter(move |tool| !is_unasked(tool))
    }

    /// What each provider gives, in the order in which they were found.
    #[must_use]
    pub fn by_server(&self) -> Vec<(&str, Vec<&DiscoveredTool>)> {
        let mut groups: Vec<(&str, Vec<&DiscoveredTool>)> = Vec::new();
        for tool in self.choosable() {
            match groups.iter_mut().find(|(server, _)| *server == tool.server_name) {
                Some((_, tools)) => tools.push(tool),
                None => groups.push((&tool.server_name, vec![tool])),
            }
        }
        groups
    }

    /// What all of them would take of a model's context.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.choosable().map(|tool| tool.tokens).sum()
    }
}

/// These tools, as a chat would have chosen them (C16).
#[must_use]
pub(super) fn selection_of(tools: &[DiscoveredTool]) -> Selection {
    let mut by_toolset: BTreeMap<ToolsetId, Vec<String>> = BTreeMap::new();
    for tool in tools {
        by_toolset.entry(tool.id.toolset()).or_default().push(tool.id.selection_name());
    }
    by_toolset.into_iter().fold(Selection::default(), |all, (toolset, keys)| all.set_enabled_tools(&toolset, keys))
}

fn newly_found(tool: &EffectiveTool<'_>) -> NewlyFound {
    let declared = tool.declared;
    let (namespace, received) = match (&declared.tool_id, tool.seen) {
        (ToolId::Mcp(key, _), Some(seen)) => {
            (Namespace::Server(key.toolset.to_string(), key.server.to_string()), seen.received.clone())
        }
        // Only what the author wrote: what a function says of itself is known only after it first ran, and is no change.
        _ => (Namespace::Toolset(tool.toolset.to_string()), declared_object(tool)),
    };
    NewlyFound {
        id: declared.tool_id.clone(),
        namespace,
        received,
        description: tool.description.to_owned(),
        unavailable: tool.unavailable.as_ref().map(ToString::to_string),
    }
}

/// A tool of a package in the shape in which servers send theirs.
pub(super) fn declared_object(tool: &EffectiveTool<'_>) -> Value {
    let declared = tool.declared;
    object_of(declared.tool_id.name(), declared.input_schema.as_ref(), declared.output_schema.as_ref())
}

fn object_of(name: &str, input_schema: Option<&Value>, output_schema: Option<&Value>) -> Value {
    json!({"name": name, "inputSchema": input_schema, "outputSchema": output_schema})
}

/// Both names of a tool that a package declares.
#[must_use]
pub(crate) fn declared_reference(
    toolset: &ToolsetId,
    name: &str,
    input_schema: Option<&Value>,
    output_schema: Option<&Value>,
) -> ToolReference {
    let reference = ref_id(toolset.as_str(), &object_of(name, input_schema, output_schema));
    ToolReference::new(Some(format!("{toolset}.{name}")), Some(reference)).expect("both names are there")
}

fn bare(reference: &str) -> String {
    reference.strip_prefix("sha256:").unwrap_or(reference).to_ascii_lowercase()
}
