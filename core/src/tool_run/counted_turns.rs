//! Turns for tests: nobody else is there, and who held which is remembered.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Turn, Turns, Waiting};
use crate::ids::ChatId;

/// Gives every turn at once.
#[derive(Default)]
pub(crate) struct CountedTurns {
    /// What was taken and let go, in order.
    pub(crate) taken: Rc<RefCell<Vec<String>>>,
}

/// Remembers that it was let go.
struct Held(String, Rc<RefCell<Vec<String>>>);

impl Drop for Held {
    fn drop(&mut self) {
        self.1.borrow_mut().push(format!("let go {}", self.0));
    }
}

impl CountedTurns {
    fn take(&self, name: String) -> Waiting<'_> {
        self.taken.borrow_mut().push(name.clone());
        let held = Held(name, Rc::clone(&self.taken));
        Box::pin(std::future::ready(Turn::held(held)))
    }
}

impl Turns for CountedTurns {
    fn to_run<'a>(&'a self, chat: Option<&'a ChatId>) -> Waiting<'a> {
        self.take(format!("run in {}", chat.map_or("the scratch chat", ChatId::as_str)))
    }

    fn to_run_beside<'a>(&'a self, chat: &'a ChatId) -> Waiting<'a> {
        self.take(format!("run beside others in {chat}"))
    }

    fn to_change<'a>(&'a self, chat: &'a ChatId) -> Waiting<'a> {
        self.take(format!("change {chat}"))
    }
}
