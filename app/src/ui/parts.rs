//! Small components that several pages use.

pub(crate) mod agreement;
pub(crate) mod bytes;
pub(crate) mod choice;
pub(crate) mod empty_state;
pub(crate) mod icon;
pub(crate) mod logo;
pub(crate) mod removal;
pub(crate) mod sentence;
pub(crate) mod switch;

pub(crate) use agreement::Agreement;
pub(crate) use bytes::in_words;
pub(crate) use choice::{Choice, ChoiceOption};
pub(crate) use empty_state::EmptyState;
pub(crate) use icon::{Icon, IconName};
pub(crate) use logo::Logo;
pub(crate) use removal::Removal;
pub(crate) use sentence::sentence;
pub(crate) use switch::Switch;
