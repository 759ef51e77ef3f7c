//! A connection to an MCP server, of either protocol era: its tools, and calls of them.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, GetExtensions as _,
    ListToolsRequest, PaginatedRequestParams, RequestId,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError};
use satchel_core::protocol::{McpCallResult, McpIdentity};
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::call::Call;
use super::tap::Exchange;

/// Most pages of a list of tools, and most tools.
const MOST_PAGES: usize = 64;
const MOST_TOOLS: usize = 2000;
/// Most times that a call may want to be asked again with more input.
const MOST_ROUNDS: usize = 32;
/// Most of what a server says about a failure that is repeated.
const COMPLAINT_CHARACTERS: usize = 1000;

/// A session; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Session {
    peer: Peer<RoleClient>,
    calls: Arc<watch::Sender<CallsWent>>,
}

/// How the calls of a session went, as far as a login is concerned.
#[derive(Clone, Debug, Default)]
struct CallsWent {
    /// One was made.
    well: bool,
    /// One was refused for want of a login; what the server said about that.
    refused: Option<String>,
}

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// The server says so.
    #[error("the MCP server refused: {0}")]
    Refused(String),
    /// The connection is not there any more, or broke while it was used.
    #[error("the connection to the MCP server broke: {0}")]
    Broken(String),
    /// It wants a login, or one that may do more; what it said about that.
    #[error("the MCP server needs a login")]
    RequiresLogin { challenge: String },
    /// What it said is of no use.
    #[error("the MCP server's answer cannot be used: {0}")]
    Useless(&'static str),
    /// It wants something that we do not have.
    #[error("the MCP server asks for more input than a call may")]
    TooFar,
}

impl Session {
    pub(super) fn new(peer: Peer<RoleClient>) -> Self {
        Self { peer, calls: Arc::default() }
    }

    /// Waits until a call is refused for want of a login, and gives what the server said about that.
    pub(super) async fn wants_login(&self) -> String {
        let mut calls = self.calls.subscribe();
        let refused = calls.wait_for(|calls| calls.refused.is_some()).await.ok();
        match refused.and_then(|calls| calls.refused.clone()) {
            Some(challenge) => challenge,
            None => std::future::pending().await,
        }
    }

    /// Whether any call was made in it.
    pub(super) fn has_served(&self) -> bool {
        self.calls.borrow().well
    }

    /// Who the server says that it is.
    pub(super) fn identity(&self) -> Option<McpIdentity> {
        let info = self.peer.peer_info()?;
        let server = info.server_info.as_ref();
        let short = |text: &str| text.chars().take(200).collect::<String>();
        Some(McpIdentity {
            name: server.map(|server| short(&server.name)).unwrap_or_default(),
            version: server.map(|server| short(&server.version)).unwrap_or_default(),
            protocol_version: info.protocol_version.to_string(),
        })
    }

    /// Whether it is of the newer era, which has no handshake, and tells of changes only to who has asked for them.
    pub(super) fn is_modern(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Whether it says that it tells of changes of its list.
    pub(super) fn tells_changes(&self) -> bool {
        let info = self.peer.peer_info();
        info.is_some_and(|info| info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true)))
    }

    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    /// Its tools, each as it was received.
    pub(super) async fn tools(&self) -> Result<Vec<Value>, SessionError> {
        let has_tools = self.peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
        if !has_tools {
            return Ok(Vec::new());
        }
        let mut tools = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let mut page = self.request(request, None).await?;
            let Some(Value::Array(found)) = page.get_mut("tools").map(Value::take) else {
                return Err(SessionError::Useless("its list of tools is none"));
            };
            let is_tool = |tool: &Value| tool.get("name").is_some_and(Value::is_string);
            tools.extend(found.into_iter().filter(is_tool));
            if tools.len() > MOST_TOOLS {
                return Err(SessionError::Useless("it lists more than 2000 tools"));
            }
            cursor = page.get("nextCursor").and_then(Value::as_str).map(ToOwned::to_owned);
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(SessionError::Useless("its list of tools has no end"))
    }

    /// Calls a tool, filling in whatever it asks for on the way. When this is left, the call is cancelled.
    pub(super) async fn call(
        &self,
        call: &Arc<Call>,
        tool: String,
        arguments: Map<String, Value>,
    ) -> Result<McpCallResult, SessionError> {
        let outcome = self.call_to_its_end(call, tool, arguments).await;
        match &outcome {
            Ok(_) => self.calls.send_modify(|calls| calls.well = true),
            // Whoever looks after the connection is told, because there are servers that let everybody in and ask at the first call.
            Err(SessionError::RequiresLogin { challenge }) => {
                self.calls.send_modify(|calls| calls.refused = Some(challenge.clone()));
            }
            Err(_) => {}
        }
        outcome
    }

    async fn call_to_its_end(
        &self,
        call: &Arc<Call>,
        tool: String,
        arguments: Map<String, Value>,
    ) -> Result<McpCallResult, SessionError> {
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = Some(arguments);
        for _ in 0..MOST_ROUNDS {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let mut result = self.request(request, Some(Arc::clone(call))).await?;
            if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
                return read_result(result);
            }
            params.input_responses = Some(answers(call, &mut result).await?.into_iter().collect());
            params.request_state = result.get("requestState").and_then(Value::as_str).map(ToOwned::to_owned);
        }
        Err(SessionError::TooFar)
    }

    /// One request, and its result as it was received.
    async fn request(&self, mut request: ClientRequest, call: Option<Arc<Call>>) -> Result<Value, SessionError> {
        let exchange = Exchange::new(call);
        request.extensions_mut().insert(Arc::clone(&exchange));
        let sent = self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(of_service)?;
        let mut left = Left { peer: &self.peer, id: Some(handle.id.clone()) };
        let answered = handle.await_response().await;
        left.id = None;
        answered.map_err(of_service)?;
        exchange.take_result().ok_or(SessionError::Useless("its result did not arrive"))
    }
}

