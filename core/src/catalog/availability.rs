//! Whether a toolset can be used here and now, and if not, why (R167, R176).
//!
//! The rows say what is switched on; what they cannot say is handed in as [`Surroundings`]. A reason is one of a few fixed
//! sentences, so that every place in the app tells the same thing in the same words.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{InstalledToolset, ServerKey, ToolsetId};
use crate::builtin;
use crate::http_tool::{HttpLimits, HttpTool, argument_names};
use crate::mcp::PublishedElsewhere;
use crate::protocol::{Capability, McpApproval, McpOffer, McpStatus};
use crate::record::{Tool, ToolKind, ToolsetMcpServer};

/// Characters of a server's reason that are told; the whole of it is on its own page.
const MOST_REASON: usize = 300;

/// What is known about this device and its server, and is in no row. The default is a device alone: no server, no secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The toolsets that the server's operator does not want used (C48).
    pub disabled_toolsets: BTreeSet<ToolsetId>,
    /// The names of the secrets and variables that have a value. The values are nobody's business here.
    pub secrets: BTreeSet<String>,
    /// What the connected Satchel server can do; nothing without one.
    pub capabilities: Vec<Capability>,
    /// How the MCP servers are doing that the Satchel server knows.
    pub servers: BTreeMap<ServerKey, ServerStanding>,
    /// The servers that the operator offers to be added.
    pub offers: Vec<McpOffer>,
    /// The servers that other browsers of the account have published, and this one has not.
    pub elsewhere: Vec<PublishedElsewhere>,
}

/// How an MCP server is doing, as the Satchel server has said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStanding {
    /// How.
    pub status: McpStatus,
    /// Why, as a sentence.
    pub reason: Option<String>,
    /// For a command: whether the operator has approved it, and how that is done (C39).
    #[serde(default)]
    pub approval: Option<McpApproval>,
}

/// Why something cannot be used. The first that applies is told, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unavailable {
    /// The server's operator does not want it used.
    #[error("Disabled by administrator")]
    DisabledByAdministrator,
    /// Its switch is off.
    #[error("Disabled in settings")]
    DisabledInSettings,
    /// What is stored of it cannot be read.
    #[error("Damaged: {0}")]
    Damaged(String),
    /// It wants secrets or variables that have no value (C49).
    #[error("API key not configured")]
    SecretsMissing(Vec<String>),
    /// It consists of servers, and the user has switched none of them on.
    #[error("Configure in Toolsets settings")]
    NotConfigured,
    /// Nothing of it runs in a browser alone (R259).
    #[error("Needs a Satchel server")]
    NeedsServer,
    /// The server of the tool is not connected.
    #[error("Not connected: {0}")]
    NotConnected(String),
    /// The server of the tool wants a login first.
    #[error("Needs a login")]
    NeedsLogin,
    /// The tool is not what it was when it was first used or last approved (C14).
    #[error("Changed since it was last used; review and approve the change on the tool's page")]
    Changed,
    /// What the tool was when it was first used cannot be read, so that nobody can say whether it has changed (C14).
    #[error("Its definition from when it was last used cannot be read; approve it again on the tool's page")]
    PinDamaged,
    /// The chat has a saved toolset equipped that it is not in (R137).
    #[error("Not in the saved toolset {0}")]
    NotEquipped(String),
    /// It is a function that is not compiled into this app (C30).
    #[error("Not part of this version of Satchel")]
    NotCompiledIn,
}

impl Surroundings {
    /// Why this toolset cannot be used as a whole; none if at least something of it can.
    #[must_use]
    pub fn unavailable(&self, installed: &InstalledToolset) -> Option<Unavailable> {
        let InstalledToolset { toolset, tools, servers, faults, .. } = installed;
        if self.disabled_toolsets.contains(&toolset.id) {
            return Some(Unavailable::DisabledByAdministrator);
        }
        if !toolset.enabled {
            return Some(Unavailable::DisabledInSettings);
        }
        if let Some(fault) = faults.iter().find(|fault| fault.is_fatal()) {
            return Some(Unavailable::Damaged(fault.to_string()));
        }
        let missing = self.missing_secrets(installed);
        if !missing.is_empty() {
            return Some(Unavailable::SecretsMissing(missing));
        }
        // A toolset without anything in it lacks nothing.
        let mut reasons: Vec<Option<Unavailable>> = tools.iter().map(|tool| self.unavailable_tool(tool)).collect();
        reasons.extend(servers.iter().map(|server| self.unavailable_server(server)));
        if reasons.is_empty() || reasons.contains(&None) {
            return None;
        }
        let told = reasons.into_iter().flatten().find(|reason| *reason != Unavailable::DisabledInSettings);
        Some(told.unwrap_or(Unavailable::NotConfigured))
    }

