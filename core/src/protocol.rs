//! What app and server say to each other.
//!
//! The two never know one another's code; they meet in these types. Every one of them has a snapshot test, because a change
//! here is a change between programs of different age.

mod policy;
mod problem;

pub use policy::{AccountSummary, Capability, Policy};
pub use problem::{Problem, ProblemBody, ProblemCode};
