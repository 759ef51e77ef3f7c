//! A caller of servers for tests: it plays what it was told to, and remembers what it was asked.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::Pin;

use serde_json::Value;

use super::{CallServer, ServerCall, ServerCallEnd};
use crate::protocol::McpCallResult;

/// Plays ends, one for each call.
#[derive(Default)]
pub(crate) struct ScriptedServers {
    pub(crate) ends: RefCell<VecDeque<ServerCallEnd>>,
    pub(crate) calls: RefCell<Vec<ServerCall>>,
}

impl ScriptedServers {
    /// Plays this for the next call that nothing is there for yet.
    pub(crate) fn then(&self, end: ServerCallEnd) -> &Self {
        self.ends.borrow_mut().push_back(end);
        self
    }

    /// The next call answers with this content.
    pub(crate) fn answers(&self, content: Value, structured_content: Option<Value>) -> &Self {
        let content = content.as_array().cloned().unwrap_or_default();
        self.then(ServerCallEnd::Answered(McpCallResult { content, structured_content, is_error: false }))
    }
}

impl CallServer for ScriptedServers {
    fn call(&self, call: ServerCall) -> Pin<Box<dyn Future<Output = ServerCallEnd> + '_>> {
        self.calls.borrow_mut().push(call);
        let end = self.ends.borrow_mut().pop_front().expect("an end was scripted for every call");
        Box::pin(std::future::ready(end))
    }
}