    /// Why a server of a toolset that can be used cannot be reached.
    #[must_use]
    pub fn unavailable_server(&self, server: &ToolsetMcpServer) -> Option<Unavailable> {
        if !server.enabled {
            return Some(Unavailable::DisabledInSettings);
        }
        self.lacks(Capability::Mcp).or_else(|| match self.servers.get(&server.server_key()) {
            None => Some(Unavailable::NotConnected("it has not been reached yet".into())),
            Some(ServerStanding { status, reason, approval: _ }) => {
                let told = |usual: &str| {
                    let reason = reason.as_deref().unwrap_or(usual);
                    Some(Unavailable::NotConnected(reason.chars().take(MOST_REASON).collect()))
                };
                match status {
                    McpStatus::Connected => None,
                    McpStatus::Connecting => told("it is being connected"),
                    McpStatus::RequiresAuth => Some(Unavailable::NeedsLogin),
                    McpStatus::Disconnected => told("it is switched off"),
                    McpStatus::Error | McpStatus::Unknown => told("it did not say why"),
                }
            }
        })
    }

    /// Why a tool of a toolset that can be used cannot run.
    #[must_use]
    pub fn unavailable_tool(&self, tool: &Tool) -> Option<Unavailable> {
        match tool.kind {
            ToolKind::Python => None,
            ToolKind::Builtin => (!builtin::is_compiled_in(tool)).then_some(Unavailable::NotCompiledIn),
            // What needs no secret can be asked for by the page itself, if its host lets it.
            ToolKind::Http => {
                if secrets_of(tool).is_empty() {
                    None
                } else {
                    self.lacks(Capability::HttpTools)
                }
            }
            // Whether its server is connected says more, and is asked of that.
            ToolKind::Mcp => self.lacks(Capability::Mcp),
        }
    }

    /// The secrets and variables that a toolset wants and that have no value, in the order of its manifest.
    #[must_use]
    pub fn missing_secrets(&self, installed: &InstalledToolset) -> Vec<String> {
        let wanted = installed.manifest.iter().flat_map(|manifest| &manifest.secrets);
        let missing = wanted.map(|secret| secret.name.clone()).filter(|name| !self.secrets.contains(name));
        missing
            .filter(|name| !self.is_resolved_by_server(installed, name) && !is_only_of_switched_off(installed, name))
            .collect()
    }

    /// Whether a server that is connected uses this variable: the Satchel server then has a value for it, perhaps from its operator.
    fn is_resolved_by_server(&self, installed: &InstalledToolset, name: &str) -> bool {
        let placeholder = format!("${{{name}}}");
        let is_connected = |server: &&ToolsetMcpServer| {
            self.servers.get(&server.server_key()).is_some_and(|standing| standing.status == McpStatus::Connected)
        };
        let mut connected = installed.servers.iter().filter(is_connected);
        connected.any(|server| server.config.to_string().contains(&placeholder))
    }

    fn lacks(&self, capability: Capability) -> Option<Unavailable> {
        (!self.capabilities.contains(&capability)).then_some(Unavailable::NeedsServer)
    }
}

/// Whether a secret is named by nothing but HTTP tools that are switched off, such as versions that another one has come in the place of.
fn is_only_of_switched_off(installed: &InstalledToolset, name: &str) -> bool {
    let listed = installed.package.as_ref().and_then(|package| package.manifest.get("secrets")?.as_array());
    let is_listed = listed.into_iter().flatten().any(|secret| secret == name || secret["name"] == name);
    let placeholder = format!("${{{name}}}");
    let is_of_server = installed.servers.iter().any(|server| server.config.to_string().contains(&placeholder));
    let is_on = |tool: &Tool| {
        let own = installed.overrides.get(&tool.tool_id.selection_name());
        own.and_then(|own| own.enabled).unwrap_or(tool.enabled)
    };
    let mut of_tools = installed.tools.iter().filter(|tool| secrets_of(tool).iter().any(|secret| secret == name));
    // One that nobody is found to name is wanted, by whatever names it.
    !is_listed && !is_of_server && of_tools.clone().next().is_some() && of_tools.all(|tool| !is_on(tool))
}

