//! What the Satchel server has to be told so that it reaches the servers of the toolsets that are switched on, and no others.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{InstalledToolset, ServerKey, Surroundings};
use crate::protocol::{McpDefinition, McpServerState};
use crate::record::ToolsetMcpServer;

/// What to publish and what to withdraw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Publication {
    /// New there, or with another definition.
    pub put: Vec<(ServerKey, McpDefinition)>,
    /// Not wanted any more.
    pub withdraw: Vec<ServerKey>,
}

impl Publication {
    /// What differs between what is `wanted` here and what is `there`. Only what this device has published (`own`) is withdrawn: another
    /// device of the account may have toolsets that have not come here yet.
    #[must_use]
    pub fn plan(
        wanted: &BTreeMap<ServerKey, McpDefinition>,
        there: &[McpServerState],
        own: &BTreeSet<ServerKey>,
    ) -> Self {
        let there: BTreeMap<&ServerKey, &McpDefinition> =
            there.iter().map(|state| (&state.key, &state.definition)).collect();
        let differs = |(key, definition): &(&ServerKey, &McpDefinition)| there.get(key) != Some(definition);
        let put = wanted.iter().filter(differs).map(|(key, definition)| (key.clone(), definition.clone()));
        let gone = |key: &&&ServerKey| own.contains(**key) && !wanted.contains_key(**key);
        Self { put: put.collect(), withdraw: there.keys().filter(gone).map(|key| (*key).clone()).collect() }
    }

    /// Whether nothing has to be said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.withdraw.is_empty()
    }
}

/// How a server is started or reached, as its row says; none where that makes no sense.
#[must_use]
pub fn definition_of(server: &ToolsetMcpServer) -> Option<McpDefinition> {
    serde_json::from_value(server.config.clone()).ok()
}

/// The servers that are to be reached: those that are switched on, of toolsets that are and that the operator allows (R123).
#[must_use]
pub fn definitions_wanted(
    toolsets: &[InstalledToolset],
    surroundings: &Surroundings,
) -> BTreeMap<ServerKey, McpDefinition> {
    let on = |installed: &&InstalledToolset| {
        installed.toolset.enabled && !surroundings.disabled_toolsets.contains(&installed.toolset.id)
    };
    let servers = toolsets.iter().filter(on).flat_map(|installed| &installed.servers);
    let wanted = servers.filter(|server| server.enabled);
    wanted.filter_map(|server| Some((server.server_key(), definition_of(server)?))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::sample::{Device, MIXED, SERVERS};
    use crate::catalog::{set_enabled, soft_delete};
    use crate::protocol::{McpStatus, parse_server_key};
    use crate::time::Timestamp;

    fn key(text: &str) -> ServerKey {
        parse_server_key(text).expect("is a key")
    }

    fn url(url: &str) -> McpDefinition {
        serde_json::from_value(json!({"url": url})).expect("is a definition")
    }

    fn there(name: &str, definition: McpDefinition) -> McpServerState {
        McpServerState {
            key: key(name),
            definition,
            status: McpStatus::Connected,
            reason: None,
            approval: None,
            identity: None,
            tools: vec![],
            tools_version: 0,
        }
    }

    /// R123, R126: what is switched off or uninstalled is not to be reached.
    #[test]
    fn only_what_is_on_is_wanted() {
        let device = Device::with(SERVERS);
        device.install(MIXED);
        let wanted = |device: &Device| -> Vec<String> {
            let wanted = definitions_wanted(&device.list().toolsets, &Surroundings::default());
            wanted.keys().map(ToString::to_string).collect()
        };
        assert_eq!(wanted(&device), ["mixed~program", "servers~remote"]);
        let mixed = device.find("mixed").expect("is there").toolset;
        device.apply(set_enabled(&mixed, false));
        assert_eq!(wanted(&device), ["servers~remote"]);
        let servers = device.find("servers").expect("is there").toolset;
        device.apply(soft_delete(&servers, Timestamp::from_millis(1)).expect("is not built in"));
        assert_eq!(wanted(&device), [""; 0]);
    }

    #[test]
    fn only_differences_are_told() {
        let wanted = BTreeMap::from([
            (key("a~a"), url("https://a.test")),
            (key("b~b"), url("https://new.test")),
            (key("c~c"), url("https://c.test")),
        ]);
        let at_server = [
            there("a~a", url("https://a.test")),
            there("b~b", url("https://old.test")),
            there("mine~gone", url("https://x.test")),
            there("other~device", url("https://y.test")),
        ];
        let plan = Publication::plan(&wanted, &at_server, &[key("mine~gone"), key("a~a")].into());
        assert_eq!(
            plan,
            Publication {
                put: vec![(key("b~b"), url("https://new.test")), (key("c~c"), url("https://c.test"))],
                withdraw: vec![key("mine~gone")],
            }
        );
        assert!(Publication::plan(&wanted, &[], &BTreeSet::new()).withdraw.is_empty());
    }
}
