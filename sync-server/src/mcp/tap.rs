//! Where messages go by on their way between a transport and rmcp.
//!
//! rmcp reads messages into its own types and forgets what it does not know. A tool is pinned by everything it says, and a result is
//! handed on as it was received, so both are taken off here, before that. Progress is taken off here as well, because here it is still in
//! order. What belongs to which request is known from the request itself: it carries its [`Exchange`] when it passes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetExtensions as _, GetMeta as _, RequestId};
use serde_json::{Value, json};

use super::call::Call;

/// A request and what comes of it.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The call that it belongs to.
    call: Option<Arc<Call>>,
    result: Mutex<Option<Value>>,
}

/// The messages of one session; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tap {
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    // Whoever waits holds the exchange; when nobody does, nobody wants to hear of it any more.
    by_request: HashMap<RequestId, Weak<Exchange>>,
    by_token: HashMap<RequestId, Weak<Exchange>>,
    /// The ids of the calls in the order in which they began.
    calls: Vec<RequestId>,
}

impl Exchange {
    pub(super) fn new(call: Option<Arc<Call>>) -> Arc<Self> {
        Arc::new(Self { call, result: Mutex::new(None) })
    }

    /// The result, as it was received.
    pub(super) fn take_result(&self) -> Option<Value> {
        locked(&self.result).take()
    }
}

impl Tap {
    /// A message goes out.
    pub(super) fn sent(&self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else { return };
        let Some(exchange) = request.request.extensions().get::<Arc<Exchange>>() else { return };
        let mut open = locked(&self.open);
        open.forget_the_gone();
        open.by_request.insert(request.id.clone(), Arc::downgrade(exchange));
        if let Some(token) = request.request.get_meta().get_progress_token() {
            open.by_token.insert(token.0, Arc::downgrade(exchange));
        }
        if matches!(request.request, ClientRequest::CallToolRequest(_)) && !open.calls.contains(&request.id) {
            open.calls.push(request.id.clone());
        }
    }

    /// A message came in. What is given back is for rmcp: the same, but for a result that was taken off whole.
    pub(super) fn received(&self, text: &[u8]) -> Result<Value, serde_json::Error> {
        let mut message: Value = serde_json::from_slice(text)?;
        if message.get("method").is_some() {
            if message["method"] == "notifications/progress" {
                self.progress(&message["params"]);
            }
            return Ok(message);
        }
        let id = message.get("id").and_then(request_id);
        if let Some(exchange) = id.and_then(|id| self.answered(&id))
            && let Some(result) = message.get_mut("result")
        {
            *locked(&exchange.result) = Some(if exchange.call.is_some() {
                // rmcp only needs to know that it has come.
                std::mem::replace(result, json!({"content": []}))
            } else {
                result.clone()
            });
        }
        Ok(message)
    }

    /// The call that a request belongs to. Where the transport cannot tell, it is the one that began last: everything in a session is
    /// the same account's.
    pub(super) fn call(&self, origin: Option<&RequestId>) -> Option<Arc<Call>> {
        let exchange = match origin {
            Some(id) => self.exchange(id),
            None => {
                let open = locked(&self.open);
                open.calls.iter().rev().find_map(|id| open.by_request.get(id)?.upgrade())
            }
        };
        exchange?.call.clone()
    }

    /// The exchange that an answer is for. There is one answer to a request; a second is nobody's.
    fn answered(&self, id: &RequestId) -> Option<Arc<Exchange>> {
        locked(&self.open).by_request.remove(id)?.upgrade()
    }

    fn exchange(&self, id: &RequestId) -> Option<Arc<Exchange>> {
        locked(&self.open).by_request.get(id)?.upgrade()
    }

    fn progress(&self, params: &Value) {
        let Some(token) = request_id(&params["progressToken"]) else { return };
        let exchange = locked(&self.open).by_token.get(&token).and_then(Weak::upgrade);
        if let Some(call) = exchange.and_then(|exchange| exchange.call.clone())
            && let Some(progress) = params["progress"].as_f64()
        {
            call.moved(progress, params["total"].as_f64(), params["message"].as_str());
        }
    }
}

impl Open {
    fn forget_the_gone(&mut self) {
        self.by_request.retain(|_, exchange| exchange.strong_count() > 0);
        self.by_token.retain(|_, exchange| exchange.strong_count() > 0);
        let by_request = &self.by_request;
        self.calls.retain(|id| by_request.contains_key(id));
    }
}

/// An id as rmcp has given it out; some servers make texts of numbers.
fn request_id(value: &Value) -> Option<RequestId> {
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
    number.map(RequestId::Number)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{CallToolRequest, CallToolRequestParams, ListToolsRequest};

    fn send(tap: &Tap, id: i64, mut request: ClientRequest, exchange: &Arc<Exchange>) {
        request.extensions_mut().insert(Arc::clone(exchange));
        tap.sent(&ClientJsonRpcMessage::request(request, RequestId::Number(id)));
    }

    /// C14
    #[test]
    fn a_list_is_taken_off_as_it_was_received() {
        let tap = Tap::default();
        let exchange = Exchange::new(None);
        send(&tap, 3, ClientRequest::ListToolsRequest(ListToolsRequest::default()), &exchange);
        let result = r#"{"zeta":1,"tools":[{"name":"t","x-unknown":{"b":1,"a":2},"inputSchema":{"type":"object"}}]}"#;
        let text = format!(r#"{{"jsonrpc":"2.0","id":"3","result":{result}}}"#);
        let handed_on = tap.received(text.as_bytes()).expect("reads");
        assert_eq!(handed_on.to_string(), text, "rmcp is given the same");
        assert_eq!(exchange.take_result().expect("was taken off").to_string(), result);
    }

    #[test]
    fn a_second_answer_is_nobodys() {
        let tap = Tap::default();
        let exchange = Exchange::new(None);
        send(&tap, 1, ClientRequest::ListToolsRequest(ListToolsRequest::default()), &exchange);
        for text in ["first", "second"] {
            tap.received(format!(r#"{{"id":1,"result":"{text}"}}"#).as_bytes()).expect("reads");
        }
        assert_eq!(exchange.take_result(), Some(json!("first")));
    }

    #[test]
    fn nobody_hears_of_what_nobody_waits_for() {
        let tap = Tap::default();
        let request = || ClientRequest::CallToolRequest(CallToolRequest::new(CallToolRequestParams::new("t")));
        let (gone, waiting) = (Exchange::new(None), Exchange::new(None));
        send(&tap, 1, request(), &gone);
        drop(gone);
        send(&tap, 2, request(), &waiting);
        for id in [1, 3] {
            tap.received(format!(r#"{{"id":{id},"result":{{"content":[]}}}}"#).as_bytes()).expect("reads");
        }
        assert_eq!(waiting.take_result(), None);
        assert_eq!(locked(&tap.open).by_request.len(), 1);
        assert!(tap.received(b"not JSON").is_err());
    }
}
