//! What the worker gets from its page: frames with cages in them, and answers of the user.

use std::cell::RefCell;
use std::collections::BTreeMap;

use futures_channel::oneshot;

use crate::browser::core_worker::scope;
use crate::browser::python_cage::{CagePort, LastWord, RawPort};
use crate::core_worker::wish::{Question, Reply, UserAnswer, Wish};

thread_local! {
    static PENDING: RefCell<Pending> = RefCell::default();
}

#[derive(Default)]
struct Pending {
    last: u32,
    cages: BTreeMap<u32, oneshot::Sender<Result<RawPort, String>>>,
    living: BTreeMap<u32, LastWord>,
    questions: BTreeMap<u32, oneshot::Sender<UserAnswer>>,
    on_seen: Option<fn(bool)>,
}

/// Listens to the page. `on_seen` hears when the tab is hidden or shown.
pub(super) fn listen(on_seen: fn(bool)) {
    PENDING.with_borrow_mut(|pending| pending.on_seen = Some(on_seen));
    scope::on_reply(|text, port| {
        let Ok(reply) = serde_json::from_str::<Reply>(&text) else { return };
        hear(reply, port);
    });
}

fn hear(reply: Reply, port: Option<RawPort>) {
    // Whoever is told may ask for something at once, so nothing is borrowed meanwhile. Who waited may have gone.
    match reply {
        Reply::Cage { cage } => {
            let waiting = PENDING.with_borrow_mut(|pending| pending.cages.remove(&cage));
            if let (Some(waiting), Some(port)) = (waiting, port) {
                waiting.send(Ok(port)).ok();
            }
        }
        Reply::NoCage { cage, reason } => {
            let (waiting, living) =
                PENDING.with_borrow_mut(|pending| (pending.cages.remove(&cage), pending.living.get(&cage).cloned()));
            if let Some(living) = living {
                living.say(reason);
            } else if let Some(waiting) = waiting {
                waiting.send(Err(reason)).ok();
            }
        }
        Reply::Answer { number, answer } => {
            if let Some(waiting) = PENDING.with_borrow_mut(|pending| pending.questions.remove(&number)) {
                waiting.send(answer).ok();
            }
        }
        Reply::Seen { is_seen } => {
            if let Some(on_seen) = PENDING.with_borrow(|pending| pending.on_seen) {
                on_seen(is_seen);
            }
        }
    }
}

fn number() -> u32 {
    PENDING.with_borrow_mut(|pending| {
        pending.last += 1;
        pending.last
    })
}

/// A cage of the page's. Dropping it ends everything in it, at once.
pub(super) struct OpenCage {
    number: u32,
    /// What is said to it and by it.
    pub(super) port: CagePort,
}

impl OpenCage {
    /// Has the page open one; else a sentence why there is none.
    pub(super) async fn open() -> Result<Self, String> {
        let (sender, opened) = oneshot::channel();
        let number = number();
        PENDING.with_borrow_mut(|pending| pending.cages.insert(number, sender));
        scope::wish(&Wish::OpenCage { cage: number });
        let port = opened.await.unwrap_or_else(|_page_gone| Err("the page has gone".into()))?;
        let (port, last_word) = CagePort::listen(port);
        PENDING.with_borrow_mut(|pending| pending.living.insert(number, last_word));
        Ok(Self { number, port })
    }
}

impl Drop for OpenCage {
    fn drop(&mut self) {
        PENDING.with_borrow_mut(|pending| pending.living.remove(&self.number));
        scope::wish(&Wish::CloseCage { cage: self.number });
    }
}

/// Asks the user; nothing where the page has gone. If nobody waits any more, the question goes away.
pub(super) async fn ask(question: Question) -> Option<UserAnswer> {
    let (sender, answered) = oneshot::channel();
    let number = number();
    PENDING.with_borrow_mut(|pending| pending.questions.insert(number, sender));
    scope::wish(&Wish::Ask { number, question });
    let _asked = Asked(number);
    answered.await.ok()
}

/// A question that stands on the screen until it is answered or nobody waits for the answer.
struct Asked(u32);

impl Drop for Asked {
    fn drop(&mut self) {
        let was_open = PENDING.with_borrow_mut(|pending| pending.questions.remove(&self.0).is_some());
        if was_open {
            scope::wish(&Wish::Withdraw { number: self.0 });
        }
    }
}