/// The secrets that a tool of type http names. One that cannot be read says what is wrong with it when it is called.
fn secrets_of(tool: &Tool) -> Vec<String> {
    let Some(http) = &tool.http else { return Vec::new() };
    let arguments = argument_names(tool.input_schema.as_ref());
    let read = HttpTool::read(http, &arguments, &HttpLimits::default());
    read.map(|tool| tool.secrets().into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Device, MIXED, PYTHON, SERVERS};
    use super::*;
    use crate::record::{Toolset, ToolsetMcpServer};
    use crate::store::Commit;

    fn check(manifest: &str, surroundings: &Surroundings, expected: Option<&str>) {
        let installed = Device::with(manifest).only();
        let reason = surroundings.unavailable(&installed).map(|reason| reason.to_string());
        assert_eq!(reason.as_deref(), expected, "{manifest}");
    }

    fn connected(key: &str) -> (ServerKey, ServerStanding) {
        let key = crate::protocol::parse_server_key(key).expect("is a key");
        (key, ServerStanding { status: McpStatus::Connected, reason: None, approval: None })
    }

    /// R176: a server that is not connected says why, and its toolset with it.
    #[test]
    fn servers_say_how_they_are_doing() {
        let doing = |status, reason: Option<&str>| {
            let mut surroundings = with_server();
            let (key, _) = connected("servers~remote");
            surroundings
                .servers
                .insert(key, ServerStanding { status, reason: reason.map(str::to_owned), approval: None });
            surroundings
        };
        check(SERVERS, &doing(McpStatus::Connecting, None), Some("Not connected: it is being connected"));
        check(SERVERS, &doing(McpStatus::RequiresAuth, Some("401")), Some("Needs a login"));
        check(SERVERS, &doing(McpStatus::Error, Some("refused")), Some("Not connected: refused"));
        let unknown = Surroundings { servers: BTreeMap::new(), ..with_server() };
        check(SERVERS, &unknown, Some("Not connected: it has not been reached yet"));
    }

    fn with_server() -> Surroundings {
        let capabilities = vec![Capability::Mcp, Capability::HttpTools];
        let servers = [connected("servers~remote")].into();
        Surroundings { capabilities, servers, secrets: BTreeSet::from(["TOKEN".into()]), ..Surroundings::default() }
    }

    /// C30: a function that is compiled in can be used under any name; one that is not is kept, and says why it is off.
    #[test]
    fn what_is_not_compiled_in_is_kept_and_says_so() {
        let manifest =
            |tools: &str| format!("manifest_version: '1'\nid: own\nname: Own\nversion: 1.0.0\ntools:\n{tools}");
        let known = "  - {id: look, type: go, goImpl: {func: read_file}}\n";
        let unknown = "  - {id: fly, type: builtin, builtin: {func: fly}}\n";
        let alone = Surroundings::default();
        check(&manifest(known), &alone, None);
        check(&manifest(unknown), &alone, Some("Not part of this version of Satchel"));
        let installed = Device::with(&manifest(&format!("{known}{unknown}"))).only();
        let reasons: Vec<_> = installed.tools_in_effect(&alone).into_iter().map(|tool| tool.unavailable).collect();
        assert_eq!(reasons, [None, Some(Unavailable::NotCompiledIn)]);
        assert!(installed.tools[0].input_schema.is_some(), "it takes what the function takes");
        assert!(!installed.tools[0].description.is_empty());
    }

    /// R259: Python needs nobody; servers and requests need a Satchel server.
    #[test]
    fn what_runs_in_a_browser_is_available_alone() {
        let alone = Surroundings::default();
        check(PYTHON, &alone, None);
        check(SERVERS, &alone, Some("Needs a Satchel server"));
        check(SERVERS, &with_server(), None);
        check("manifest_version: '1'\nid: none\nname: None\nversion: 1.0.0\n", &alone, None);
    }

    /// R176, C49: a toolset is usable only with its keys.
    #[test]
    fn keys_are_needed() {
        check(MIXED, &Surroundings::default(), Some("API key not configured"));
        let keyed = Surroundings { secrets: BTreeSet::from(["TOKEN".into()]), ..Surroundings::default() };
        check(MIXED, &keyed, None);
        assert_eq!(Surroundings::default().missing_secrets(&Device::with(MIXED).only()), ["TOKEN"]);
    }

    /// C48
    #[test]
    fn the_operator_has_the_first_word() {
        let disabled_toolsets = BTreeSet::from([ToolsetId::parse("python-only").expect("is a name")]);
        let policy = Surroundings { disabled_toolsets, ..Surroundings::default() };
        check(PYTHON, &policy, Some("Disabled by administrator"));
    }

    #[test]
    fn switches_count() {
        let device = Device::with(PYTHON);
        let before = device.only().toolset;
        device.apply(Commit::default().change(&before, &Toolset { enabled: false, ..before.clone() }));
        assert_eq!(with_server().unavailable(&device.only()), Some(Unavailable::DisabledInSettings));

        let device = Device::with(SERVERS);
        let before = device.only().servers[0].clone();
        device.apply(Commit::default().change(&before, &ToolsetMcpServer { enabled: false, ..before.clone() }));
        let reason = with_server().unavailable(&device.only()).map(|reason| reason.to_string());
        assert_eq!(reason.as_deref(), Some("Configure in Toolsets settings"));
    }
}
