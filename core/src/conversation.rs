//! A chat as a tree of messages, and the commits that change it.
//!
//! Messages never change: an edit or a retry is a sibling. The files of a message are those of its head, or, where it has none of its
//! own, of the nearest message before it (C25). Which leaf is shown is each device's own affair. Rows that do not fit
//! together, such as a message without its parent, are shown and said to be broken, and stop nothing (R317). What of it a model is
//! sent, always in an order that every provider takes, is in [`Sent`].

mod branch;
mod chats;
mod cost;
mod fork;
mod given;
mod heads;
mod limits;
mod markdown;
pub mod mention;
mod next_step;
mod open;
mod reply;
#[cfg(test)]
mod sample;
mod say;
mod sent;
mod title;
mod told;
mod tree;

pub use branch::Siblings;
pub use chats::{
    choose_model, choose_tools, create, is_due_for_purge, limit_iterations, rename, restore, soft_delete, undo_ends,
};
pub use cost::Spent;
pub use fork::{Fork, ForkSource, fork};
pub use given::{GivenLimits, attachments, content_of, told_of_files};
pub use heads::Heads;
pub use limits::ConversationLimits;
pub use markdown::markdown;
pub use next_step::{NextStep, NextStepKind, next_step};
pub use open::{OpenChat, OpenError, leaf_place};
pub use reply::{AnswerEnd, AnswerMetadata, NewReply, answer_call, left_out, reply};
pub use say::{NewMessage, Said, said, say};
#[cfg(test)]
pub(crate) use sent::validity;
pub use sent::{Sending, Sent};
pub use told::{is_failure, told};
pub use tree::{MessageTree, TreeFault};

use crate::ids::{IdError, MessageId};

/// Why a chat cannot be changed in this way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConversationError {
    /// The message to go on from is not in this chat.
    #[error("this chat has no message {0}")]
    NoSuchMessage(MessageId),
    /// There is nothing to say.
    #[error("a message needs some text or a picture")]
    EmptyMessage,
    /// There is too much to say.
    #[error("a message has at most {limit} bytes of text, and this one has {bytes}; attach the text as a file instead")]
    MessageTooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// The title has nothing in it.
    #[error("a chat needs a title")]
    EmptyTitle,
    /// The title is too long.
    #[error("a title has at most {limit} characters, and this one has {characters}")]
    TitleTooLong {
        /// How long it is.
        characters: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A fresh id was not an id.
    #[error(transparent)]
    Id(#[from] IdError),
}
