//! A turn whose tab is gone: what it left is brought to an end, and nothing of it is made again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::conversation::{AnswerEnd, AnswerMetadata, MessageTree, NewReply, answer_call, reply};
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::model::DraftCall;
use crate::record::{
    CallKind, CallStatus, Draft, ErrorKind, Message, Node, RequestedCall, RequestedFunction, Role, RowRef, ToolCall,
};
use crate::store::Commit;
use crate::tool_run::{Unmade, unmade};

use super::{At, SavedAnswer, turn_mark};

/// What a dead tab has left in a chat that has the mark of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    /// The chat.
    pub chat: &'a ChatId,
    /// Its messages.
    pub tree: &'a MessageTree,
    /// All its calls; those that ran on this device are ended.
    pub calls: &'a [ToolCall],
    /// Those of them that the dead tab had asked its user about.
    pub asked: &'a BTreeSet<ToolCallId>,
    /// What was saved of an answer.
    pub saved: Option<&'a Draft>,
}

/// Why a call was not made that nobody will make any more.
const INTERRUPTED: &str = "interrupted: the tab was closed before this call was made";

/// Ends what a dead tab has left: an answer that was coming is kept as far as it came, and every call has an answer, so that the chat can
/// be gone on from. Whoever calls this has the chat's turn and runs nothing in it; the calls that ran were ended before.
#[must_use]
pub fn take_over(left: Left<'_>, at: &At<'_>) -> Commit {
    let rows = left.calls.iter().filter_map(|call| Some(((call.message_id.as_ref()?, call.call_id.as_deref()?), call)));
    let mut taking = Taking { left, rows: rows.collect(), commit: Commit::default(), at };
    for message in left.tree.messages().filter(|message| message.role == Role::Assistant) {
        taking.answer_calls_of(message);
    }
    taking.keep_answer();
    taking.commit.delete(RowRef::of(&turn_mark(left.chat)))
}

struct Taking<'a> {
    left: Left<'a>,
    /// The calls by what asked for them.
    rows: BTreeMap<(&'a MessageId, &'a str), &'a ToolCall>,
    commit: Commit,
    at: &'a At<'a>,
}

impl Taking<'_> {
    /// Answers the calls of a message that have no answer yet, where nothing else was said after it.
    fn answer_calls_of(&mut self, message: &Message) {
        let mut open: Vec<&RequestedCall> = message.tool_calls.iter().collect();
        let mut parent = message.id.clone();
        loop {
            let below = self.left.tree.children(&Node::Message(parent.clone()));
            let Some(next) = below.first().and_then(|id| self.left.tree.message(id)) else { break };
            if next.role != Role::Tool {
                return;
            }
            open.retain(|call| Some(&call.id) != next.tool_call_id.as_ref());
            parent = next.id.clone();
        }
        let rows: Vec<Option<&ToolCall>> =
            open.iter().map(|call| self.rows.get(&(&message.id, call.id.as_str())).copied()).collect();
        if rows.iter().flatten().any(|row| row.finished_at.is_none() && !self.was_asked(row)) {
            // It runs or waits on another device, which will say how it ended.
            return;
        }
        for (call, row) in open.into_iter().zip(rows) {
            let row = match row {
                Some(row) if self.was_asked(row) => self.unanswered(row),
                Some(row) => row.clone(),
                None => self.unmade(message, call),
            };
            let answer = answer_call(self.at.message_id(), parent, &row, self.at.now);
            parent = answer.id.clone();
            self.say(&answer);
        }
    }

    /// Keeps what was saved of an answer, if it was not stored after all.
    fn keep_answer(&mut self) {
        let Some(row) = self.left.saved else { return };
        self.commit = std::mem::take(&mut self.commit).delete(RowRef::of(row));
        let Some(SavedAnswer { message, parent, model, draft, left_out }) = SavedAnswer::of(row) else { return };
        let known_parent = parent.as_ref().is_none_or(|parent| self.left.tree.message(parent).is_some());
        // Thoughts alone are kept, as they are when a turn ends by itself.
        let is_nothing = draft.is_empty() && draft.reasoning.is_empty();
        if !known_parent || self.left.tree.message(&message).is_some() || is_nothing {
            return;
        }
        let metadata = AnswerMetadata {
            model: Some(model),
            usage: draft.usage,
            ended: Some(AnswerEnd::Interrupted),
            reasoning: draft.reasoning,
            left_out,
            ..AnswerMetadata::default()
        };
        let call = |call: DraftCall| {
            let id = if call.id.is_empty() { self.at.call_id().to_string() } else { call.id };
            let function = RequestedFunction { name: call.name, arguments: call.arguments };
            RequestedCall { id, kind: CallKind::Function, function }
        };
        let new = NewReply {
            id: message,
            parent_id: parent,
            text: draft.text,
            calls: draft.calls.into_iter().map(call).collect(),
            metadata: metadata.into_map(),
        };
        let answer = reply(self.left.chat, new, self.at.now);
        self.say(&answer);
        self.answer_calls_of(&answer);
    }

    /// Whether the user of the dead tab was asked about a call, and had not answered.
    fn was_asked(&self, row: &ToolCall) -> bool {
        match row.status {
            CallStatus::Pending => self.left.asked.contains(&row.id),
            CallStatus::Running | CallStatus::Success | CallStatus::Error => false,
        }
    }

    /// Ends a call whose question nobody will answer.
    fn unanswered(&mut self, row: &ToolCall) -> ToolCall {
        let over = unmade(row.clone(), ErrorKind::Interrupted, INTERRUPTED.into(), self.at.now);
        self.commit = std::mem::take(&mut self.commit).change(row, &over);
        over
    }

    fn unmade(&mut self, message: &Message, call: &RequestedCall) -> ToolCall {
        let written = &call.function.arguments;
        let unmade = Unmade {
            id: self.at.call_id(),
            call_id: Some(call.id.clone()),
            chat_id: message.chat_id.clone(),
            message_id: Some(message.id.clone()),
            tool_id: call.function.name.clone(),
            args: serde_json::from_str(written).unwrap_or_else(|_| Value::String(written.clone())),
            kind: ErrorKind::Interrupted,
            error: INTERRUPTED.into(),
        };
        let row = unmade.row(self.at.now);
        self.commit = std::mem::take(&mut self.commit).put(&row);
        row
    }

    fn say(&mut self, message: &Message) {
        self.commit = std::mem::take(&mut self.commit).expect(RowRef::of(message), None).put(message);
    }
}
