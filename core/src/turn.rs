//! One turn of a chat: from what the user said to the last word of the answer, with all the tool calls between.
//!
//! A [`Turn`] is told what happened ([`TurnEvent`]) and says what to do ([`TurnEffect`]). It knows the order of things: which calls may
//! run at once and which wait for each other (C35), what has to be asked, how many rounds there may be (C43), what is kept when somebody
//! stops it. It knows nothing of fetching, workers, storage or drawing. Effects are carried out in the order given; a commit has to be
//! stored before what follows it is begun, and where it cannot be, the rest is dropped and the turn is told so.
//!
//! What fails is data: a call that cannot be made becomes a message that says why, for the model to make something of it. At every moment
//! what is stored can be gone on from, because what a model is sent is always mended first ([`Sent`]); a turn that ends leaves nothing to
//! mend.

mod answering;
mod begin;
mod event;
mod offered;
mod offers;
mod plan;
mod round;
mod saved;
mod selectable;
mod setup;
mod take_over;
#[cfg(test)]
mod tests;

pub use event::{Notice, ToolEnd, TurnEffect, TurnEnd, TurnEvent, TurnFailure};
pub use offered::{Offering, offered};
pub use offers::{Lane, Offer, Offers};
pub use saved::{SavedAnswer, asked_calls, left_turns, saved_answer_place, turn_mark};
pub use selectable::selectable;
pub use setup::{At, ModelSettings, TurnLimits, TurnSetup, USUAL_ROUNDS};
pub use take_over::{Left, take_over};

use std::collections::BTreeSet;

use crate::ids::{MessageId, ToolCallId};
use crate::model::Draft;
use crate::record::{Chat, Message, RowKey, RowRef};
use crate::store::Commit;
use crate::time::Timestamp;

use round::Round;

#[cfg(doc)]
use crate::conversation::Sent;

/// A turn. It begins with [`TurnEvent::UserSubmitted`] or [`TurnEvent::Resumed`] and is over with [`TurnEffect::End`].
#[derive(Clone, Debug)]
pub struct Turn {
    setup: TurnSetup,
    /// The chat, as it is after the turn's own commits.
    chat: Chat,
    /// What was said, from the beginning of the branch.
    path: Vec<Message>,
    /// Rounds of calls so far.
    rounds: u32,
    /// The calls that the user was asked about.
    asked: BTreeSet<ToolCallId>,
    /// How often the conversation was found too long, and what it may have after that.
    overflows: u32,
    shrunk: Option<u64>,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Fresh,
    /// The model answers.
    Asking(Asking),
    /// Tools are called.
    Calling(Round),
    Over,
}

/// A question to the model, and what has come of its answer.
#[derive(Clone, Debug)]
struct Asking {
    /// The message that the answer will be.
    message: MessageId,
    draft: Draft,
    kind: AskingKind,
    /// What was not sent.
    left_out: Vec<MessageId>,
    /// What was sent, as estimated.
    tokens: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskingKind {
    /// Calls may follow.
    Open,
    /// The rounds are used up: whatever comes is the end (C43).
    Last,
}

impl Turn {
    /// A turn in a chat, below the last message of the path.
    #[must_use]
    pub fn new(setup: TurnSetup, chat: Chat, path: Vec<Message>) -> Self {
        Self { setup, chat, path, rounds: 0, asked: BTreeSet::new(), overflows: 0, shrunk: None, state: State::Fresh }
    }

    /// Takes what happened and gives what to do. What comes too late, such as a piece of an answer that was stopped, is passed over.
    pub fn handle(&mut self, event: TurnEvent, at: &At<'_>) -> Vec<TurnEffect> {
        match event {
            TurnEvent::UserSubmitted(said) => self.submitted(*said, at),
            TurnEvent::Resumed => self.resumed(at),
            TurnEvent::Delta(delta) => self.delta(delta, at),
            TurnEvent::ModelEnded => self.model_ended(at),
            TurnEvent::ModelFailed(error) => self.model_failed(error, at),
            TurnEvent::ToolEnded { id, end } => self.tool_ended(&id, end, at),
            TurnEvent::Answered { id, answer } => self.answered(&id, answer),
            TurnEvent::ResultsKept(result) => self.results_kept(result, at),
            TurnEvent::CommitFailed(reason) => self.commit_failed(reason),
            TurnEvent::Stop => self.stop(at),
        }
    }

    /// Offers other tools from the next question on: a call has changed which there are.
    pub fn offer(&mut self, offers: Offers) {
        self.setup.offers = offers;
    }

    /// The answer that is coming, while it is.
    #[must_use]
    pub fn draft(&self) -> Option<&Draft> {
        match &self.state {
            State::Asking(asking) => Some(&asking.draft),
            State::Fresh | State::Calling(_) | State::Over => None,
        }
    }

    /// The message that the answer which is coming will be.
    #[must_use]
    pub fn answer_id(&self) -> Option<&MessageId> {
        match &self.state {
            State::Asking(asking) => Some(&asking.message),
            State::Fresh | State::Calling(_) | State::Over => None,
        }
    }

    /// The messages that the model was not sent this time (R320).
    #[must_use]
    pub fn left_out(&self) -> &[MessageId] {
        match &self.state {
            State::Asking(asking) => &asking.left_out,
            State::Fresh | State::Calling(_) | State::Over => &[],
        }
    }

    /// What is said so far on this branch.
    #[must_use]
    pub fn path(&self) -> &[Message] {
        &self.path
    }

    /// Puts messages below the last one, in one commit, and notes when something was last said.
    fn say(&mut self, messages: Vec<Message>, commit: Commit, now: Timestamp) -> Commit {
        let commit = messages.iter().fold(commit, |commit, one| commit.expect(RowRef::of(one), None).put(one));
        let after = Chat { modified_at: now.max(self.chat.modified_at), ..self.chat.clone() };
        let commit = commit.change(&self.chat, &after);
        self.chat = after;
        self.path.extend(messages);
        // What was saved of the answer while it came is now stored.
        let saved = RowKey::one(saved_answer_place(&self.chat.id));
        commit.delete(RowRef::to::<crate::record::Draft>(saved))
    }

    /// Ends the turn, with the last of what it stores.
    fn end(&mut self, last: Option<Commit>, end: TurnEnd) -> Vec<TurnEffect> {
        self.state = State::Over;
        let commit = last.unwrap_or_else(Commit::relaxed).delete(RowRef::of(&turn_mark(&self.chat.id)));
        vec![TurnEffect::Commit(Box::new(commit)), TurnEffect::End(end)]
    }

    fn commit_failed(&mut self, reason: String) -> Vec<TurnEffect> {
        let mut effects = match std::mem::replace(&mut self.state, State::Over) {
            State::Fresh => Vec::new(),
            State::Over => return Vec::new(),
            State::Asking(_) => vec![TurnEffect::AbortModel],
            State::Calling(round) => round.stops(),
        };
        effects.push(TurnEffect::End(TurnEnd::Failed(TurnFailure::Storage(reason))));
        effects
    }
}
