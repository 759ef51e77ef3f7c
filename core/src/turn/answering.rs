//! The answer of the model: while it comes, and when it ends, in whatever way.

use std::collections::BTreeSet;

use crate::conversation::{AnswerEnd, AnswerMetadata, NewReply, reply};
use crate::counted::counted;
use crate::ids::ToolCallId;
use crate::model::{Delta, Draft, DraftCall, Finish, ModelError};
use crate::record::{CallKind, ErrorKind, Message, RequestedCall, RequestedFunction};
use crate::store::Commit;

use super::plan::{Plan, Refusal};
use super::round::{Phase, Round, RoundCall};
use super::{Asking, AskingKind, At, Notice, State, Turn, TurnEffect, TurnEnd, TurnFailure};

/// What ended an answer.
enum Closing {
    Model,
    Stopped,
    Failed(ModelError),
}

impl Turn {
    pub(super) fn delta(&mut self, delta: Delta, at: &At<'_>) -> Vec<TurnEffect> {
        let limits = self.setup.limits.model;
        let State::Asking(asking) = &mut self.state else { return Vec::new() };
        match asking.draft.add(delta, &limits) {
            Ok(()) => Vec::new(),
            Err(error) => {
                let mut effects = vec![TurnEffect::AbortModel];
                effects.extend(self.close(Closing::Failed(error), at));
                effects
            }
        }
    }

    pub(super) fn model_ended(&mut self, at: &At<'_>) -> Vec<TurnEffect> {
        self.close(Closing::Model, at)
    }

    pub(super) fn model_failed(&mut self, error: ModelError, at: &At<'_>) -> Vec<TurnEffect> {
        let untouched = self.draft().is_some_and(|draft| *draft == Draft::default());
        match &error {
            ModelError::ContextOverflow(_) if untouched => {
                self.ask_for_less(at).map_or_else(|| self.close(Closing::Failed(error), at), |effect| vec![effect])
            }
            _ => self.close(Closing::Failed(error), at),
        }
    }

    /// Asks again with less, if that was not done too often and there is less to ask with. Estimates are not what the provider counts, and
    /// nobody knows how much a model takes whose provider does not say.
    fn ask_for_less(&mut self, at: &At<'_>) -> Option<TurnEffect> {
        let State::Asking(Asking { tokens, .. }) = self.state else { return None };
        if self.overflows >= self.setup.limits.overflows {
            return None;
        }
        self.overflows += 1;
        self.shrunk = Some(tokens * 2 / 3);
        let effect = self.ask(at);
        match &self.state {
            State::Asking(shorter) if shorter.tokens < tokens => Some(effect),
            State::Asking(_) | State::Fresh | State::Calling(_) | State::Over => None,
        }
    }

    pub(super) fn stop_answer(&mut self, at: &At<'_>) -> Vec<TurnEffect> {
        let mut effects = vec![TurnEffect::AbortModel];
        effects.extend(self.close(Closing::Stopped, at));
        effects
    }

    /// Stores what came of the answer, and goes on with its calls if it is whole.
    fn close(&mut self, closing: Closing, at: &At<'_>) -> Vec<TurnEffect> {
        let asking = match std::mem::replace(&mut self.state, State::Over) {
            State::Asking(asking) => asking,
            other => {
                self.state = other;
                return Vec::new();
            }
        };
        let kind = asking.kind;
        if asking.draft.is_empty() && asking.draft.reasoning.is_empty() {
            return self.end(None, end_of(closing, asking.draft.finish, true));
        }
        let (empty, finish) = (asking.draft.is_empty(), asking.draft.finish);
        let (message, calls) = self.message_of(asking, &closing, at);
        let ending = Ending { closing: &closing, kind, finish };
        let mut round = self.round_of(&message, calls, &ending, at);
        let makes_calls = ending.makes_calls();
        let rows = round.rows().fold(Commit::default(), Commit::put);
        let commit = self.say(vec![message], rows, at.now);
        if round.is_empty() {
            return self.end(Some(commit), end_of(closing, finish, empty));
        }
        if makes_calls {
            let mut effects = vec![TurnEffect::Commit(Box::new(commit))];
            effects.extend(round.start(&self.setup.offers, &self.chat.id));
            self.state = State::Calling(round);
            effects.extend(self.finish_round_if_over(at));
            return effects;
        }
        // None of the calls is made, so that all of it is one commit.
        let answers = round.answers(at);
        let commit = commit.then(self.say(answers, Commit::default(), at.now));
        let end = match (closing, kind, is_cut(finish)) {
            (Closing::Model, AskingKind::Last, false) => TurnEnd::Done(Some(Notice::Rounds { rounds: self.rounds })),
            (closing, _, _) => end_of(closing, finish, empty),
        };
        self.end(Some(commit), end)
    }

    fn message_of(
        &self,
        asking: Asking,
        closing: &Closing,
        at: &At<'_>,
    ) -> (Message, Vec<(ToolCallId, RequestedCall)>) {
        let Draft { reasoning, text, calls, usage, finish } = asking.draft;
        let extras: Vec<_> = calls.iter().map(|call| call.extra.clone()).collect();
        let calls = requested(calls, at);
        let (ended, error) = match closing {
            Closing::Model => (None, None),
            Closing::Stopped => (Some(AnswerEnd::Stopped), None),
            Closing::Failed(error) => (Some(AnswerEnd::Failed), Some(error.to_string())),
        };
        let with_extra = calls.iter().zip(extras).filter_map(|((_, call), extra)| Some((call.id.clone(), extra?)));
        let metadata = AnswerMetadata {
            model: Some(self.setup.model.name.clone()),
            cost: self.setup.model.prices.and_then(|prices| prices.cost_of(usage)),
            usage,
            finish,
            ended,
            error,
            reasoning,
            call_extras: with_extra.collect(),
            left_out: asking.left_out,
        };
        let new = NewReply {
            id: asking.message,
            parent_id: self.path.last().map(|last| last.id.clone()),
            text,
            calls: calls.iter().map(|(_, call)| call.clone()).collect(),
            metadata: metadata.into_map(),
        };
        (reply(&self.chat.id, new, at.now), calls)
    }

