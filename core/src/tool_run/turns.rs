//! Who may do something in a chat right now, over all tabs. What the turns are made of is not known here.

use std::any::Any;
use std::pin::Pin;

use crate::ids::ChatId;

/// Gives turns. Two calls in one chat must not run at once: the second would start from files that the first is about to change. And what
/// follows from a call is committed while nobody else changes the chat, so that a state that is about to be replaced is not given to a new
/// message meanwhile.
pub trait Turns {
    /// Waits until no tool runs in this chat; without one, until nobody looks for the scratch chat. Who has both took that of the scratch
    /// chat first.
    fn to_run<'a>(&'a self, chat: Option<&'a ChatId>) -> Waiting<'a>;

    /// Waits until nobody looks for calls of this chat that were left running. Who has it runs a tool beside others, one that does not touch
    /// the chat's files (C35); many may have it at once.
    fn to_run_beside<'a>(&'a self, chat: &'a ChatId) -> Waiting<'a>;

    /// Waits until nobody changes this chat.
    fn to_change<'a>(&'a self, chat: &'a ChatId) -> Waiting<'a>;
}

/// A turn that is waited for.
pub type Waiting<'a> = Pin<Box<dyn Future<Output = Turn> + 'a>>;

/// A turn. Dropping it lets the next one go on.
pub struct Turn(#[expect(dead_code, reason = "held for being dropped")] Box<dyn Any>);

impl Turn {
    /// The turn that lasts as long as this.
    #[must_use]
    pub fn held(by: impl Any) -> Self {
        Self(Box::new(by))
    }
}
