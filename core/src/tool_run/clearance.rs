//! What has to be clear before a call is made: its arguments fit, it was not made already, and the user has nothing against it.

use super::arguments::{self, Refused};
use super::chat::{Before, Scene};
use super::found::{Errand, Found};
use super::noted::Noted;
use super::{Finished, Permission, RunError, RunOutcome, RunRequest, Runner, http, unmade, with_row};
use crate::approval::{self, ApprovalRequest, Definition, Denied, Standing, Verdict};
use crate::catalog::{EffectiveTool, ToolId};
use crate::pins::pin_first;
use crate::python::CallPython;
use crate::record::{ErrorKind, ToolCall};
use crate::schema::Misfits;
use crate::store::{Commit, Store, StoreError};

/// A call that may be made.
pub(super) struct Cleared {
    pub(super) before: Before,
    pub(super) errand: Errand,
    /// What the user's answer makes the device remember.
    pub(super) remember: Commit,
}

/// Why a call is not made.
pub(super) enum Halt {
    /// It was made before.
    Repeated(Box<Finished>),
    /// The user has to be asked first.
    Ask(Box<ApprovalRequest>),
    /// The user was asked, and said no.
    Denied(Denied),
    /// Its arguments do not fit.
    Refused(Refused),
    /// Something failed.
    Failed(RunError),
}

impl From<Refused> for Halt {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<RunError> for Halt {
    fn from(error: RunError) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl<S: Store, P: CallPython + ?Sized> Runner<'_, S, P> {
    /// Clears a call. `call` has then the arguments it is made with; where it is not made, those that were in question.
    pub(super) async fn clear(
        &self,
        request: RunRequest,
        found: &Found,
        tool: &EffectiveTool<'_>,
        scene: &Scene,
        noted: &Noted,
        call: &mut ToolCall,
    ) -> Result<Cleared, Halt> {
        let schema_limits = &self.limits.schema;
        // A schema that only Python knows is asked for after the user: nothing of a tool that asks runs before that.
        let known = arguments::known_schema(self.store, tool).await?;
        if let Some(schema) = &known {
            call.args = arguments::fit(schema, call.args.clone(), schema_limits)?;
        }
        if let Some(finished) = self.repeated(&request, call, scene, noted).await? {
            return Err(Halt::Repeated(Box::new(finished)));
        }
        let shown = call.args.clone();
        let permitted = self.permit(request.permission, found, tool, scene, noted, call)?;
        // From its first use on, a tool has to stay what it is (C14).
        let remember = permitted.then(pin_first([tool], (self.now)()));
        if let Some(schema) = known.as_ref().filter(|_| call.args != shown) {
            call.args = arguments::fit(schema, call.args.clone(), schema_limits)?;
        }
        let before = self.before(scene, noted).await?;
        let errand = found.errand(tool, &call.id, scene.chat_id(), &before.files, self.limits);
        let mut errand = errand.map_err(|fault| Halt::Refused(Refused::Definition(fault)))?;
        let mut remember = remember;
        if let Errand::Http(http) = &mut errand {
            http.arguments = call.args.as_object().cloned().unwrap_or_default();
            remember = remember.then(http::count(self.store, http, (self.now)()).await?);
        }
        if let Errand::Mcp(server_call) = &mut errand {
            server_call.message = call.message_id.clone();
            server_call.arguments = call.args.as_object().cloned().unwrap_or_default();
        }
        if let Errand::Python(python) = &mut errand {
            if known.is_none() {
                // What keeps it from saying what it takes will keep it from running, and the call says it better.
                if let Some(schema) = arguments::ask_schema(self, python).await? {
                    call.args = arguments::fit(&schema, call.args.clone(), schema_limits)?;
                }
            }
            python.arguments = call.args.clone();
        }
        Ok(Cleared { before, errand, remember })
    }

    /// Sees whether the user has to be asked, and what an answer means. Arguments that the user has edited are put into the call.
    fn permit(
        &self,
        permission: Permission,
        found: &Found,
        tool: &EffectiveTool<'_>,
        scene: &Scene,
        noted: &Noted,
        call: &mut ToolCall,
    ) -> Result<Commit, Halt> {
        let definition = Definition::of_effective(tool);
        match approval::standing(tool, &definition, &noted.approvals) {
            Standing::Free | Standing::Remembered => return Ok(Commit::default()),
            Standing::Ask => {}
        }
        let answer = match permission {
            Permission::Once => return Ok(Commit::default()),
            Permission::Answered(answer) if answer.definition_hash == definition.hash => answer,
            Permission::Unasked | Permission::Answered(_) => {
                let toolset = &found.installed.toolset;
                let request = ApprovalRequest::of(toolset, tool, &definition, call.args.clone());
                return Err(Halt::Ask(Box::new(request)));
            }
        };
        if let Some(edited) = answer.arguments {
            call.args = edited;
        }
        match answer.verdict {
            Verdict::Deny { reason } => Err(Halt::Denied(Denied(reason))),
            yes @ (Verdict::Once | Verdict::Chat | Verdict::Always) => {
                let now = (self.now)();
                Ok(approval::remember(&yes, tool, &definition, scene.chat_id(), now))
            }
        }
    }

    /// What comes of a call that is not made. One that was refused is recorded (C47).
    pub(super) async fn halt(
        &self,
        halt: Halt,
        scene: Scene,
        noted: &Noted,
        call: ToolCall,
    ) -> Result<RunOutcome, RunError> {
        match halt {
            Halt::Repeated(finished) => Ok(RunOutcome::Finished(finished)),
            Halt::Ask(request) => Ok(RunOutcome::ApprovalNeeded(request)),
            Halt::Failed(error) => Err(error),
            Halt::Denied(denied) => {
                self.end_unmade(scene, noted, call, ErrorKind::Denied, denied.to_string(), None).await
            }
            Halt::Refused(refused) => {
                let (kind, message, misfits) = refused.into_parts();
                self.end_unmade(scene, noted, call, kind, message, misfits).await
            }
        }
    }

    /// Records a call that was not made.
    async fn end_unmade(
        &self,
        scene: Scene,
        noted: &Noted,
        call: ToolCall,
        kind: ErrorKind,
        message: String,
        misfits: Option<Misfits>,
    ) -> Result<RunOutcome, RunError> {
        let now = (self.now)();
        let call = unmade(call, kind, message, now);
        let asks = match ToolId::parse(&call.tool_id) {
            Ok(tool) => scene.asks(&tool, &call).then(scene.answers(&call, now)),
            Err(_no_tool_asks) => Commit::default(),
        };
        let commit = with_row(scene.create.clone().then(asks), noted.waited.as_ref(), &call);
        self.store.apply(commit, now).await?;
        Ok(RunOutcome::Finished(Box::new(Finished { call, result: None, misfits, repeated: false })))
    }
}
