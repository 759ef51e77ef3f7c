//! MCP for the app: this server is the client of the MCP servers that an account has published (R261).
//!
//! A definition is published under its key and looked after by a task of its own ([`server`]): it connects ([`connect`]), follows the list
//! of tools and tries again when it fails. A command is started only if the operator has approved exactly this one ([`Fingerprint`]), in
//! the operator's own file ([`OperatorServers`]) or by `satchel mcp approve`; nothing that comes in through the API can do that. Messages
//! pass [`tap`], where what a server said is kept as it was received; [`call`] keeps calls apart.
//!
//! What it is not: no tool is judged here. Whether one may run is decided in the app, before it is called.

pub mod api;
mod call;
mod child;
mod commands;
mod connect;
mod event_stream;
mod fingerprint;
mod handler;
mod http;
pub mod hub;
mod lines;
mod login;
mod message_id;
mod old_sse;
mod operator_file;
mod placeholders;
mod server;
mod session;
mod stdio;
mod tap;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use satchel_core::catalog::ServerKey;
use satchel_core::protocol::{
    ClientId, McpCallResult, McpDefinition, McpInputRequest, McpOffer, McpServerNotice, McpServerState, SecretName,
    ServerEvent,
};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::config::Limits;
use crate::database::{AccountId, Database, DatabaseError};
use crate::events::Events;
use crate::outbound::Outbound;
use crate::vault::Vault;
use call::{Call, Calls};
use child::Children;
use login::Logins;
use server::Server;

pub use commands::{McpCommandError, approve, list, revoke};
pub use fingerprint::Fingerprint;
pub use login::CALLBACK;
pub use operator_file::{OperatorFileError, OperatorServers};
pub use placeholders::PassedOn;

/// How often is looked whether another process has approved something or taken it back.
const LOOK: Duration = Duration::from_millis(500);
/// How long commands have to end when the server stops.
const STOP_WITHIN: Duration = Duration::from_secs(6);

/// The fingerprints that are approved.
type Approvals = Arc<HashSet<Fingerprint>>;

/// The MCP servers of all accounts; clones share them.
#[derive(Clone, Debug)]
pub struct Mcp {
    shared: Arc<Shared>,
}

/// What MCP is put together from.
#[derive(Debug)]
pub struct McpParts {
    /// Where definitions and approvals are.
    pub database: Database,
    /// Where secrets and logins are.
    pub vault: Vault,
    /// The way out.
    pub outbound: Outbound,
    /// Who is told of changes.
    pub events: Events,
    /// The operator's own file.
    pub operator: OperatorServers,
    /// What of the server's environment may be passed on.
    pub passed_on: PassedOn,
    /// The origin that people open, for logins to come back to.
    pub origin: String,
    /// How much and how long.
    pub limits: Limits,
}

#[derive(Debug)]
struct Shared {
    database: Database,
    vault: Vault,
    outbound: Outbound,
    events: Events,
    operator: OperatorServers,
    passed_on: PassedOn,
    origin: String,
    limits: McpLimits,
    approvals: watch::Sender<Approvals>,
    children: Children,
    calls: Calls,
    logins: Logins,
    servers: Mutex<Servers>,
}

#[derive(Debug, Default)]
struct Servers {
    looked_after: BTreeMap<(AccountId, ServerKey), LookedAfter>,
    /// The server is stopping.
    stopped: bool,
}

#[derive(Debug)]
struct LookedAfter {
    server: Arc<Server>,
    task: AbortHandle,
}

#[derive(Clone, Copy, Debug)]
struct McpLimits {
    message_bytes: usize,
    start: Duration,
    call: Duration,
}

