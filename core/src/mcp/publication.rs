//! What the Satchel server has to be told so that it reaches the servers of the toolsets that are switched on, and no others.
//!
//! An account may have browsers that do not sync, and two of them may call two servers by one key. Each tells what it wants once, when that
//! changes; what another has put in its place since is left there, and shown. Otherwise the two would overwrite each other for ever.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bundle::manifest::server_line;
use crate::catalog::{InstalledToolset, ServerKey, Surroundings};
use crate::protocol::{McpDefinition, McpServerState};
use crate::record::ToolsetMcpServer;

/// What to publish and what to withdraw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Publication {
    /// New there, or changed here.
    pub put: Vec<(ServerKey, McpDefinition)>,
    /// Not wanted any more.
    pub withdraw: Vec<ServerKey>,
}

/// What this device has published: by key, the definition it has published last. None where nothing is known but that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredOwn", into = "BTreeMap<String, Option<McpDefinition>>")]
pub struct OwnPublications(BTreeMap<String, Option<McpDefinition>>);

/// The shapes in which that was ever stored.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredOwn {
    Definitions(BTreeMap<String, Option<McpDefinition>>),
    Keys(Vec<String>),
}

/// A server that another browser of the account has published, and this one has not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedElsewhere {
    /// Its key. This device may have another server of the same.
    pub key: String,
    /// The whole command line or address.
    pub line: String,
}

type Wanted = BTreeMap<ServerKey, McpDefinition>;

impl Publication {
    /// What has to be said so that what is `wanted` here is `there`. Only what this device has published itself (`own`) is withdrawn, and only
    /// what it has not published yet is put in the place of something else.
    #[must_use]
    pub fn plan(wanted: &Wanted, there: &[McpServerState], own: &OwnPublications) -> Self {
        let is_put = |(key, definition): &(&ServerKey, &McpDefinition)| match there_of(there, key) {
            Some(there) => there != *definition && own.last(key) != Some(Some(definition)),
            None => true,
        };
        let is_withdrawn = |state: &&McpServerState| {
            let is_own = match own.last(&state.key) {
                Some(Some(last)) => *last == state.definition,
                Some(None) => true,
                None => false,
            };
            is_own && !wanted.contains_key(&state.key)
        };
        Self {
            put: wanted.iter().filter(is_put).map(|(key, definition)| (key.clone(), definition.clone())).collect(),
            withdraw: there.iter().filter(is_withdrawn).map(|state| state.key.clone()).collect(),
        }
    }

    /// Whether nothing has to be said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.withdraw.is_empty()
    }
}

impl OwnPublications {
    /// What there is to remember before a plan is carried out, so that nothing is published that nobody remembers.
    #[must_use]
    pub fn before(&self, plan: &Publication) -> Self {
        let mut own = self.clone();
        for (key, _) in &plan.put {
            own.0.entry(key.to_string()).or_default();
        }
        own
    }

    /// What there is to remember once this is `there`. What is not wanted any more is withdrawn, or another's by now.
    #[must_use]
    pub fn after(&self, wanted: &Wanted, there: &[McpServerState]) -> Self {
        let kept = |(key, definition): (&ServerKey, &McpDefinition)| {
            let last = match there_of(there, key) == Some(definition) {
                true => Some(definition.clone()),
                false => self.last(key)?.cloned(),
            };
            Some((key.to_string(), last))
        };
        Self(wanted.iter().filter_map(kept).collect())
    }

    fn last(&self, key: &ServerKey) -> Option<Option<&McpDefinition>> {
        self.0.get(&key.to_string()).map(Option::as_ref)
    }
}

impl From<StoredOwn> for OwnPublications {
    fn from(stored: StoredOwn) -> Self {
        match stored {
            StoredOwn::Definitions(own) => Self(own),
            StoredOwn::Keys(keys) => Self(keys.into_iter().map(|key| (key, None)).collect()),
        }
    }
}

impl From<OwnPublications> for BTreeMap<String, Option<McpDefinition>> {
    fn from(own: OwnPublications) -> Self {
        own.0
    }
}

impl PublishedElsewhere {
    /// What is there and is not what this device wants.
    #[must_use]
    pub fn among(there: &[McpServerState], wanted: &Wanted) -> Vec<Self> {
        let others = there.iter().filter(|state| wanted.get(&state.key) != Some(&state.definition));
        let other = |state: &McpServerState| Self {
            key: state.key.to_string(),
            line: server_line(&serde_json::to_value(&state.definition).unwrap_or_default()),
        };
        others.map(other).collect()
    }
}

