//! What another program hears from an account's hub: the tools, the calls of them, and that they have changed.

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ResultType, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use satchel_core::protocol::HubProvider;
use satchel_core::saved::{HubOffer, Management};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::Hub;
use crate::database::{AccountId, DatabaseError};

/// One program's view of an account's hub.
#[derive(Clone, Debug)]
pub(super) struct Session {
    hub: Hub,
    account: AccountId,
}

impl Session {
    pub(super) fn new(hub: Hub, account: AccountId) -> Self {
        Self { hub, account }
    }

    /// The tools that are offered now, as they are sent.
    async fn listed(&self) -> Result<Vec<Value>, DatabaseError> {
        let hub = self.hub.look(&self.account).await?;
        let working = hub.offers().into_iter().map(|offer| sent(&offer));
        let managing = hub.management().into_iter().map(
            |tool| json!({"name": tool.name(), "description": tool.description(), "inputSchema": tool.input_schema()}),
        );
        Ok(working.chain(managing).collect())
    }

    /// Ends when other tools are offered than in `last`, which has those from then on; never, where nobody says so any more.
    async fn changes(&self, last: &mut Vec<Value>) {
        // From here on nothing is missed; what came before is seen at once.
        let mut news = self.hub.news();
        loop {
            if let Ok(now) = self.listed().await
                && now != *last
            {
                *last = now;
                return;
            }
            loop {
                match news.recv().await {
                    Ok(account) if account == self.account => break,
                    Ok(_another) => {}
                    // Something was missed, which may have been about this one.
                    Err(RecvError::Lagged(_)) => break,
                    Err(RecvError::Closed) => return std::future::pending().await,
                }
            }
        }
    }

    /// Tells a program of the older era of changes, for as long as its session lasts.
    async fn announce(self, peer: Peer<RoleServer>) {
        let mut last = self.listed().await.unwrap_or_default();
        loop {
            tokio::select! {
                () = self.hub.shared.stop.cancelled() => return,
                () = self.changes(&mut last) => {
                    if peer.notify_tool_list_changed().await.is_err() {
                        return;
                    }
                }
            }
        }
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>) -> Result<CallToolResult, ErrorData> {
        let failed = |_: DatabaseError| ErrorData::internal_error("the server failed; its log says why", None);
        let hub = self.hub.look(&self.account).await.map_err(failed)?;
        if let Some(tool) = hub.management().into_iter().find(|tool| tool.name() == name) {
            let answer = self.hub.manage(&self.account, tool, &Value::Object(arguments)).await.map_err(failed)?;
            return Ok(managed(&answer));
        }
        let offers = hub.offers();
        let Some(offer) = offers.iter().find(|offer| offer.name == name) else {
            let shown: String = name.chars().take(200).collect();
            let why = match Management::of_name(name) {
                Some(_) => {
                    format!("{shown} is offered in configuration mode only; call enter-configuration-mode first")
                }
                None => format!("there is no tool {shown:?} now; list the tools again"),
            };
            return Ok(failure(&why));
        };
        match self.hub.call(&self.account, offer, arguments).await {
            Err(why) => Ok(failure(&why)),
            Ok(result) => {
                let mut whole = json!({"content": result.content, "isError": result.is_error});
                if let Some(structured) = result.structured_content {
                    whole["structuredContent"] = structured;
                }
                let read = serde_json::from_value::<CallToolResult>(whole);
                Ok(read.unwrap_or_else(|_| failure("what the tool answered is nothing that MCP knows")))
            }
        }
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("satchel", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = self.listed().await;
        let listed = listed.map_err(|_| ErrorData::internal_error("the server failed; its log says why", None))?;
        // What is no tool by the protocol, whatever its server says, is left out.
        let tools: Vec<Tool> = listed.into_iter().filter_map(|tool| serde_json::from_value(tool).ok()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        tokio::select! {
            result = self.call(&request.name, arguments) => {
                let mut result = result?;
                result.result_type = Some(ResultType::COMPLETE);
                Ok(CallToolResponse::Complete(result))
            }
            // Leaving the call tells the server behind that it is cancelled.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut last = self.listed().await.unwrap_or_default();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.hub.shared.stop.cancelled() => return Ok(()),
                () = self.changes(&mut last) => {
                    if context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(self.clone().announce(context.peer));
    }
}

/// A tool as it is sent: its provider's definition under the hub's name. That of an HTTP tool goes without its output's schema, which the hub
/// checks itself: a call may also give nothing, or bytes, and programs refuse what does not keep the promise of a schema.
fn sent(offer: &HubOffer) -> Value {
    let mut tool = offer.received.as_object().cloned().unwrap_or_default();
    match offer.provider {
        HubProvider::Mcp { .. } => {}
        HubProvider::Http { .. } => {
            tool.retain(|key, value| key == "inputSchema" && value.is_object());
            tool.entry("inputSchema").or_insert_with(|| json!({"type": "object"}));
        }
    }
    tool.insert("name".to_owned(), offer.name.clone().into());
    tool.insert("description".to_owned(), offer.description.clone().into());
    Value::Object(tool)
}

/// What a management tool answered, as text and as data.
fn managed(answer: &Value) -> CallToolResult {
    let refused = answer["success"] == false || answer["meta"]["success"] == false;
    let content = json!([{"type": "text", "text": answer.to_string()}]);
    let whole = json!({"content": content, "structuredContent": answer, "isError": refused});
    serde_json::from_value(whole).unwrap_or_else(|_| failure("the answer could not be written"))
}

fn failure(why: &str) -> CallToolResult {
    let whole = json!({"content": [{"type": "text", "text": why}], "isError": true});
    serde_json::from_value(whole).expect("a text is a result")
}
