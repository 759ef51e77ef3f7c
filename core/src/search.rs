//! Finding things by words: chats, messages on every branch, files and tools (R313).
//!
//! Words are compared without regard to case and accents, and are found inside longer ones too. What is kept in memory is an index of the
//! words, not the texts themselves: the few texts that are shown are read from the store again, so that the index of ten thousand
//! messages is a few megabytes, and what is shown is always what is stored.
//!
//! [`Library`] is the whole: it follows a store and answers a [`Query`]. What it answers with carries plain texts and ranges to mark in
//! them, never markup (I4).

mod files;
mod fold;
mod found;
mod index;
mod library;
mod limits;
mod passage;
mod query;
mod reading;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

pub use found::{ChatHit, FileHit, Found, Group, MessageHit, ToolHit};
pub use library::Library;
pub use limits::{SearchLimits, Wanted};
pub use passage::{Mark, Passage};
pub use query::Query;
