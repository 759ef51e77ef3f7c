//! What a model can do next at the end of a branch. It is read from the messages alone, so that it is offered after a reload, on another
//! device, and however the last answer came to its end.

use super::reply::AnswerMetadata;
use crate::ids::MessageId;
use crate::model::Finish;
use crate::record::{Message, Role};
use crate::tool_run::is_invoked_by_user;

/// What a model can do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextStep {
    /// What it would answer: the last message.
    pub below: MessageId,
    /// What that would be.
    pub kind: NextStepKind,
}

/// What a model's next answer would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStepKind {
    /// The first to what the user said.
    Answer,
    /// More of an answer that is not whole, or what follows from its calls.
    Continue,
}

/// What a model can do at the end of a branch; nothing where its last answer is whole, or where the user has worked without one.
#[must_use]
pub fn next_step(path: &[&Message]) -> Option<NextStep> {
    let last = path.last()?;
    let step = |kind| Some(NextStep { below: last.id.clone(), kind });
    let asked_by_user = || {
        let asking = path.iter().rev().find(|message| message.role == Role::Assistant);
        asking.is_some_and(|message| is_invoked_by_user(message))
    };
    match last.role {
        Role::User => step(NextStepKind::Answer),
        Role::System => None,
        // The calls have ended, and the model was not told.
        Role::Tool if asked_by_user() => None,
        Role::Tool => step(NextStepKind::Continue),
        Role::Assistant if asked_by_user() => None,
        Role::Assistant => is_unfinished(last).then(|| step(NextStepKind::Continue)).flatten(),
    }
}

/// Whether more may follow an answer: something cut it off, nobody said that it is whole, or its calls were never answered.
fn is_unfinished(answer: &Message) -> bool {
    let metadata = AnswerMetadata::of(answer);
    let by_model = match metadata.finish {
        Some(Finish::Length | Finish::Unsaid) => true,
        // What a filter has ended it would end again.
        Some(Finish::Stop | Finish::ToolCalls | Finish::ContentFilter) => false,
        // An answer that came from elsewhere says nothing about itself.
        None => metadata.model.is_some(),
    };
    by_model || metadata.ended.is_some() || !answer.tool_calls.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::super::sample::{message, message_id};
    use super::*;
    use crate::record::{CallKind, RequestedCall, RequestedFunction};

    fn said(number: u32, role: Role, metadata: Value) -> Message {
        let metadata: Map<String, Value> = metadata.as_object().cloned().unwrap_or_default();
        Message { role, metadata, ..message(number, number.checked_sub(1).filter(|before| *before > 0)) }
    }

    fn step_of(path: &[Message]) -> Option<(MessageId, NextStepKind)> {
        next_step(&path.iter().collect::<Vec<_>>()).map(|step| (step.below, step.kind))
    }

    /// R309: what was said can be answered, however its answer was lost.
    #[test]
    fn what_the_user_said_can_be_answered() {
        assert_eq!(step_of(&[]), None);
        let question = said(1, Role::User, json!({}));
        assert_eq!(step_of(&[question]), Some((message_id(1), NextStepKind::Answer)));
    }

    /// R309
    #[test]
    fn an_answer_that_is_not_whole_can_be_continued() {
        let check = |metadata: Value, expected: bool| {
            let path = [said(1, Role::User, json!({})), said(2, Role::Assistant, metadata.clone())];
            let found = expected.then(|| (message_id(2), NextStepKind::Continue));
            assert_eq!(step_of(&path), found, "{metadata}");
        };
        check(json!({"model": "small", "finish": "stop"}), false);
        check(json!({"model": "small", "finish": "content_filter"}), false);
        check(json!({}), false);
        check(json!({"model": "small", "finish": "length"}), true);
        check(json!({"model": "small", "finish": "unsaid"}), true);
        check(json!({"model": "small"}), true);
        for ended in ["stopped", "interrupted", "failed"] {
            check(json!({"model": "small", "ended": ended}), true);
        }
    }

    /// R309, R194: a turn that was stopped among its calls goes on with what they gave; what the user did by hand needs no model.
    #[test]
    fn calls_that_were_not_followed_can_be() {
        let function = RequestedFunction { name: "toolset__mine__count".into(), arguments: "{}".into() };
        let calls = vec![RequestedCall { id: "a".into(), kind: CallKind::Function, function }];
        let check = |metadata: Value, expected: Option<NextStepKind>| {
            let asking = Message { tool_calls: calls.clone(), ..said(2, Role::Assistant, metadata) };
            let path = [said(1, Role::User, json!({})), asking.clone()];
            assert_eq!(step_of(&path), expected.map(|kind| (message_id(2), kind)));
            let path = [said(1, Role::User, json!({})), asking, said(3, Role::Tool, json!({}))];
            assert_eq!(step_of(&path), expected.map(|kind| (message_id(3), kind)));
        };
        check(json!({"model": "small", "finish": "tool_calls"}), Some(NextStepKind::Continue));
        check(json!({"invoked_by": "user"}), None);
    }
}
