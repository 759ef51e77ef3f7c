//! A caller of hosts for tests: it plays what it was told to, and remembers what it was asked.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::Pin;

use serde_json::Value;

use super::{Answered, CallHttp, HttpCall, HttpEnd};

/// Plays ends, one for each call.
#[derive(Default)]
pub(crate) struct ScriptedHttp {
    pub(crate) ends: RefCell<VecDeque<HttpEnd>>,
    pub(crate) calls: RefCell<Vec<HttpCall>>,
}

impl ScriptedHttp {
    /// Plays this for the next call that nothing is there for yet.
    pub(crate) fn then(&self, end: HttpEnd) -> &Self {
        self.ends.borrow_mut().push_back(end);
        self
    }

    /// The next call is answered with this value.
    pub(crate) fn answers(&self, value: &Value) -> &Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        self.then(HttpEnd::Answered(Answered { status: 200, headers, body: value.to_string().into_bytes() }))
    }
}

impl CallHttp for ScriptedHttp {
    fn call(&self, call: HttpCall) -> Pin<Box<dyn Future<Output = HttpEnd> + '_>> {
        self.calls.borrow_mut().push(call);
        let end = self.ends.borrow_mut().pop_front().expect("an end was scripted for every call");
        Box::pin(std::future::ready(end))
    }
}
