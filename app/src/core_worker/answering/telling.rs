//! What the page hears of an answer while it comes: everything, but not more often than a screen can show it. Beside that the answer is
//! saved on the device now and then, so that a tab that dies loses little of it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use satchel_core::ids::ChatId;
use satchel_core::model::Draft;
use satchel_core::store::{Commit, Store as _};
use satchel_core::turn::Turn;

use super::order::{AnsweringEvent, AnsweringNews};
use crate::browser::clock;
use crate::browser::core_worker::scope;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::tab_news::{self, Topic};
use crate::core_worker::wish::Wish;

/// How often more is told, at most: once a frame.
const FRAME: Duration = Duration::from_millis(16);
/// How often what came is saved, at most.
const SAVING: Duration = Duration::from_millis(400);

/// What was told.
pub(super) struct Telling<'a> {
    store: &'a IndexedDbStore,
    chat: &'a ChatId,
    /// How much of the present answer was told: bytes of text, bytes of thoughts, and the calls.
    told: Told,
    told_at: Duration,
    saved_at: Duration,
    /// Wakes when there is more than was told or saved.
    due: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

#[derive(Default)]
struct Told {
    text: usize,
    reasoning: usize,
    calls: Vec<String>,
    saved_bytes: usize,
}

impl<'a> Telling<'a> {
    pub(super) fn new(store: &'a IndexedDbStore, chat: &'a ChatId) -> Self {
        let now = clock::monotonic();
        Self { store, chat, told: Told::default(), told_at: now, saved_at: now, due: None }
    }

    /// The model is asked: what comes from now on is another answer.
    pub(super) fn asks(&mut self, turn: &Turn) {
        self.told = Told::default();
        if let (Some(below), Some(message)) = (turn.path().last(), turn.answer_id()) {
            self.tell(AnsweringEvent::Asked { below: below.id.clone(), message: message.clone() });
        }
    }

    /// Tells and saves what is due.
    pub(super) async fn follow(&mut self, turn: &Turn) {
        let Some(draft) = turn.draft() else {
            self.due = None;
            return;
        };
        let now = clock::monotonic();
        if now.saturating_sub(self.told_at) >= FRAME {
            self.more(draft);
            self.told_at = now;
        }
        let bytes = draft.text.len() + reasoning(draft).len();
        if bytes != self.told.saved_bytes && now.saturating_sub(self.saved_at) >= SAVING {
            if let Some(row) = turn.saved_answer() {
                // Saved again soon, and stored whole in the end: a failure here loses nothing yet.
                self.store.apply(Commit::relaxed().put(&row), clock::now()).await.ok();
                tab_news::tell(Topic::Answers);
            }
            self.told.saved_bytes = bytes;
            self.saved_at = clock::monotonic();
        }
        let is_behind = self.told.text < draft.text.len() || bytes != self.told.saved_bytes;
        if is_behind && self.due.is_none() {
            self.due = Some(Box::pin(clock::wait(FRAME)));
        }
    }

    /// Tells the rest of an answer that ends now, before it is a message: its last words are read out too.
    pub(super) fn finish(&mut self, turn: &Turn) {
        if let Some(draft) = turn.draft() {
            self.more(draft);
        }
    }

    /// Resolves when there is something to tell or save that was held back.
    pub(super) fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(due) = &mut self.due else { return Poll::Pending };
        let is_due = due.as_mut().poll(cx);
        if is_due.is_ready() {
            self.due = None;
        }
        is_due
    }

    fn more(&mut self, draft: &Draft) {
        let reasoning = reasoning(draft);
        let calls: Vec<String> = draft.calls.iter().map(|call| call.name.clone()).collect();
        let text = draft.text[self.told.text..].to_owned();
        let thought = reasoning[self.told.reasoning..].to_owned();
        if text.is_empty() && thought.is_empty() && calls == self.told.calls {
            return;
        }
        self.told = Told {
            text: draft.text.len(),
            reasoning: reasoning.len(),
            calls: calls.clone(),
            saved_bytes: self.told.saved_bytes,
        };
        self.tell(AnsweringEvent::More { text, reasoning: thought, calls });
    }

    fn tell(&self, event: AnsweringEvent) {
        scope::wish(&Wish::Answering(AnsweringNews { chat: self.chat.clone(), event }));
    }
}

/// The thoughts that people can read, as one text.
fn reasoning(draft: &Draft) -> String {
    draft.reasoning.iter().map(|thought| thought.text.as_str()).collect()
}
