//! A caller of Python for tests: it plays what it was told to, and remembers what it was asked.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::{CallFailure, CallOutcome, CallPython, Description, Ending, PythonCall, PythonEnd};
use crate::store::Blob;

/// What happens while a tool runs.
type Meanwhile = Box<dyn FnOnce()>;

/// Plays ends, one for each call.
#[derive(Default)]
pub(crate) struct ScriptedPython {
    pub(crate) ends: RefCell<VecDeque<PythonEnd>>,
    pub(crate) calls: RefCell<Vec<PythonCall>>,
    pub(crate) description: RefCell<Option<Description>>,
    pub(crate) described: RefCell<Vec<String>>,
    pub(crate) meanwhile: RefCell<Option<Meanwhile>>,
}

impl ScriptedPython {
    /// Plays this for the next call that nothing is there for yet.
    pub(crate) fn then(&self, end: PythonEnd) -> &Self {
        self.ends.borrow_mut().push_back(end);
        self
    }
}

impl CallPython for ScriptedPython {
    async fn call(&self, call: PythonCall) -> PythonEnd {
        self.calls.borrow_mut().push(call);
        if let Some(meanwhile) = self.meanwhile.borrow_mut().take() {
            meanwhile();
        }
        self.ends.borrow_mut().pop_front().expect("an end was scripted for every call")
    }

    async fn describe(&self, call: &PythonCall) -> Result<Description, String> {
        self.described.borrow_mut().push(call.entrypoint.clone());
        self.description.borrow().clone().ok_or_else(|| "the module cannot be imported".into())
    }
}

/// The end of a call that came to its own end.
pub(crate) fn came_back(outcome: CallOutcome, changed: &[(&str, &str)], removed: &[&str]) -> PythonEnd {
    let bytes = |(path, text): &(&str, &str)| ((*path).to_owned(), Blob::new(text.as_bytes().to_vec()));
    let ending = Ending::Returned {
        outcome,
        changed: changed.iter().map(bytes).collect::<BTreeMap<_, _>>(),
        removed: removed.iter().map(|path| (*path).to_owned()).collect(),
        unread: Vec::new(),
    };
    ended(ending)
}

/// An end without output.
pub(crate) fn ended(ending: Ending) -> PythonEnd {
    PythonEnd { ending, output: Vec::new(), displays: Vec::new() }
}

/// A result.
pub(crate) fn gave(value: Value) -> CallOutcome {
    CallOutcome::Result { value }
}

/// An exception.
pub(crate) fn raised(message: &str) -> CallOutcome {
    let traceback =
        format!("Traceback (most recent call last):\n  File \"tools/count.py\", line 1, in run\n{message}\n");
    CallOutcome::Error { failure: CallFailure::Exception, message: message.into(), traceback }
}
