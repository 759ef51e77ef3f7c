//! A call as part of the conversation: the message that asks for it goes with the row that says it runs, and the message that
//! answers it with its result. They are what a model's call would leave, so that whoever goes on with the chat, a model too, sees one
//! conversation; that the user asked is in the metadata.

use serde_json::Map;

use super::chat::Scene;
use crate::catalog::{Selection, ToolId, WireNames};
use crate::conversation::{NewReply, answer_call, reply};
use crate::ids::MessageId;
use crate::record::{CallKind, Chat, Message, Node, RequestedCall, RequestedFunction, RowRef, ToolCall};
use crate::store::Commit;
use crate::time::Timestamp;

/// The key of a message's metadata that says who asked for its calls, and what it says of the user.
const INVOKED_BY: &str = "invoked_by";
const USER: &str = "user";

/// The messages that a call of the user's is written as. Without it, a call is in the record of its chat and not in its conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// The id of the message that asks, fresh.
    pub question: MessageId,
    /// The id of the message that answers, fresh.
    pub answer: MessageId,
    /// The tools that a chat which begins with the call offers its model, as they were last chosen (R173).
    pub begins_with: Selection,
}

/// Whether the user made the calls of a message, without a model.
#[must_use]
pub fn is_invoked_by_user(message: &Message) -> bool {
    message.metadata.get(INVOKED_BY).is_some_and(|who| who == USER)
}

impl Spoken {
    /// The commit of the message that asks, below what is shown.
    pub(super) fn ask(&self, scene: &Scene, tool: &ToolId, call: &ToolCall) -> Commit {
        let names = WireNames::of([tool.clone()]);
        let name = names.name(tool).unwrap_or_default().to_owned();
        let function = RequestedFunction { name, arguments: call.args.to_string() };
        let id = call.call_id.clone().unwrap_or_else(|| call.id.to_string());
        let parent_id = match &scene.open.leaf {
            Node::Root => None,
            Node::Message(leaf) => Some(leaf.clone()),
        };
        let new = NewReply {
            id: self.question.clone(),
            parent_id,
            text: String::new(),
            calls: vec![RequestedCall { id, kind: CallKind::Function, function }],
            metadata: Map::from_iter([(INVOKED_BY.to_owned(), USER.into())]),
        };
        let chat = &scene.open.chat;
        let message = reply(&chat.id, new, call.started_at);
        let touched = Chat { modified_at: call.started_at.max(chat.modified_at), ..chat.clone() };
        Commit::default().expect(RowRef::of(&message), None).put(&message).change(chat, &touched)
    }

    /// The commit of the message that answers a call that is over.
    pub(super) fn answer(&self, call: &ToolCall, now: Timestamp) -> Commit {
        answer(self.answer.clone(), self.question.clone(), call, now)
    }
}

/// The commit of a message that answers a call that is over. The files are those of the message that asked, which the call worked on.
pub(super) fn answer(id: MessageId, question: MessageId, call: &ToolCall, now: Timestamp) -> Commit {
    let message = answer_call(id, question, call, now);
    Commit::default().expect(RowRef::of(&message), None).put(&message)
}
