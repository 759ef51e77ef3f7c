//! The hub: an account's equipped saved toolset, offered to other programs as one MCP server at `/mcp`.
//!
//! What is offered is what the app has published, and of that what is still the same: a tool that its server has changed since is withheld
//! until the app has published it anew. Calls go to the MCP server that gives the tool, or are requests to hosts, made as for the app
//! ([`http_tools`](crate::http_tools)). What manages saved toolsets is offered as in the app, in configuration mode; what other programs
//! change so is kept until the app has taken it over ([`api`]). rmcp speaks the protocol, in both of its eras; the guard has checked the Host,
//! the Origin and the token before a request comes here.

pub mod api;
mod session;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use satchel_core::catalog::{ToolId, Unavailable};
use satchel_core::counted::counted;
use satchel_core::http_tool::{TooSoon, count_call};
use satchel_core::protocol::{HubProvider, HubPut, HubState, HubTool, McpCallResult, ServerEvent};
use satchel_core::saved::{Hub as Knowledge, HubHttpCall, HubOffer, Management, http_secrets};
use satchel_core::time::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::database::{AccountId, Database, DatabaseError};
use crate::events::Events;
use crate::http_tools::{HttpTools, now};
use crate::mcp::Mcp;
use session::Session;

/// Most changes that wait for the app.
const MOST_CHANGES: usize = 1_000;

/// The hubs of all accounts; clones share them.
#[derive(Clone, Debug)]
pub struct Hub {
    shared: Arc<Shared>,
}

/// What hubs are put together from.
#[derive(Debug)]
pub struct HubParts {
    /// Where what is published is kept.
    pub database: Database,
    /// The MCP servers.
    pub mcp: Mcp,
    /// What carries out calls of HTTP tools.
    pub http_tools: HttpTools,
    /// Ids of the toolsets that the operator does not allow (C48).
    pub disabled_toolsets: Vec<String>,
    /// What is told to the accounts' pages.
    pub events: Events,
}

#[derive(Debug)]
struct Shared {
    parts: HubParts,
    /// When tools were called that may be called only so often (R099).
    paces: Mutex<Paces>,
    /// Ends every session.
    stop: CancellationToken,
    served: Mutex<HashMap<AccountId, Service>>,
    /// Who changes a hub reads it before; one at a time.
    changing: tokio::sync::Mutex<()>,
}

type Paces = HashMap<(AccountId, ToolId), Vec<Timestamp>>;

/// One account's endpoint: its sessions are its own.
#[derive(Clone)]
struct Service(StreamableHttpService<Session, LocalSessionManager>);

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Service")
    }
}

