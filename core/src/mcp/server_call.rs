//! A call of a tool of an MCP server, as whoever carries it out is told of it.

use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::catalog::{ServerKey, ToolId};
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::protocol::McpCallResult;

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerCall {
    /// Its id.
    pub id: ToolCallId,
    /// The tool's whole id.
    pub tool_id: ToolId,
    /// The chat it is made in.
    pub chat: ChatId,
    /// The message that asks for it, where one does.
    pub message: Option<MessageId>,
    /// The server.
    pub server: ServerKey,
    /// The tool, as its server calls it.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// How long it may take, without the time in which it waits for the user.
    pub time_limit: Duration,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerCallEnd {
    /// The tool's server answered.
    Answered(McpCallResult),
    /// The call did not get there, or did not come back: a sentence.
    Failed(String),
    /// The user stopped it.
    Stopped,
    /// It took longer than its limit.
    TimedOut,
}

/// Calls tools of MCP servers.
pub trait CallServer {
    /// Carries out a call. It never fails: what goes wrong is an end too.
    fn call(&self, call: ServerCall) -> Pin<Box<dyn Future<Output = ServerCallEnd> + '_>>;
}

/// Nobody who could call a server.
#[derive(Clone, Copy, Debug)]
pub struct NoServers;

impl CallServer for NoServers {
    fn call(&self, _call: ServerCall) -> Pin<Box<dyn Future<Output = ServerCallEnd> + '_>> {
        let message = "no Satchel server is connected that could call it";
        Box::pin(std::future::ready(ServerCallEnd::Failed(message.into())))
    }
}
