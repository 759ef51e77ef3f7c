//! One call of a tool, from its name to its record, over a store and whoever carries it out: Python in its cage, a function that is
//! compiled in ([`builtin`]), an MCP server, or a host on the network ([`http_tool`](crate::http_tool)).
//!
//! The order is that of R075 and is to be read in [`Runner::run`]: the tool is found, its arguments are checked, the user is asked
//! where the tool asks, a row says that it runs, its files are laid out, it is called, and what came of it is captured: the changed
//! files, the state they make, how the result is shown, and the row, all in one commit. Whatever happens between the two commits, the
//! store holds the state before and a row that says `running`, which [`interrupt_left`] ends.

mod again;
mod arguments;
mod capture;
mod chat;
mod clearance;
#[cfg(test)]
pub(crate) mod counted_turns;
mod ending;
mod found;
mod http;
mod interrupted;
mod limits;
mod metrics;
mod noted;
mod pending;
mod results;
mod spill;
mod spoken;
#[cfg(test)]
mod tests;
mod turns;
mod unmade;

pub use again::{Again, Rerunner};
pub use interrupted::{chats_left_running, interrupt_left};
pub use limits::RunLimits;
pub use metrics::count_call;
pub use pending::Pending;
pub use results::keep_results;
pub use spill::{Produced, Spill, spill};
pub use spoken::{Spoken, is_invoked_by_user};
pub use turns::{Turn, Turns, Waiting};
pub use unmade::{Unmade, unmade};

use serde_json::Value;

use crate::approval::{Answer, ApprovalRequest};
use crate::builtin::{self, View};
use crate::catalog::{EffectiveTool, Surroundings, ToolId, Unavailable};
use crate::conversation::OpenError;
use crate::http_tool::CallHttp;
use crate::ids::{ChatId, IdError, ManifestId, MessageId, ToolCallId};
use crate::mcp::CallServer;
use crate::python::CallPython;
use crate::record::{CallStatus, Chat, RowKey, ToolCall};
use crate::saved::{self, Kept, Management};
use crate::schema::Misfits;
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;
use crate::workspace::ReadError;

use chat::{Before, Scene};
use clearance::Cleared;
use ending::Ended;
use found::{Errand, Found};
use noted::Noted;
use pending::{has_waited, with_row};

/// What is needed to run tools.
pub struct Runner<'a, S, P: ?Sized> {
    /// Where everything is read and written.
    pub store: &'a S,
    /// Who calls Python.
    pub python: &'a P,
    /// Who calls MCP servers.
    pub servers: &'a dyn CallServer,
    /// Who asks hosts on the network.
    pub http: &'a dyn CallHttp,
    /// Who may run tools in a chat, and change it.
    pub turns: &'a dyn Turns,
    /// What the device and its server can do.
    pub surroundings: &'a Surroundings,
    /// How large and how long things may be.
    pub limits: &'a RunLimits,
    /// The time; a call takes some.
    pub now: &'a dyn Fn() -> Timestamp,
    /// Gives a fresh UUID of version 7 with every call.
    pub fresh_id: &'a dyn Fn() -> String,
}

/// A call that someone wants.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRequest {
    /// The id it will have, fresh.
    pub id: ToolCallId,
    /// The id that whoever asks has given it; it names the call in the answer, and may repeat.
    pub call_id: Option<String>,
    /// The toolset, by its id or its second name.
    pub toolset: String,
    /// The tool's id within it.
    pub tool: String,
    /// What to call it with.
    pub arguments: Value,
    /// The chat; without one, the scratch chat.
    pub chat: Option<ChatId>,
    /// The message that asks for it, where there is one already.
    pub message: Option<MessageId>,
    /// The messages it becomes, where the user makes it in a conversation. A chat that is not there yet then begins with it.
    pub spoken: Option<Spoken>,
    /// What the user has said about it.
    pub permission: Permission,
}

/// What the user has said about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Permission {
    /// Nothing yet.
    Unasked,
    /// That this one call may be made, whatever it is (`approved: true` of the local API).
    Once,
    /// An answer to an [`ApprovalRequest`].
    Answered(Answer),
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum RunOutcome {
    /// The call is over, and recorded.
    Finished(Box<Finished>),
    /// The user has to be asked first. Nothing was recorded, nothing of the tool ran. Whoever asks may record meanwhile that the call
    /// waits ([`Pending`]).
    ApprovalNeeded(Box<ApprovalRequest>),
}

/// A call that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Its row, as it is stored.
    pub call: ToolCall,
    /// Its result, whole, also where the row has only the name of it.
    pub result: Option<Value>,
    /// What of the arguments did not fit.
    pub misfits: Option<Misfits>,
    /// Whether it was over before, so that nothing ran this time.
    pub repeated: bool,
}