    /// What becomes of each call: it is made, or it is refused with a reason.
    fn round_of(
        &self,
        message: &Message,
        calls: Vec<(ToolCallId, RequestedCall)>,
        ending: &Ending<'_>,
        at: &At<'_>,
    ) -> Round {
        let refused = match (ending.closing, ending.kind) {
            // Nobody knows how it would have gone on: arguments may be cut, and calls missing that belong to these.
            (Closing::Model, _) if is_cut(ending.finish) => {
                Some((ErrorKind::Failed, "the answer was cut off, so this call was not made; call it again".to_owned()))
            }
            (Closing::Model, AskingKind::Open) => None,
            (Closing::Model, AskingKind::Last) => Some((
                ErrorKind::Failed,
                format!("iteration limit: {} of tool calls used", counted(self.rounds, "round")),
            )),
            (Closing::Stopped, _) => {
                Some((ErrorKind::Cancelled, "the user stopped the answer before this call".into()))
            }
            (Closing::Failed(_), _) => {
                Some((ErrorKind::Failed, "the answer failed before this call could be made".to_owned()))
            }
        };
        // Without its end, an answer may have lost the arguments of its last call: no arguments are then not a wish for none.
        let is_unsaid = matches!(ending.finish, None | Some(Finish::Unsaid));
        let call = |(id, requested): (ToolCallId, RequestedCall)| {
            let plan = match self.plan(&requested) {
                made @ Plan::Make(_) if is_unsaid && requested.function.arguments.trim().is_empty() => {
                    Plan::Refuse(Refusal::after(made, ErrorKind::InvalidArgs, UNSAID.to_owned()))
                }
                plan => plan,
            };
            let phase = match (&refused, plan) {
                (None, Plan::Make(ready)) => Phase::Waiting(ready),
                (None, Plan::Refuse(refusal)) => {
                    Phase::Over(Box::new(self.refuse(&id, &requested, &message.id, refusal, at)))
                }
                (Some((kind, error)), plan) => {
                    let refusal = Refusal::after(plan, *kind, error.clone());
                    Phase::Over(Box::new(self.refuse(&id, &requested, &message.id, refusal, at)))
                }
            };
            RoundCall { id, requested, phase }
        };
        Round::new(message.id.clone(), calls.into_iter().map(call).collect())
    }
}

/// Why a call is not made whose arguments may be lost.
const UNSAID: &str = "the answer ended before the arguments of this call came; call it again";

/// How an answer ended.
struct Ending<'a> {
    closing: &'a Closing,
    kind: AskingKind,
    finish: Option<Finish>,
}

impl Ending<'_> {
    /// Whether its calls are made (C42): where the model has ended it as it should, and the rounds are not used up.
    fn makes_calls(&self) -> bool {
        match (self.closing, self.kind) {
            (Closing::Model, AskingKind::Open) => !is_cut(self.finish),
            (Closing::Model, AskingKind::Last) | (Closing::Stopped | Closing::Failed(_), _) => false,
        }
    }
}

/// Whether an answer was ended before it was whole.
fn is_cut(finish: Option<Finish>) -> bool {
    match finish {
        Some(Finish::Length | Finish::ContentFilter) => true,
        Some(Finish::Stop | Finish::ToolCalls | Finish::Unsaid) | None => false,
    }
}

/// How a turn ends with its answer.
fn end_of(closing: Closing, finish: Option<Finish>, empty: bool) -> TurnEnd {
    match (closing, finish) {
        (Closing::Stopped, _) => TurnEnd::Stopped,
        (Closing::Failed(error), _) => TurnEnd::Failed(TurnFailure::Model(error)),
        (Closing::Model, Some(Finish::Length)) => TurnEnd::Done(Some(Notice::Length)),
        (Closing::Model, Some(Finish::ContentFilter)) => TurnEnd::Done(Some(Notice::ContentFilter)),
        (Closing::Model, _) if empty => TurnEnd::Failed(TurnFailure::Model(ModelError::Empty)),
        (Closing::Model, Some(Finish::Stop | Finish::ToolCalls)) => TurnEnd::Done(None),
        (Closing::Model, Some(Finish::Unsaid) | None) => TurnEnd::Done(Some(Notice::Unsaid)),
    }
}

/// The calls of an answer, each with an id that is its own within the message.
fn requested(calls: Vec<DraftCall>, at: &At<'_>) -> Vec<(ToolCallId, RequestedCall)> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let one = |call: DraftCall| {
        let id = at.call_id();
        let own = if call.id.is_empty() || taken.contains(&call.id) { id.to_string() } else { call.id };
        taken.insert(own.clone());
        let function = RequestedFunction { name: call.name, arguments: call.arguments };
        (id, RequestedCall { id: own, kind: CallKind::Function, function })
    };
    calls.into_iter().map(one).collect()
}
