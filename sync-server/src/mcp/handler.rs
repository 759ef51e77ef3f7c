//! What an MCP server may ask of us while it is connected: a form for a person, and to look at its list of tools again.

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation,
    ProtocolVersion,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext, RoleClient};
use satchel_core::protocol::McpInputAction;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::call::InputAnswer;
use super::tap::Tap;

/// Our side of a session.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) tap: Tap,
    /// The list of tools has changed.
    pub(super) list_changed: Arc<Notify>,
}

impl Handler {
    /// Shows a form in the call that it belongs to. One that belongs to none is declined: nobody would know what it is about.
    async fn ask(
        &self,
        message: &str,
        schema: Value,
        context: &RequestContext<RoleClient>,
    ) -> Result<InputAnswer, ErrorData> {
        let origin = context.extensions.get::<InboundStreamOrigin>();
        let call = match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => self.tap.call(Some(id)),
            Some(InboundStreamOrigin::Unassociated) | None => self.tap.call(None),
        };
        let Some(call) = call else {
            return Ok(InputAnswer { action: McpInputAction::Decline, content: None });
        };
        tokio::select! {
            answer = call.ask(message, schema) => answer.ok_or_else(|| {
                ErrorData::invalid_request("this call has asked for more input than it may", None)
            }),
            // The server has taken its question back.
            () = context.ct.cancelled() => Ok(InputAnswer { action: McpInputAction::Cancel, content: None }),
        }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(FormElicitationCapability::new()));
        let who = Implementation::new("satchel", env!("CARGO_PKG_VERSION"));
        // The version of a handshake; the newer era has none.
        ClientConfig::new(capabilities, who).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let schema = serde_json::to_value(requested_schema).unwrap_or_default();
        let answer = self.ask(&message, schema, &context).await?;
        let mut result = ElicitResult::new(match answer.action {
            McpInputAction::Accept => ElicitationAction::Accept,
            McpInputAction::Decline => ElicitationAction::Decline,
            McpInputAction::Cancel => ElicitationAction::Cancel,
        });
        result.content = answer.content.map(Value::Object);
        Ok(result)
    }

    /// A form that rmcp cannot read may still be one that a person can.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        match (request.method.as_str(), params["message"].as_str()) {
            ("elicitation/create", Some(message)) if params["requestedSchema"].is_object() => {
                let answer = self.ask(message, params["requestedSchema"].clone(), &context).await?;
                Ok(CustomResult::new(answer.into_result()))
            }
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this client does not offer that", None)),
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.list_changed.notify_one();
    }
}

impl InputAnswer {
    /// As the protocol has it.
    pub(super) fn into_result(self) -> Value {
        let action = serde_json::to_value(self.action).unwrap_or_default();
        match self.content {
            Some(content) => json!({"action": action, "content": content}),
            None => json!({"action": action}),
        }
    }
}