fn there_of<'a>(there: &'a [McpServerState], key: &ServerKey) -> Option<&'a McpDefinition> {
    there.iter().find(|state| state.key == *key).map(|state| &state.definition)
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

    fn own(pairs: &[(&str, Option<&str>)]) -> OwnPublications {
        OwnPublications(pairs.iter().map(|(key, of)| ((*key).to_owned(), of.map(url))).collect())
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
        let before = own(&[("a~a", None), ("b~b", Some("https://old.test")), ("mine~gone", Some("https://x.test"))]);
        let plan = Publication::plan(&wanted, &at_server, &before);
        assert_eq!(
            plan,
            Publication {
                put: vec![(key("b~b"), url("https://new.test")), (key("c~c"), url("https://c.test"))],
                withdraw: vec![key("mine~gone")],
            }
        );
        assert!(Publication::plan(&wanted, &[], &OwnPublications::default()).withdraw.is_empty());
        let elsewhere = PublishedElsewhere::among(&at_server[2..], &wanted);
        assert_eq!(elsewhere.iter().map(|one| one.key.as_str()).collect::<Vec<_>>(), ["mine~gone", "other~device"]);
    }

    /// A browser of an account, over and over brought together with the one Satchel server.
    struct Browser {
        wanted: Wanted,
        own: OwnPublications,
    }

    impl Browser {
        fn with(url_of_it: &str) -> Self {
            Self { wanted: BTreeMap::from([(key("web~web"), url(url_of_it))]), own: OwnPublications::default() }
        }

        /// Whether something had to be said.
        fn bring_together(&mut self, at_server: &mut Vec<McpServerState>) -> bool {
            let plan = Publication::plan(&self.wanted, at_server, &self.own);
            self.own = self.own.before(&plan);
            for (put, definition) in &plan.put {
                at_server.retain(|state| state.key != *put);
                at_server.push(there(&put.to_string(), definition.clone()));
            }
            at_server.retain(|state| !plan.withdraw.contains(&state.key));
            self.own = self.own.after(&self.wanted, at_server);
            !plan.is_empty()
        }
    }

    fn urls(at_server: &[McpServerState]) -> Vec<McpDefinition> {
        at_server.iter().map(|state| state.definition.clone()).collect()
    }

    /// The last change that somebody made wins; nobody makes one by looking.
    #[test]
    fn two_browsers_that_do_not_sync_do_not_fight() {
        let (mut first, mut second) = (Browser::with("https://first.test"), Browser::with("https://second.test"));
        let mut at_server = Vec::new();
        assert!(first.bring_together(&mut at_server));
        assert!(second.bring_together(&mut at_server), "it was added there later");
        for _ in 0..3 {
            assert!(!first.bring_together(&mut at_server) && !second.bring_together(&mut at_server));
        }
        assert_eq!(urls(&at_server), [url("https://second.test")]);
        let shown = PublishedElsewhere::among(&at_server, &first.wanted);
        assert_eq!((shown[0].key.as_str(), shown[0].line.as_str()), ("web~web", "https://second.test"));

        first.wanted = Browser::with("https://third.test").wanted;
        assert!(first.bring_together(&mut at_server), "a change here is said");
        assert!(!second.bring_together(&mut at_server));
        assert_eq!(urls(&at_server), [url("https://third.test")]);
    }

    /// What one browser has removed is published again by the other that has it, and stays.
    #[test]
    fn what_one_removes_the_other_keeps() {
        let (mut first, mut second) = (Browser::with("https://x.test"), Browser::with("https://x.test"));
        let mut at_server = Vec::new();
        first.bring_together(&mut at_server);
        second.bring_together(&mut at_server);
        second.wanted.clear();
        assert!(second.bring_together(&mut at_server), "it is withdrawn");
        assert!(first.bring_together(&mut at_server), "and published by who still has it");
        for _ in 0..3 {
            assert!(!second.bring_together(&mut at_server) && !first.bring_together(&mut at_server));
        }
        assert_eq!(urls(&at_server), [url("https://x.test")]);
    }

    /// I9
    #[test]
    fn what_is_remembered_reads_in_every_shape_it_had() {
        let remembered = own(&[("a~a", Some("https://a.test")), ("b~b", None)]);
        insta::assert_json_snapshot!(remembered, @r#"
        {
          "a~a": {
            "url": "https://a.test",
            "transport": "streamable-http",
            "headers": {}
          },
          "b~b": null
        }
        "#);
        let read = |value| serde_json::from_value::<OwnPublications>(value).expect("reads");
        assert_eq!(read(serde_json::to_value(&remembered).expect("writes")), remembered);
        assert_eq!(read(json!(["a~a"])), own(&[("a~a", None)]));
        let elsewhere = PublishedElsewhere::among(&[there("a~a", url("https://a.test"))], &BTreeMap::new());
        insta::assert_json_snapshot!(elsewhere, @r#"
        [
          {
            "key": "a~a",
            "line": "https://a.test"
          }
        ]
        "#);
    }
}