/// Why a call was not made, or could not be recorded. Nothing was recorded of a call that was not made.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No such toolset.
    #[error("no toolset {0:?} is installed")]
    NoToolset(String),
    /// No such tool.
    #[error("the toolset {toolset} has no tool {tool:?}")]
    NoTool {
        /// The toolset.
        toolset: String,
        /// The tool that was named.
        tool: String,
    },
    /// It cannot be used.
    #[error("{tool} cannot be used: {reason}")]
    Unavailable {
        /// The tool.
        tool: ToolId,
        /// Why.
        reason: Unavailable,
    },
    /// No such chat.
    #[error("there is no chat {0}")]
    NoChat(ChatId),
    /// The same id came with another tool or other arguments.
    #[error("the tool_call_id {0:?} was already used in this chat; give every call its own id")]
    CallIdTaken(String),
    /// The same call was begun on another device.
    #[error(
        "the call {0:?} was begun on another device, which has not said how it ended; give this one an id of its own"
    )]
    RunsElsewhere(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The chat's files cannot be looked at.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The chat's files cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A fresh id was none.
    #[error(transparent)]
    Id(#[from] IdError),
}

impl<S: Store, P: CallPython + ?Sized> Runner<'_, S, P> {
    /// Makes a call, if it may be made.
    ///
    /// A request with the `call_id`, tool and arguments of a call that has run in the same chat is not carried out again: it gets the
    /// answer of then (`repeated`), so that whoever did not hear the answer can ask for it. A call that was refused before it ran may be
    /// tried again under its id.
    pub async fn run(&self, request: RunRequest) -> Result<RunOutcome, RunError> {
        let found = Found::of(self.store, &request.toolset, &request.tool).await?;
        let tool = found.effective(self.surroundings)?;
        let scene = Scene::of(self, &request, &tool).await?;
        let mut call = self.row(&request, &tool.declared.tool_id, &scene);
        call.package = found.package(&tool);
        let noted = Noted::of(self.store, &request, &call, &tool, &scene).await?;
        let cleared = self.clear(request, &found, &tool, &scene, &noted, &mut call).await;
        let Cleared { before, errand, remember } = match cleared {
            Ok(cleared) => cleared,
            Err(halt) => return self.halt(halt, scene, &noted, call).await,
        };

        call.started_at = (self.now)();
        call.pre_manifest_id = Some(before.manifest.id.clone());
        // That a call runs may be lost in a power cut, as the run then is; what the user answered or said may not.
        let asks = scene.asks(&tool.declared.tool_id, &call);
        let is_missed = !remember.puts.is_empty() || !asks.puts.is_empty();
        let begins = if is_missed { Commit::default() } else { Commit::relaxed() };
        let commit = begins.then(scene.create.clone()).then(before.create.clone()).then(remember).then(asks);
        let mark = interrupted::mark(&call, scene.spoken.as_ref());
        let commit = with_row(commit, noted.waited.as_ref(), &call).put(&mark);
        self.store.apply(commit, call.started_at).await?;

        let ended = self.carry_out(errand, &tool, &call, &before).await;
        let _turn = self.turns.to_change(scene.chat_id()).await;
        let finished = self.capture(&found, &tool, call, &scene, before, ended).await?;
        Ok(RunOutcome::Finished(Box::new(finished)))
    }

    /// Has the tool do what it does.
    async fn carry_out(&self, errand: Errand, tool: &EffectiveTool<'_>, call: &ToolCall, before: &Before) -> Ended {
        match errand {
            Errand::Python(python) => Ended::of(self.python.call(*python).await, tool.declared, self.limits),
            Errand::Builtin(builtin) => {
                let view = View::new(self.store, &before.files, &self.limits.builtin, self.now);
                Ended::of_builtin(builtin::run(builtin, call.args.clone(), view).await, self.limits)
            }
            Errand::Manage(tool) => Ended::of_managing(self.manage(tool, call).await, self.limits),
            Errand::Mcp(server_call) => {
                Ended::of_server(self.servers.call(*server_call).await, &call.id, tool.declared, self.limits)
            }
            Errand::Http(http) => {
                let rule = http.tool.last().response.clone();
                Ended::of_http(self.http.call(*http).await, &rule, &call.id, tool.declared, self.limits)
            }
        }
    }

    /// Manages saved toolsets for the chat of a call: one commit, if anything changes.
    async fn manage(&self, tool: Management, call: &ToolCall) -> Result<Value, StoreError> {
        let chat = store::get::<Chat>(self.store, RowKey::one(call.chat_id.as_str())).await?;
        let mut kept = Kept::load(self.store, self.surroundings, chat).await?;
        let answer = saved::manage(&mut kept.shelf, &kept.discovery, tool, &call.args, (self.now)());
        let commit = kept.commit(self.store).await?;
        if !(commit.puts.is_empty() && commit.deletes.is_empty()) {
            self.store.apply(commit, (self.now)()).await?;
        }
        Ok(answer)
    }

    /// The row of a call that has not begun.
    fn row(&self, request: &RunRequest, tool_id: &ToolId, scene: &Scene) -> ToolCall {
        ToolCall {
            id: request.id.clone(),
            call_id: request.call_id.clone(),
            chat_id: scene.chat_id().clone(),
            message_id: scene.asked_by().or_else(|| request.message.clone()),
            tool_id: tool_id.to_string(),
            package: None,
            args: arguments::object(request.arguments.clone()),
            result: None,
            render_plan: None,
            status: CallStatus::Running,
            error: None,
            error_kind: None,
            started_at: (self.now)(),
            finished_at: None,
            pre_manifest_id: None,
            post_manifest_id: None,
            traceback: None,
            output: None,
            displays: Vec::new(),
            notes: Vec::new(),
            spilled: None,
            result_files: Vec::new(),
        }
    }

    fn fresh_manifest(&self) -> Result<ManifestId, IdError> {
        ManifestId::parse((self.fresh_id)())
    }
}