impl Hub {
    /// Puts the hubs together.
    #[must_use]
    pub fn new(parts: HubParts) -> Self {
        let shared = Shared {
            parts,
            paces: Mutex::default(),
            stop: CancellationToken::new(),
            served: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Ends every session, and lets none begin.
    pub fn close(&self) {
        self.shared.stop.cancel();
    }

    /// Answers a request of another program.
    pub async fn serve(&self, account: AccountId, request: Request) -> Response {
        let service = self.service(account);
        service.0.handle(request).await.map(Body::new)
    }

    fn service(&self, account: AccountId) -> Service {
        let mut served = self.locked();
        let hub = Arc::downgrade(&self.shared);
        let make = || {
            let of = account.clone();
            let session = move || {
                let shared = hub.upgrade().ok_or_else(|| std::io::Error::other("the server is stopping"))?;
                Ok(Session::new(Self { shared }, of.clone()))
            };
            // Host and Origin are the guard's to check, which knows the names that the server goes by.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .with_cancellation_token(self.shared.stop.child_token());
            Service(StreamableHttpService::new(session, Arc::default(), config))
        };
        served.entry(account.clone()).or_insert_with(make).clone()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<AccountId, Service>> {
        self.shared.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an account's hub is, as it was kept.
    async fn state(&self, account: &AccountId) -> Result<HubState, DatabaseError> {
        self.shared.parts.database.hub(account).await
    }

    /// What an account's hub knows now.
    async fn look(&self, account: &AccountId) -> Result<Knowledge, DatabaseError> {
        let state = self.state(account).await?;
        let secrets = self.shared.parts.http_tools.secret_names(account).await?;
        Ok(Knowledge::of(&state, &|tool| self.live(account, tool, &secrets)))
    }

    /// The definition that a tool has now, or why it cannot be called.
    fn live(&self, account: &AccountId, tool: &HubTool, secrets: &BTreeSet<String>) -> Result<Value, String> {
        let HubParts { mcp, disabled_toolsets, .. } = &self.shared.parts;
        let toolset = tool.id.toolset();
        if disabled_toolsets.iter().any(|id| id == toolset.as_str()) {
            return Err(Unavailable::DisabledByAdministrator.to_string());
        }
        match &tool.provider {
            HubProvider::Mcp { server, tool } => mcp.live_tool(account, server, tool),
            HubProvider::Http { definition, time_limit_ms: _ } => {
                let mut wanted = http_secrets(definition, &tool.received)?;
                wanted.retain(|name| !secrets.contains(name));
                let missing = Unavailable::SecretsMissing(Vec::new());
                if wanted.is_empty() {
                    Ok(tool.received.clone())
                } else {
                    Err(format!("{missing}: {}", wanted.join(", ")))
                }
            }
        }
    }

    /// Has a tool called by whoever gives it.
    async fn call(
        &self,
        account: &AccountId,
        offer: &HubOffer,
        arguments: Map<String, Value>,
    ) -> Result<McpCallResult, String> {
        let HubParts { mcp, http_tools, .. } = &self.shared.parts;
        match &offer.provider {
            HubProvider::Mcp { server, tool } => mcp.call_alone(account, server, tool.clone(), arguments).await,
            HubProvider::Http { definition, time_limit_ms } => {
                let call = HubHttpCall::read(&offer.received, definition, *time_limit_ms, arguments)?;
                if let Some(most) = call.most_a_minute {
                    self.count(account, &offer.id, most)?;
                }
                let (end, body) = http_tools.call(account, &call.call).await.map_err(|refusal| refusal.sentence())?;
                Ok(call.result(end, body))
            }
        }
    }

    /// Forgets when tools of an account were called, but for those that it still has.
    fn forget_paces(&self, account: &AccountId, tools: &[HubTool]) {
        let kept: BTreeSet<&ToolId> = tools.iter().map(|tool| &tool.id).collect();
        self.paces().retain(|(owner, tool), _| owner != account || kept.contains(tool));
    }

    fn paces(&self) -> MutexGuard<'_, Paces> {
        self.shared.paces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call, if there may be one more now.
    fn count(&self, account: &AccountId, tool: &ToolId, most: u32) -> Result<(), String> {
        let mut paces = self.paces();
        let recent = paces.entry((account.clone(), tool.clone())).or_default();
        count_call(recent, most, now()).map_err(|TooSoon { seconds }| {
            format!("it is limited to {} per minute; the next call is possible in {seconds} s", counted(most, "call"))
        })
    }

    /// Does what a management tool is called for, and keeps what it changes.
    async fn manage(&self, account: &AccountId, tool: Management, arguments: &Value) -> Result<Value, DatabaseError> {
        let _one_at_a_time = self.shared.changing.lock().await;
        let (answer, changes, mode) = self.look(account).await?.manage(tool, arguments, now());
        let mut state = self.state(account).await?;
        if changes.is_empty() && state.mode == mode {
            return Ok(answer);
        }
        if state.changes.len() + changes.len() > MOST_CHANGES {
            let error = "too much was changed since Satchel was last open; open it, so that it can save the changes";
            return Ok(serde_json::json!({"success": false, "error": error}));
        }
        state.revision += changes.len() as u64;
        state.changes.extend(changes);
        state.mode = mode;
        self.shared.parts.database.put_hub(account, &state).await?;
        self.shared.parts.events.tell_account(account, &ServerEvent::HubChanged);
        Ok(answer)
    }

    /// Takes what the app publishes. Changes that it has not seen yet stay.
    async fn publish(&self, account: &AccountId, put: HubPut) -> Result<(), DatabaseError> {
        let _one_at_a_time = self.shared.changing.lock().await;
        let mut state = self.state(account).await?;
        let before = state.revision.saturating_sub(state.changes.len() as u64);
        let seen = usize::try_from(put.taken.saturating_sub(before)).unwrap_or(usize::MAX);
        state.changes.drain(..seen.min(state.changes.len()));
        self.forget_paces(account, &put.publication.tools);
        state.published = Some(put.publication);
        self.shared.parts.database.put_hub(account, &state).await?;
        self.shared.parts.events.note(account);
        Ok(())
    }

    async fn withdraw(&self, account: &AccountId) -> Result<(), DatabaseError> {
        let _one_at_a_time = self.shared.changing.lock().await;
        self.shared.parts.database.delete_hub(account).await?;
        self.forget_paces(account, &[]);
        self.shared.parts.events.note(account);
        Ok(())
    }

    /// Tells of every account about which something is new.
    fn news(&self) -> broadcast::Receiver<AccountId> {
        self.shared.parts.events.news()
    }
}
