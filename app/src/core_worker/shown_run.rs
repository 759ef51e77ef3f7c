//! A run that can be stopped and, unless it is over at once, is seen on the screen.
//!
//! Most calls are over within milliseconds. To show one costs the page more than such a call itself takes, and nobody could read it; so the page
//! hears of a run once it has lasted a moment, or has something to say.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use satchel_core::catalog::ToolId;
use satchel_core::ids::{ChatId, ToolCallId};

use super::wish::{RunEvent, RunNews, Wish};
use crate::browser::clock;
use crate::browser::core_worker::scope::{self, Course};
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};

/// After how long the page hears of a run.
const MOMENT: Duration = Duration::from_millis(50);

thread_local! {
    /// The runs under way, by their calls.
    static RUNNING: RefCell<BTreeMap<String, Running>> = const { RefCell::new(BTreeMap::new()) };
}

struct Running {
    course: Course,
    /// What the page is to be told first; nothing once it was.
    began: Option<RunEvent>,
}

/// A run under way. Dropping it says that it is over.
pub(super) struct ShownRun(String);

impl ShownRun {
    /// Lets it be stopped, and has the page hear of it in a moment.
    pub(super) fn begin(id: &ToolCallId, tool: &ToolId, chat: &ChatId, course: &Course) -> Self {
        let id = id.to_string();
        let began = Some(RunEvent::Began { tool_id: tool.to_string(), chat: chat.to_string() });
        RUNNING.with_borrow_mut(|running| running.insert(id.clone(), Running { course: course.clone(), began }));
        let later = id.clone();
        spawn(async move {
            clock::wait(MOMENT).await;
            announce(&later);
        });
        Self(id)
    }
}

impl Drop for ShownRun {
    fn drop(&mut self) {
        let over = RUNNING.with_borrow_mut(|running| running.remove(&self.0));
        if over.is_some_and(|run| run.began.is_none()) {
            send(&self.0, RunEvent::Ended);
        }
    }
}

/// Stops a run.
pub(super) fn stop(call: &str) {
    if let Some(course) = RUNNING.with_borrow(|running| running.get(call).map(|run| run.course.clone())) {
        course.stop();
    }
}

/// Tells the page what a run has to say.
pub(super) fn tell(call: &str, event: RunEvent) {
    announce(call);
    send(call, event);
}

/// Tells the page that a run has begun, if it is still under way and was not told of yet.
fn announce(call: &str) {
    let began = RUNNING.with_borrow_mut(|running| running.get_mut(call).and_then(|run| run.began.take()));
    if let Some(began) = began {
        send(call, began);
        // Where the call is part of a conversation, it can be seen there from now on.
        tab_news::tell(Topic::Chats);
    }
}

fn send(call: &str, event: RunEvent) {
    scope::wish(&Wish::Run(RunNews { call: call.into(), event }));
}
