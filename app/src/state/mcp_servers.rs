//! The MCP servers, as their page shows them. Whoever shows them holds this for as long as that takes.

use std::collections::BTreeMap;

use leptos::prelude::{Get as _, RwSignal, Set as _, Update as _, With as _, expect_context};
use satchel_core::local_api::reading::{McpServerRead, PastedRead, PastedServerRead, ServersRead};
use satchel_core::protocol::{SecretName, SecretValue};

use super::{Connection, NoticeKind, Notices, Storage, Toolsets, latest};
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::work::secrets::{self, Keeper};
use crate::work::server::ServerStatus;
use crate::work::servers::{self, NewServer};
use crate::work::{mcp, toolsets};

/// The context of the servers.
#[derive(Clone, Copy)]
pub(crate) struct McpServers {
    list: RwSignal<Option<Result<ServersRead, String>>>,
    /// Where to sign in, by the keys of the servers whose page the browser did not open.
    logins: RwSignal<BTreeMap<String, String>>,
    connection: Connection,
    toolsets: Toolsets,
    storage: Storage,
    notices: Notices,
}

impl McpServers {
    /// Reads them, and again whenever something about them has changed.
    pub(crate) fn load() -> Self {
        let servers = Self {
            list: RwSignal::new(None),
            logins: RwSignal::new(BTreeMap::new()),
            connection: Connection::expect(),
            toolsets: Toolsets::expect(),
            storage: Storage::expect(),
            notices: Notices::expect(),
        };
        let ask = move || {
            servers.toolsets.changes();
            async move { servers::list(&servers.storage.store()).await.map_err(|error| error.to_string()) }
        };
        latest::follow(ask, move |found| servers.list.set(Some(found)));
        servers
    }

    /// The context given by the page.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What is known of them; nothing before they were read.
    pub(crate) fn list(self) -> Option<Result<ServersRead, String>> {
        self.list.get()
    }

    /// Whether no Satchel server is there to reach them, once that is known.
    pub(crate) fn is_unreached(self) -> bool {
        self.connection.heard().is_some_and(|status| !matches!(status, ServerStatus::Connected(_)))
    }

    /// Reads what a configuration says. Nothing is stored.
    pub(crate) async fn read(self, text: &str) -> Result<PastedRead, String> {
        servers::read(&self.storage.store(), text).await.map_err(|error| error.to_string())
    }

    /// Adds servers with the values that were asked for. The secrets go first, so that a server that is reached at once has them.
    pub(crate) async fn add(
        self,
        servers: Vec<PastedServerRead>,
        mut values: BTreeMap<String, String>,
    ) -> Result<(), String> {
        let store = self.storage.store();
        values.extend(servers.iter().flat_map(|server| server.secrets.clone()));
        let keeper = match self.connection.server_untracked() {
            ServerStatus::Connected(_) => Keeper::Server,
            ServerStatus::NotConnected
            | ServerStatus::TokenRefused
            | ServerStatus::Unreachable
            | ServerStatus::Trouble(_) => Keeper::Device,
        };
        for (name, value) in values.into_iter().filter(|(_, value)| !value.is_empty()) {
            let name = SecretName::parse(&name).map_err(|error| error.to_string())?;
            let kept = secrets::keep(&store, keeper, &name, SecretValue::new(value)).await;
            kept.map_err(|error| format!("{name} was not saved: {error}"))?;
        }
        for server in servers {
            let new = NewServer { id: server.id, name: server.name, config: server.config, enabled: server.enabled };
            servers::add(&store, &new).await.map_err(|error| format!("{} was not added: {error}", new.id))?;
        }
        // Which secrets there are now is the server's to say.
        self.connection.refresh().await;
        self.toolsets.changed();
        Ok(())
    }

    /// Gives a server another name.
    pub(crate) fn rename(self, server: &McpServerRead, name: String) {
        let McpServerRead { server_id, config, enabled, .. } = server.clone();
        self.settle("The server was not renamed", async move |servers: Self| {
            let new = NewServer { id: server_id, name, config, enabled };
            servers::add(&servers.storage.store(), &new).await.map_err(|error| error.to_string())
        });
    }

    /// Moves the switch of a server.
    pub(crate) fn enable(self, server: &McpServerRead, enabled: bool) {
        let (toolset, id) = (server.toolset_id.clone(), server.server_id.clone());
        self.settle("The server was not switched on or off", async move |servers: Self| {
            let done = servers::enable(&servers.storage.store(), &toolset, &id, enabled).await;
            done.map_err(|error| error.to_string())
        });
    }

    /// Removes a server that was added by itself, with its toolset (R121). It can be brought back for a while, with the toolsets.
    pub(crate) fn remove(self, server: &McpServerRead) {
        let (toolset, name) = (server.toolset_id.clone(), server.name.clone());
        self.settle("The server was not removed", async move |servers: Self| {
            toolsets::uninstall(&servers.storage.store(), &toolset).await.map_err(|error| error.to_string())?;
            let words = format!("{name} was removed. You can restore it on the Toolsets page for two days.");
            servers.notices.show(NoticeKind::Success, words);
            Ok(())
        });
    }

    /// Has a server connected anew.
    pub(crate) fn reconnect(self, key: String) {
        self.settle("The server was not reconnected", async move |servers: Self| {
            mcp::reconnect(&servers.storage.store(), &key).await.map_err(|error| error.to_string())
        });
    }

    /// Publishes a server in the place of what another browser has published there.
    pub(crate) fn publish(self, server: &McpServerRead) {
        let (key, config) = (server.id.clone(), server.config.clone());
        self.settle("The server was not published", async move |servers: Self| {
            let definition = serde_json::from_value(config).map_err(|error| error.to_string())?;
            mcp::publish(&servers.storage.store(), &key, &definition).await.map_err(|error| error.to_string())
        });
    }

    /// Has a server forgotten that another browser has published.
    pub(crate) fn withdraw(self, key: String) {
        self.settle("The server was not removed", async move |servers: Self| {
            mcp::withdraw(&servers.storage.store(), &key).await.map_err(|error| error.to_string())
        });
    }

    /// Leads to where the user signs in, in a tab of its own; the connection is made by itself afterwards. A browser may refuse to open one, and
    /// then there is a link to it.
    pub(crate) fn login(self, key: String) {
        self.settle("The login was not started", async move |servers: Self| {
            let address = mcp::login(&servers.storage.store(), &key).await.map_err(|error| error.to_string())?;
            if !["https://", "http://"].iter().any(|scheme| address.starts_with(scheme)) {
                return Err("the server names an address that is none of the web".into());
            }
            if !page::open_elsewhere(&address) {
                servers.logins.update(|logins| drop(logins.insert(key, address)));
            }
            Ok(())
        });
    }

    /// Where to sign in, if the browser did not open it.
    pub(crate) fn login_address(self, key: &str) -> Option<String> {
        self.logins.with(|logins| logins.get(key).cloned())
    }

    fn settle(self, otherwise: &'static str, doing: impl AsyncFnOnce(Self) -> Result<(), String> + 'static) {
        spawn(async move {
            if let Err(error) = doing(self).await {
                self.notices.show(NoticeKind::Error, format!("{otherwise}: {error}."));
            }
            self.toolsets.changed();
        });
    }
}
