//! One published server and the task that looks after it: connects, follows its list of tools, and tries again when it fails.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::SubscriptionFilter;
use satchel_core::catalog::ServerKey;
use satchel_core::protocol::{
    McpApproval, McpDefinition, McpIdentity, McpServerNotice, McpServerState, McpStatus, SecretName, ServerEvent,
};
use serde_json::Value;
use tokio::sync::Notify;

use super::connect::{self, Connected, Era, NotConnected, with_complaint};
use super::login::{Bearer, Place};
use super::placeholders::{Filled, Unfilled, mentioned};
use super::session::{Session, SessionError};
use super::{Fingerprint, Shared};
use crate::database::AccountId;
use crate::outbound::Trust;

/// How long is waited after the first failure, the second, and so on; the last holds from then on.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
];
/// A connection that held for so long was a good one: after it, the waiting begins anew.
const GOOD: Duration = Duration::from_secs(60);
/// How long is waited before changes are asked for again, when a server has ended telling of them.
const LISTEN_PAUSE: Duration = Duration::from_secs(30);

/// A published server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) account: AccountId,
    pub(super) key: ServerKey,
    pub(super) definition: McpDefinition,
    /// What has to be approved, of a command.
    pub(super) fingerprint: Option<Fingerprint>,
    standing: Mutex<Standing>,
    /// Somebody wants it connected anew, or something that it needs has changed.
    again: Notify,
}

#[derive(Clone, Debug)]
struct Standing {
    status: McpStatus,
    reason: Option<String>,
    identity: Option<McpIdentity>,
    tools: Vec<Value>,
    tools_version: u64,
    session: Option<Session>,
    /// What it said when it wanted a login.
    challenge: Option<String>,
}

impl Server {
    /// A server that is not looked after yet. Versions of lists go on where `tools_version` ended.
    pub(super) fn new(account: AccountId, key: ServerKey, definition: McpDefinition, tools_version: u64) -> Self {
        let fingerprint = Fingerprint::of(&definition);
        let standing = Standing {
            status: McpStatus::Connecting,
            reason: None,
            identity: None,
            tools: Vec::new(),
            tools_version,
            session: None,
            challenge: None,
        };
        Self { account, key, definition, fingerprint, standing: Mutex::new(standing), again: Notify::new() }
    }

    /// How it is doing, for the app.
    pub(super) fn state(&self, is_approved: bool) -> McpServerState {
        let standing = self.locked().clone();
        let approval = self.fingerprint.as_ref().map(|fingerprint| McpApproval {
            fingerprint: fingerprint.to_string(),
            approved: is_approved,
            line: format!("satchel mcp approve {fingerprint}"),
        });
        McpServerState {
            key: self.key.clone(),
            definition: self.definition.clone(),
            status: standing.status,
            reason: standing.reason,
            approval,
            identity: standing.identity,
            tools: standing.tools,
            tools_version: standing.tools_version,
        }
    }

    /// The session, while there is one; otherwise why there is none.
    pub(super) fn session(&self) -> Result<Session, String> {
        let standing = self.locked();
        standing
            .session
            .clone()
            .ok_or_else(|| standing.reason.clone().unwrap_or_else(|| "it is being connected".to_owned()))
    }

    pub(super) fn tools_version(&self) -> u64 {
        self.locked().tools_version
    }

    pub(super) fn challenge(&self) -> Option<String> {
        self.locked().challenge.clone()
    }

    /// Connects it anew.
    pub(super) fn connect_again(&self) {
        self.again.notify_one();
    }

    /// How it is doing before it is looked after: an unapproved command is so from the beginning.
    pub(super) fn begin(&self, shared: &Shared) {
        match shared.may_start(self) {
            true => self.set_status(shared, McpStatus::Connecting, None),
            false => self.set_status(shared, McpStatus::Error, Some(NOT_APPROVED.to_owned())),
        }
    }

    /// Says how it is doing, here and to the account's pages.
    fn set(&self, shared: &Shared, change: impl FnOnce(&mut Standing)) {
        let notice = {
            let mut standing = self.locked();
            change(&mut standing);
            McpServerNotice {
                key: self.key.clone(),
                status: Some(standing.status),
                reason: standing.reason.clone(),
                tools_version: standing.tools_version,
            }
        };
        shared.events.tell_account(&self.account, &ServerEvent::McpServer(notice));
    }

    fn set_status(&self, shared: &Shared, status: McpStatus, reason: Option<String>) {
        self.set(shared, |standing| {
            standing.status = status;
            standing.reason = reason;
            standing.session = None;
        });
    }

    fn set_tools(&self, shared: &Shared, tools: Vec<Value>) {
        self.set(shared, |standing| {
            if standing.tools != tools || standing.tools_version == 0 {
                standing.tools = tools;
                standing.tools_version += 1;
            }
        });
    }