impl Drop for LookedAfter {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Mcp {
    /// Puts MCP together; nothing is connected yet.
    pub async fn new(parts: McpParts) -> Result<Self, DatabaseError> {
        let approvals = Arc::new(parts.database.mcp_approvals().await?);
        let seconds = |seconds: std::num::NonZeroU32| Duration::from_secs(seconds.get().into());
        let limits = McpLimits {
            message_bytes: usize::try_from(parts.limits.mcp_message_bytes.get()).unwrap_or(usize::MAX),
            start: seconds(parts.limits.mcp_start_seconds),
            call: seconds(parts.limits.mcp_call_seconds),
        };
        let shared = Shared {
            database: parts.database,
            vault: parts.vault,
            outbound: parts.outbound,
            events: parts.events,
            operator: parts.operator,
            passed_on: parts.passed_on,
            origin: parts.origin,
            limits,
            approvals: watch::Sender::new(approvals),
            children: Children::default(),
            calls: Calls::default(),
            logins: Logins::default(),
            servers: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Begins to look after everything that was published, and to watch for approvals.
    pub async fn start(&self) -> Result<(), DatabaseError> {
        for published in self.shared.database.mcp_servers().await? {
            self.look_after(published.account, published.key, published.definition);
        }
        let shared = Arc::downgrade(&self.shared);
        let mut seen = None;
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK).await;
                let Some(shared) = shared.upgrade() else { return };
                if shared.locked().stopped {
                    return;
                }
                match shared.look_for_approvals(&mut seen).await {
                    Ok(()) => {}
                    Err(DatabaseError::Closed) => return,
                    Err(error) => tracing::warn!(%error, "cannot look whether commands were approved"),
                }
            }
        });
        Ok(())
    }

    /// Ends every session and every command, and lets none begin.
    pub async fn stop(&self) {
        {
            let mut servers = self.shared.locked();
            servers.stopped = true;
            servers.looked_after.clear();
        }
        if tokio::time::timeout(STOP_WITHIN, self.shared.children.all_ended()).await.is_err() {
            tracing::warn!("some MCP servers did not end in time");
        }
    }

    /// What the operator's file offers.
    #[must_use]
    pub fn offers(&self) -> Vec<McpOffer> {
        self.shared.operator.offers(&self.shared.passed_on)
    }

    /// The forms that wait for an answer of a client.
    #[must_use]
    pub fn waiting_forms(&self, account: &AccountId, client: &ClientId) -> Vec<McpInputRequest> {
        self.shared.calls.waiting(account, client)
    }

    /// A secret was entered, changed or removed: what uses it is connected anew.
    pub fn secret_changed(&self, account: &AccountId, name: &SecretName) {
        for looked_after in self.shared.locked().looked_after.values() {
            let server = &looked_after.server;
            if server.account == *account && server.uses(&self.shared, name) {
                server.connect_again();
            }
        }
    }

    fn states(&self, account: &AccountId) -> Vec<McpServerState> {
        let servers = self.shared.locked();
        let own = servers.looked_after.values().filter(|looked_after| looked_after.server.account == *account);
        own.map(|looked_after| self.shared.state(&looked_after.server)).collect()
    }

    /// The definition that a tool of a server has now, or why it cannot be called.
    pub(crate) fn live_tool(&self, account: &AccountId, key: &ServerKey, tool: &str) -> Result<Value, String> {
        let server = self.find(account, key).ok_or_else(|| "Its MCP server is not published".to_owned())?;
        server.session().map_err(|reason| format!("Not connected: {reason}"))?;
        let found = self.shared.state(&server).tools.into_iter().find(|found| found["name"] == tool);
        found.ok_or_else(|| "Its MCP server no longer offers it".to_owned())
    }

    /// Calls a tool where no page is there to fill in forms: they are declined.
    pub(crate) async fn call_alone(
        &self,
        account: &AccountId,
        key: &ServerKey,
        tool: String,
        arguments: Map<String, Value>,
    ) -> Result<McpCallResult, String> {
        let server = self.find(account, key).ok_or_else(|| "its MCP server is not published".to_owned())?;
        let session = server.session().map_err(|reason| format!("its MCP server is not connected: {reason}"))?;
        let call = Call::alone(account, server.key.clone(), self.shared.events.clone());
        tokio::select! {
            outcome = session.call(&call, tool, arguments) => outcome.map_err(|error| error.to_string()),
            () = call.goes_too_far() => Err("the tool asked for more input than it may".to_owned()),
            () = call.is_overdue(self.shared.limits.call) => {
                Err(format!("nothing came from the tool for {} seconds; the call was cancelled", self.shared.limits.call.as_secs()))
            }
        }
    }

    fn find(&self, account: &AccountId, key: &ServerKey) -> Option<Arc<Server>> {
        let servers = self.shared.locked();
        servers.looked_after.get(&(account.clone(), key.clone())).map(|looked_after| Arc::clone(&looked_after.server))
    }

    /// Looks after a definition; one that is looked after already, and has not changed, is left alone.
    fn look_after(&self, account: AccountId, key: ServerKey, definition: McpDefinition) -> Arc<Server> {
        let mut servers = self.shared.locked();
        let place = (account.clone(), key.clone());
        let before = servers.looked_after.get(&place).map(|looked_after| &looked_after.server);
        if let Some(before) = before
            && before.definition == definition
        {
            return Arc::clone(before);
        }
        let tools_version = before.map_or(0, |before| before.tools_version() + 1);
        let server = Arc::new(Server::new(account, key, definition, tools_version));
        if servers.stopped {
            return server;
        }
        server.begin(&self.shared);
        let task = tokio::spawn(Arc::clone(&server).look_after(Arc::clone(&self.shared))).abort_handle();
        servers.looked_after.insert(place, LookedAfter { server: Arc::clone(&server), task });
        server
    }

    fn withdraw(&self, account: &AccountId, key: &ServerKey) {
        let removed = self.shared.locked().looked_after.remove(&(account.clone(), key.clone()));
        if let Some(removed) = removed {
            let tools_version = removed.server.tools_version();
            let notice = McpServerNotice { key: key.clone(), status: None, reason: None, tools_version };
            self.shared.events.tell_account(account, &ServerEvent::McpServer(notice));
        }
    }
}

impl Shared {
    fn state(&self, server: &Server) -> McpServerState {
        server.state(self.may_start(server))
    }

    async fn look_for_approvals(&self, seen: &mut Option<i64>) -> Result<(), DatabaseError> {
        let version = self.database.data_version().await?;
        if *seen != Some(version) {
            let approvals = self.database.mcp_approvals().await?;
            *seen = Some(version);
            self.approvals.send_if_modified(|current| {
                let changed = **current != approvals;
                if changed {
                    *current = Arc::new(approvals);
                }
                changed
            });
        }
        Ok(())
    }

    fn locked(&self) -> MutexGuard<'_, Servers> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
