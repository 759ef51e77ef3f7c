//! `/local/toolsets/{id}/execute/{method}`: a tool is called (R238).
//!
//! What came of a call that was made is an answer of 200, be it a result or an error: the request was carried out. Other statuses
//! mean that nothing ran. The one exception is a tool that finds its own arguments unfit, which is 400 as it is for those that the
//! schema finds unfit (C47).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::Call;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use super::{ToolHost, toolsets};
use crate::catalog::Selection;
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::record::ErrorKind;
use crate::store::Store;
use crate::tool_run::{Finished, Permission, RunError, RunOutcome, RunRequest, Runner, Spoken};

/// The body of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExecuteBody {
    /// The caller's own id of the call. With it a request can be repeated without the tool being run twice.
    tool_call_id: String,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    chat_id: Option<ChatId>,
    /// That this one call may be made, also if the tool asks.
    #[serde(default)]
    approved: bool,
    /// That the user is to be asked where the tool asks, instead of the request being refused.
    #[serde(default)]
    ask: bool,
    /// That the call is written into the chat as messages, as a model's would be. A chat that is not there begins with it.
    #[serde(default)]
    as_message: bool,
    /// The tools that a chat which begins with the call offers its model.
    #[serde(default, rename = "enabledTools")]
    enabled_tools: Option<BTreeMap<String, Vec<String>>>,
}

/// The answer (C45).
#[derive(Debug, Serialize)]
struct ExecutedBody {
    tool_call_id: String,
    #[serde(flatten)]
    outcome: OutcomeBody,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeBody {
    Result(Value),
    Error(String),
}

/// The longest id of a call that is taken.
const LONGEST_ID: usize = 200;

/// Whether a request to this path runs a tool, which may take long: who carries requests keeps those apart from the others.
#[must_use]
pub fn runs_tools(path: &str) -> bool {
    let mut parts = path.split('/').skip(2);
    let executes = (parts.next(), parts.nth(1)) == (Some("toolsets"), Some("execute"));
    executes || (path.starts_with("/local/tools/bundles/") && path.ends_with("/invoke"))
}

/// `POST /local/toolsets/{id}/execute/{method}`
pub(super) async fn execute<S: Store>(call: Call<'_, S>) -> Answer {
    let body: ExecuteBody = call.json(r#"{"tool_call_id": "1", "params": {}}"#)?;
    let ExecuteBody { tool_call_id, params, chat_id, approved, ask: wants_asking, as_message, enabled_tools } = body;
    if tool_call_id.is_empty() || tool_call_id.len() > LONGEST_ID {
        let message = format!("a tool_call_id has 1 to {LONGEST_ID} bytes");
        return Err(Refusal::new(Code::BadRequest, message).about("tool_call_id"));
    }
    if as_message && chat_id.is_none() {
        let message = "a call can be a message only in a chat; name it by \"chat_id\", or give a fresh id to begin one";
        return Err(Refusal::new(Code::BadRequest, message).about("chat_id"));
    }
    let request = RunRequest {
        id: call.fresh(ToolCallId::parse),
        call_id: Some(tool_call_id.clone()),
        toolset: call.parameters.get("id").to_owned(),
        tool: call.parameters.get("method").to_owned(),
        arguments: params,
        chat: chat_id,
        message: None,
        spoken: as_message.then(|| Spoken {
            question: call.fresh(MessageId::parse),
            answer: call.fresh(MessageId::parse),
            begins_with: Selection::of_chat(enabled_tools.as_ref()),
        }),
        permission: if approved { Permission::Once } else { Permission::Unasked },
    };
    answer_with(tool_call_id, carry_out(&call, request, wants_asking).await?)
}

/// Makes a call, with the user's answer where the tool asks and the user is to be asked.
pub(super) async fn carry_out<S: Store>(
    call: &Call<'_, S>,
    mut request: RunRequest,
    wants_asking: bool,
) -> Result<Finished, Refusal> {
    let Some(ToolHost { python, servers, http, turns, clock, ask, recorded }) = call.world.tools else {
        let message = "tools cannot be run here; open Satchel in a tab and ask there";
        return Err(Refusal::new(Code::NotAvailable, message));
    };
    let runner = Runner {
        store: call.store,
        python,
        servers,
        http,
        turns,
        surroundings: call.world.surroundings,
        limits: &call.world.limits.run,
        now: clock,
        fresh_id: call.world.fresh_id,
    };
    let finished = loop {
        let needed = match runner.run(request.clone()).await {
            Ok(RunOutcome::Finished(finished)) => break *finished,
            Ok(RunOutcome::ApprovalNeeded(needed)) => needed,
            Err(error @ RunError::NoToolset(_)) => {
                // One that was uninstalled can be brought back, which is worth saying.
                toolsets::installed_as(call, &request.toolset).await?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let (name, tool) = (needed.tool_name.clone(), needed.tool_id.to_string());
        let toolset = needed.toolset_name.clone();
        let answer = match ask.filter(|_| wants_asking) {
            Some(user) => user.ask(*needed).await,
            None => None,
        };
        // An answer to a tool that has changed since is asked for again.
        request.permission = Permission::Answered(answer.ok_or_else(|| {
            let message = format!(
                "{name} of {toolset} asks before it runs; show its arguments to the user, then ask again with \"approved\": true"
            );
            Refusal::new(Code::ApprovalRequired, message).about(tool)
        })?);
    };
    if !finished.repeated {
        recorded(&finished.call);
    }
    Ok(finished)
}

fn answer_with(tool_call_id: String, finished: Finished) -> Answer {
    let Finished { call, result, misfits, .. } = finished;
    let outcome = match (call.error, call.error_kind) {
        (Some(message), Some(ErrorKind::InvalidArgs)) => {
            let path = misfits.map(|misfits| misfits.path().to_owned());
            return Err(Refusal { path, ..Refusal::new(Code::InvalidArgs, message) });
        }
        (Some(message), _) => OutcomeBody::Error(message),
        (None, _) => OutcomeBody::Result(result.unwrap_or(Value::Null)),
    };
    Ok(Response::json(200, &ExecutedBody { tool_call_id, outcome }))
}