    fn locked(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks after the server until the task is ended.
    pub(super) async fn look_after(self: Arc<Self>, shared: Arc<Shared>) {
        let mut failures = 0;
        let mut learnt = Learnt::default();
        loop {
            let begun = Instant::now();
            let outcome = self.connect_and_stay(&shared, &mut learnt).await;
            if begun.elapsed() > GOOD {
                failures = 0;
            }
            match outcome {
                Ok(()) => failures = 0,
                Err(NotConnected::Refused(reason)) => {
                    self.set_status(&shared, McpStatus::Error, Some(reason));
                    self.again.notified().await;
                }
                Err(NotConnected::RequiresLogin { challenge }) => {
                    self.locked().challenge = challenge;
                    let reason = "it needs a login; sign in to connect it".to_owned();
                    self.set_status(&shared, McpStatus::RequiresAuth, Some(reason));
                    self.again.notified().await;
                }
                Err(NotConnected::Failed(reason)) => {
                    let pause = PAUSES[failures.min(PAUSES.len() - 1)];
                    failures += 1;
                    let reason = format!("{reason} (tried again after {} s)", pause.as_secs());
                    self.set_status(&shared, McpStatus::Error, Some(reason));
                    tokio::select! {
                        () = tokio::time::sleep(pause) => {}
                        () = self.again.notified() => failures = 0,
                    }
                }
            }
        }
    }

    /// Connects and stays connected; ends well when somebody wants it connected anew.
    async fn connect_and_stay(&self, shared: &Arc<Shared>, learnt: &mut Learnt) -> Result<(), NotConnected> {
        let mut approvals = shared.approvals.subscribe();
        approvals.mark_unchanged();
        if !shared.may_start(self) {
            self.set_status(shared, McpStatus::Error, Some(NOT_APPROVED.to_owned()));
            // Only an approval makes a difference.
            loop {
                tokio::select! {
                    changed = approvals.changed() => if changed.is_err() { return std::future::pending().await },
                    () = self.again.notified() => {}
                }
                if shared.may_start(self) {
                    return Ok(());
                }
            }
        }
        self.set_status(shared, McpStatus::Connecting, None);
        let filled = self.fill(shared).await?;
        let attempt = tokio::time::timeout(shared.limits.start, self.connect(shared, &filled, learnt.era));
        let connected = attempt.await.unwrap_or_else(|_| {
            let seconds = shared.limits.start.as_secs();
            Err(NotConnected::Failed(format!("it did not respond within {seconds} seconds")))
        });
        let redacted = |outcome: NotConnected| match outcome {
            NotConnected::Failed(reason) => NotConnected::Failed(filled.redact(reason)),
            NotConnected::Refused(reason) => NotConnected::Refused(filled.redact(reason)),
            login @ NotConnected::RequiresLogin { .. } => login,
        };
        let connected = connected.map_err(|outcome| {
            if matches!(outcome, NotConnected::Failed(_)) {
                // One that ended over a question of the newer era is asked in the older one the next time, and the other way round.
                learnt.era = if learnt.era == Era::Either { Era::Older } else { Era::Either };
            }
            redacted(outcome)
        })?;
        learnt.era = if connected.session.is_modern() { Era::Either } else { Era::Older };
        let tools = match list_tools(shared, &connected.session).await {
            // There are servers that let everybody in and ask only now.
            Err(NotConnected::RequiresLogin { .. }) if connected.bearer.renew().await => {
                list_tools(shared, &connected.session).await
            }
            outcome => outcome,
        };
        let tools = tools.map_err(redacted)?;
        self.set(shared, |standing| {
            standing.status = McpStatus::Connected;
            standing.reason = None;
            standing.identity = connected.session.identity();
            standing.session = Some(connected.session.clone());
            standing.challenge = None;
            if standing.tools != tools || standing.tools_version == 0 {
                standing.tools = tools;
                standing.tools_version += 1;
            }
        });
        self.stay(shared, connected, &mut approvals, learnt).await.map_err(redacted)
    }

    /// What it is started or reached with: its definition with every value in it, and those of the operator's file where it stands for a server of
    /// that.
    pub(super) async fn fill(&self, shared: &Shared) -> Result<Filled, NotConnected> {
        let lent = shared.operator.find(&self.definition);
        let whole = lent.map_or(&self.definition, |lent| &lent.whole);
        let passed_on = (self.fingerprint.is_some() || lent.is_some()).then_some(&shared.passed_on);
        let filled =
            Filled::new(whole, &shared.vault, &self.account, passed_on).await.map_err(|error| match error {
                Unfilled::Failed => NotConnected::Failed(error.to_string()),
                Unfilled::NoValue(_) | Unfilled::Damaged(_) | Unfilled::Decides(_) => {
                    NotConnected::Refused(error.to_string())
                }
            })?;
        Ok(filled.hiding(lent.into_iter().flat_map(|lent| &lent.values)))
    }

    /// Whether a secret of the account is used by it.
    pub(super) fn uses(&self, shared: &Shared, name: &SecretName) -> bool {
        let lent = shared.operator.find(&self.definition);
        mentioned(lent.map_or(&self.definition, |lent| &lent.whole)).any(|found| found == *name)
    }

    async fn connect(&self, shared: &Shared, filled: &Filled, era: Era) -> Result<Connected, NotConnected> {
        match &filled.definition {
            McpDefinition::Command { .. } => {
                connect::to_command(&shared.children, filled, era, shared.limits.message_bytes).await
            }
            McpDefinition::Url { url, .. } => {
                let place = shared.place(self, url)?;
                connect::to_address(place, filled, era, shared.limits.message_bytes).await
            }
        }
    }

    /// Follows changes until the connection ends, the approval is taken back, or it is to be made anew.
    async fn stay(
        &self,
        shared: &Arc<Shared>,
        connected: Connected,
        approvals: &mut tokio::sync::watch::Receiver<super::Approvals>,
        learnt: &mut Learnt,
    ) -> Result<(), NotConnected> {
        let Connected { session, running, list_changed, complaint, bearer } = connected;
        let mut ended = std::pin::pin!(running.waiting());
        let mut listening = std::pin::pin!(listen(&session, &list_changed));
        loop {
            tokio::select! {
                _ = &mut ended => {
                    let reason = with_complaint("it has ended".to_owned(), complaint.as_ref()).await;
                    return Err(NotConnected::Failed(reason));
                }
                () = list_changed.notified() => {
                    match list_tools(shared, &session).await {
                        Ok(tools) => self.set_tools(shared, tools),
                        Err(NotConnected::RequiresLogin { challenge }) => return learnt.ask_for_login(&session, &bearer, challenge).await,
                        Err(NotConnected::Failed(reason) | NotConnected::Refused(reason)) => {
                            tracing::debug!(reason, "an MCP server's changed list could not be read");
                        }
                    }
                }
                challenge = session.wants_login() => return learnt.ask_for_login(&session, &bearer, Some(challenge)).await,
                changed = approvals.changed() => {
                    if changed.is_err() || !shared.may_start(self) {
                        return Ok(());
                    }
                }
                () = self.again.notified() => return Ok(()),
                () = &mut listening => {}
            }
        }
    }
}

/// What earlier attempts have taught of a server.
#[derive(Clone, Copy, Debug, Default)]
struct Learnt {
    /// The era that it was of.
    era: Era,
    /// Its login was renewed because it was refused, and has served for nothing since.
    renewed: bool,
}

impl Learnt {
    /// A login was refused in mid-session. It is renewed once and the connection made anew; when that does not help, or there is none, somebody
    /// has to sign in.
    async fn ask_for_login(
        &mut self,
        session: &Session,
        bearer: &Bearer,
        challenge: Option<String>,
    ) -> Result<(), NotConnected> {
        let is_worth_it = !self.renewed || session.has_served();
        self.renewed = is_worth_it && bearer.renew().await;
        if self.renewed { Ok(()) } else { Err(NotConnected::RequiresLogin { challenge }) }
    }
}

/// The tools of a session, if they arrive in time.
async fn list_tools(shared: &Shared, session: &Session) -> Result<Vec<Value>, NotConnected> {
    let listed = tokio::time::timeout(shared.limits.start, session.tools()).await;
    Ok(listed.unwrap_or(Err(SessionError::Useless("its list of tools did not arrive")))?)
}

/// Why an unapproved command does nothing.
pub(super) const NOT_APPROVED: &str = "waiting for the operator's approval";

impl Shared {
    /// Whether a server may be contacted: a command only if the operator has approved exactly this one.
    pub(super) fn may_start(&self, server: &Server) -> bool {
        match &server.fingerprint {
            Some(fingerprint) => self.operator.approves(fingerprint) || self.approvals.borrow().contains(fingerprint),
            None => true,
        }
    }

    /// Where a server on the web is, and whose login holds there.
    pub(super) fn place(&self, server: &Server, url: &str) -> Result<Place, NotConnected> {
        let trust = if self.operator.find(&server.definition).is_some() { Trust::Operator } else { Trust::Account };
        Ok(Place {
            outbound: self.outbound.clone(),
            vault: self.vault.clone(),
            account: server.account.clone(),
            key: server.key.clone(),
            address: connect::address(url, self.outbound.rules(), trust)?,
            trust,
        })
    }
}

/// Asks a server of the newer era to tell of changes; one of the older era does so by itself. It never ends.
async fn listen(session: &Session, list_changed: &Notify) {
    if !session.is_modern() || !session.tells_changes() {
        return std::future::pending().await;
    }
    loop {
        if let Ok(mut subscription) =
            session.peer().listen(SubscriptionFilter::builder().tools_list_changed().build()).await
        {
            while let Ok(Some(_)) = subscription.next().await {
                list_changed.notify_one();
            }
        }
        tokio::time::sleep(LISTEN_PAUSE).await;
    }
}
