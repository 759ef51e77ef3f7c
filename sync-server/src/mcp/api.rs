//! `/api/v1/mcp`: publishing, watching and calling MCP servers; and the page that a login comes back to.

use axum::Json;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use satchel_core::catalog::ServerKey;
use satchel_core::protocol::{
    McpCall, McpCallId, McpDefinition, McpInputAnswer, McpLogin, McpServerList, McpTransport, parse_server_key,
};
use serde::Deserialize;

use super::call::{CallKey, InputAnswer};
use super::connect::NotConnected;
use super::login::LoginError;
use super::session::SessionError;
use crate::database::Account;
use crate::json_body::JsonBody;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Most servers of one account.
const MOST: u32 = 128;
/// Most arguments, variables or headers of one.
const MOST_PARTS: usize = 256;
/// Longest text in a definition, in bytes.
const TEXT_BYTES: usize = 16 * 1024;

/// Answers what the account has published and what the operator offers.
pub async fn list(State(state): State<AppState>, Extension(account): Extension<Account>) -> Response {
    let mcp = state.mcp();
    let list = McpServerList { servers: mcp.states(&account.id), offers: mcp.offers() };
    not_stored(Json(list))
}

/// Answers one server.
pub async fn get(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(key): Path<String>,
) -> Result<Response, Refusal> {
    let server = state.mcp().find(&account.id, &read_key(&key)?).ok_or(Refusal::NoMcpServer)?;
    Ok(not_stored(Json(state.mcp().shared.state(&server))))
}

/// Publishes a definition. A command is not started by this: it waits for the operator.
pub async fn put(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(key): Path<String>,
    JsonBody(definition): JsonBody<McpDefinition>,
) -> Result<Response, Refusal> {
    let key = read_key(&key)?;
    check(&definition)?;
    let kept = state.database().put_mcp_server(&account.id, &key, &definition, MOST).await;
    if !kept.map_err(Refusal::failed("cannot keep an MCP server"))? {
        return Err(Refusal::Conflict(format!("there are already {MOST} MCP servers; remove one you no longer need")));
    }
    let server = state.mcp().look_after(account.id, key, definition);
    Ok(not_stored(Json(state.mcp().shared.state(&server))))
}

/// Withdraws a definition: its session and its command are ended, its login is forgotten.
pub async fn delete(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(key): Path<String>,
) -> Result<StatusCode, Refusal> {
    let key = read_key(&key)?;
    state.mcp().withdraw(&account.id, &key);
    let deleted = state.database().delete_mcp_server(&account.id, &key).await;
    deleted.map_err(Refusal::failed("cannot remove an MCP server"))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Connects a server anew.
pub async fn reconnect(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(key): Path<String>,
) -> Result<StatusCode, Refusal> {
    state.mcp().find(&account.id, &read_key(&key)?).ok_or(Refusal::NoMcpServer)?.connect_again();
    Ok(StatusCode::ACCEPTED)
}

/// Calls a tool; answers when the call has ended. When the app leaves, the call is cancelled.
pub async fn call(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(key): Path<String>,
    JsonBody(asked): JsonBody<McpCall>,
) -> Result<Response, Refusal> {
    let shared = &state.mcp().shared;
    let server = state.mcp().find(&account.id, &read_key(&key)?).ok_or(Refusal::NoMcpServer)?;
    let session = server.session().map_err(Refusal::McpNotConnected)?;
    let key = CallKey { account: account.id, client: asked.client, call_id: asked.call_id };
    let open = shared
        .calls
        .begin(key, server.key.clone(), shared.events.clone())
        .ok_or_else(|| Refusal::Conflict("a call with this id is already running".to_owned()))?;
    let outcome = tokio::select! {
        outcome = session.call(&open.call, asked.tool, asked.arguments) => outcome,
        () = open.call.goes_too_far() => Err(SessionError::TooFar),
        () = open.call.is_overdue(shared.limits.call) => {
            let seconds = shared.limits.call.as_secs();
            return Err(Refusal::McpTimedOut(format!("nothing came from the tool for {seconds} seconds; the call was cancelled")));
        }
    };
    let result = outcome.map_err(|error| {
        if matches!(error, SessionError::Broken(_)) {
            // So that its status says what is the matter.
            server.connect_again();
        }
        Refusal::BadAnswer(error.to_string())
    })?;
    Ok(not_stored(Json(result)))
}

/// Takes what the person said to a form.
pub async fn input(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(call_id): Path<String>,
    JsonBody(answer): JsonBody<McpInputAnswer>,
) -> Result<StatusCode, Refusal> {
    let call_id = McpCallId::parse(&call_id).map_err(Refusal::bad_request)?;
    let key = CallKey { account: account.id, client: answer.client, call_id };
    let said = InputAnswer { action: answer.action, content: answer.content };
    match state.mcp().shared.calls.answer(&key, &answer.request_id, said) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Refusal::NoForm),
    }
}

