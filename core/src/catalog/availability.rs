//! Whether a toolset can be used here and now, and if not, why (R167, R176).
//!
//! The rows say what is switched on; what they cannot say is handed in as [`Surroundings`]. A reason is one of a few fixed
//! sentences, so that every place in the app tells the same thing in the same words.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{InstalledToolset, ToolsetId};
use crate::builtin;
use crate::protocol::Capability;
use crate::record::{Tool, ToolKind, ToolsetMcpServer};

/// What is known about this device and its server, and is in no row. The default is a device alone: no server, no secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The toolsets that the server's operator does not want used (C48).
    pub disabled_toolsets: BTreeSet<ToolsetId>,
    /// The names of the secrets and variables that have a value. The values are nobody's business here.
    pub secrets: BTreeSet<String>,
    /// What the connected Satchel server can do; nothing without one.
    pub capabilities: Vec<Capability>,
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
        let told = [Unavailable::NeedsServer, Unavailable::NotCompiledIn];
        let told = told.into_iter().find(|reason| reasons.contains(&Some(reason.clone())));
        Some(told.unwrap_or(Unavailable::NotConfigured))
    }

    /// Why a server of a toolset that can be used cannot be reached.
    #[must_use]
    pub fn unavailable_server(&self, server: &ToolsetMcpServer) -> Option<Unavailable> {
        if !server.enabled {
            return Some(Unavailable::DisabledInSettings);
        }
        self.lacks(Capability::Mcp)
    }

    /// Why a tool of a toolset that can be used cannot run.
    #[must_use]
    pub fn unavailable_tool(&self, tool: &Tool) -> Option<Unavailable> {
        match tool.kind {
            ToolKind::Python => None,
            ToolKind::Builtin => builtin::of_tool(tool).is_none().then_some(Unavailable::NotCompiledIn),
            ToolKind::Http => self.lacks(Capability::HttpTools),
        }
    }

    /// The secrets and variables that a toolset wants and that have no value, in the order of its manifest.
    #[must_use]
    pub fn missing_secrets(&self, installed: &InstalledToolset) -> Vec<String> {
        let wanted = installed.manifest.iter().flat_map(|manifest| &manifest.secrets);
        wanted.map(|secret| secret.name.clone()).filter(|name| !self.secrets.contains(name)).collect()
    }

    fn lacks(&self, capability: Capability) -> Option<Unavailable> {
        (!self.capabilities.contains(&capability)).then_some(Unavailable::NeedsServer)
    }
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

    fn with_server() -> Surroundings {
        let capabilities = vec![Capability::Mcp, Capability::HttpTools];
        Surroundings { capabilities, secrets: BTreeSet::from(["TOKEN".into()]), ..Surroundings::default() }
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
