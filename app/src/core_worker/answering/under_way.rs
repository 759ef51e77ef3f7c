//! The answers that this worker gives, or waits for its turn to give, so that each can be stopped.

use std::cell::RefCell;
use std::collections::BTreeMap;

use satchel_core::ids::ChatId;

use crate::browser::core_worker::scope::Course;

thread_local! {
    static KNOWN: RefCell<BTreeMap<ChatId, (Course, Standing)>> = const { RefCell::new(BTreeMap::new()) };
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Somebody else answers the chat.
    Waiting,
    /// It is given.
    UnderWay,
}

/// Stops the answer of a chat. What has come of it is kept.
pub(in crate::core_worker) fn stop(chat: &ChatId) {
    let course = KNOWN.with_borrow(|known| known.get(chat).map(|(course, _)| course.clone()));
    if let Some(course) = course {
        course.stop();
    }
}

/// Whether this worker answers the chat.
pub(in crate::core_worker) fn is_under_way(chat: &ChatId) -> bool {
    KNOWN.with_borrow(|known| known.get(chat).is_some_and(|(_, standing)| *standing == Standing::UnderWay))
}

/// An answer that can be stopped, until this is dropped.
pub(super) struct Known(ChatId);

impl Known {
    /// One that waits for its turn.
    pub(super) fn as_waiting(chat: ChatId, course: &Course) -> Self {
        KNOWN.with_borrow_mut(|known| known.insert(chat.clone(), (course.clone(), Standing::Waiting)));
        Self(chat)
    }

    /// It is its turn.
    pub(super) fn begins(&self) {
        KNOWN.with_borrow_mut(|known| {
            if let Some((_, standing)) = known.get_mut(&self.0) {
                *standing = Standing::UnderWay;
            }
        });
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        KNOWN.with_borrow_mut(|known| known.remove(&self.0));
    }
}