/// Begins a login.
pub async fn login(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    Path(key): Path<String>,
) -> Result<Response, Refusal> {
    let shared = &state.mcp().shared;
    let server = state.mcp().find(&account.id, &read_key(&key)?).ok_or(Refusal::NoMcpServer)?;
    let not_reached = |error| match error {
        NotConnected::Refused(reason) | NotConnected::Failed(reason) => Refusal::BadRequest(reason),
        NotConnected::RequiresLogin { .. } => Refusal::Internal,
    };
    let filled = server.fill(shared).await.map_err(not_reached)?;
    let McpDefinition::Url { url, .. } = &filled.definition else {
        return Err(Refusal::bad_request("only a server on the web has a login"));
    };
    let place = shared.place(&server, url).map_err(not_reached)?;
    let begun = shared.logins.begin(&place, server.challenge().as_deref(), &shared.origin).await;
    let authorize_url = begun.map_err(|error| match error {
        LoginError::TooMany => Refusal::Conflict(error.to_string()),
        LoginError::Required | LoginError::Failed(_) => Refusal::BadAnswer(error.to_string()),
    })?;
    Ok(not_stored(Json(McpLogin { authorize_url })))
}

/// What a browser brings back from a login.
#[derive(Debug, Default, Deserialize)]
pub struct Returned {
    #[serde(default)]
    state: String,
    code: Option<String>,
    iss: Option<String>,
}

/// Where a browser comes back to after a login. What it brings is good once, and only for who began it here.
pub async fn callback(State(state): State<AppState>, Query(returned): Query<Returned>) -> Response {
    let mcp = state.mcp();
    let ended = mcp.shared.logins.end(&returned.state, returned.code.as_deref(), returned.iss.as_deref()).await;
    let (status, sentence) = match ended {
        None => (
            StatusCode::BAD_REQUEST,
            "This login is unknown here, took too long, or was already finished. Start it again in Satchel.",
        ),
        Some((_, _, Err(error))) => {
            tracing::info!(%error, "a login at an MCP server came to nothing");
            (StatusCode::BAD_REQUEST, "The login did not work or was refused. Start it again in Satchel.")
        }
        Some((account, key, Ok(()))) => {
            if let Some(server) = mcp.find(&account, &key) {
                server.connect_again();
            }
            (StatusCode::OK, "You are signed in. You can close this page and go back to Satchel.")
        }
    };
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Satchel</title><p>{sentence}</p></html>"
    );
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ];
    (status, headers, Html(page)).into_response()
}

fn read_key(key: &str) -> Result<ServerKey, Refusal> {
    parse_server_key(key).map_err(Refusal::bad_request)
}

/// What no definition may be; whether it can be connected is said by its status.
fn check(definition: &McpDefinition) -> Result<(), Refusal> {
    let (parts, names): (usize, Vec<&String>) = match definition {
        McpDefinition::Command { args, env, .. } => (args.len() + env.len(), env.keys().collect()),
        McpDefinition::Url { headers, transport: McpTransport::Sse | McpTransport::StreamableHttp, .. } => {
            (headers.len(), headers.keys().collect())
        }
    };
    let mut texts = definition.texts().chain(names.iter().map(|name| name.as_str()));
    if parts > MOST_PARTS || texts.any(|text| text.len() > TEXT_BYTES || text.contains('\0')) {
        return Err(Refusal::bad_request(format!(
            "an MCP server has at most {MOST_PARTS} arguments, variables or headers, each with at most {TEXT_BYTES} bytes"
        )));
    }
    let McpDefinition::Command { command, .. } = definition else { return Ok(()) };
    let sound = |name: &&String| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'=');
    if command.trim().is_empty() || !names.iter().all(sound) {
        return Err(Refusal::bad_request(
            "a command is not empty, and a variable has a name without spaces and without =",
        ));
    }
    Ok(())
}

fn not_stored(body: impl IntoResponse) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], body).into_response()
}