/// Tells the server when nobody waits for a request any more.
struct Left<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        let params = CancelledNotificationParam::new(Some(id), Some("nobody waits for it any more".to_owned()));
        tokio::spawn(async move {
            if let Err(error) = peer.notify_cancelled(params).await {
                tracing::debug!(%error, "a call could not be cancelled");
            }
        });
    }
}

/// What the person says to each of the forms in a result that asks for more.
async fn answers(call: &Arc<Call>, result: &mut Value) -> Result<Map<String, Value>, SessionError> {
    let asked = match result.get_mut("inputRequests").map(Value::take) {
        Some(Value::Object(asked)) => asked,
        Some(_) | None => Map::new(),
    };
    let mut answers = Map::new();
    for (name, request) in asked {
        let params = &request["params"];
        let is_form = request["method"] == "elicitation/create"
            && params["mode"].as_str().is_none_or(|mode| mode == "form")
            && params["requestedSchema"].is_object();
        if !is_form {
            return Err(SessionError::Useless("it asks for something that only other programs have"));
        }
        let message = params["message"].as_str().unwrap_or_default();
        let answer = call.ask(message, params["requestedSchema"].clone()).await.ok_or(SessionError::TooFar)?;
        answers.insert(name, answer.into_result());
    }
    Ok(answers)
}

fn read_result(mut result: Value) -> Result<McpCallResult, SessionError> {
    let content = match result.get_mut("content").map(Value::take) {
        Some(Value::Array(content)) => content,
        None if result.get("structuredContent").is_some() => Vec::new(),
        Some(_) | None => return Err(SessionError::Useless("its result has no content")),
    };
    let structured_content = result.get_mut("structuredContent").map(Value::take).filter(|value| !value.is_null());
    let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    Ok(McpCallResult { content, structured_content, is_error })
}

fn of_service(error: ServiceError) -> SessionError {
    match error {
        ServiceError::McpError(said) => {
            SessionError::Refused(said.message.chars().take(COMPLAINT_CHARACTERS).collect())
        }
        ServiceError::TransportClosed => SessionError::Broken("it has ended".to_owned()),
        ServiceError::TransportSend(sent) => {
            let causes =
                std::iter::successors(Some(sent.error.as_ref() as &(dyn std::error::Error + 'static)), |cause| {
                    cause.source()
                });
            let mut last = String::new();
            for cause in causes {
                if let Some(challenge) = challenge_of(cause) {
                    return SessionError::RequiresLogin { challenge: challenge.to_owned() };
                }
                last = cause.to_string();
            }
            SessionError::Broken(last)
        }
        ServiceError::Cancelled { .. } => SessionError::Broken("the request was cancelled".to_owned()),
        other => SessionError::Broken(other.to_string()),
    }
}

/// What a server said that wants a login, if that is why.
fn challenge_of<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a str> {
    let required = cause.downcast_ref::<AuthRequiredError>().map(|error| error.www_authenticate_header.as_str());
    let too_little =
        || cause.downcast_ref::<InsufficientScopeError>().map(|error| error.www_authenticate_header.as_str());
    required.or_else(too_little)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_result_is_kept_as_it_was_received() {
        let content = json!([
            {"type": "text", "text": "hello", "annotations": {"priority": 1}},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "hello"}},
            {"type": "of tomorrow", "zeta": 1, "alpha": 2},
        ]);
        let read = read_result(json!({"content": content, "structuredContent": {"b": 1, "a": 2}, "isError": true}));
        let read = read.expect("reads");
        assert_eq!(Value::Array(read.content).to_string(), content.to_string());
        assert_eq!(read.structured_content.expect("is there").to_string(), r#"{"b":1,"a":2}"#);
        assert!(read.is_error);
        assert!(read_result(json!({"content": "text"})).is_err());
        assert!(read_result(json!({"structuredContent": {}})).is_ok());
    }
}
