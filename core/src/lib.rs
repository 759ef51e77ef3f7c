//! The domain of Satchel, as pure Rust.
//!
//! Everything that decides anything lives here: what a row is, when a commit may be applied, what app and server say to each
//! other. What it is not: there is no browser, no clock, no randomness, no file and no network in this crate. The time and
//! fresh ids are handed in, effects are handed out, and so all of it is tested natively, in milliseconds.
//!
//! Read the modules in the order in which they are listed: names and digests first, then rows, then the store that keeps them.

#[cfg(any(test, feature = "contract"))]
mod at_once;

mod base64;
pub mod counted;
pub mod digest;
pub mod ids;
pub mod order;
mod pattern;
mod percent;
mod text_id;
pub mod time;

pub mod catalog;
pub mod record;
pub mod settings;
pub mod store;
pub mod workspace;

pub mod bundle;

pub mod model;

pub mod conversation;
pub mod render;

pub mod builtin;
pub mod exa;
pub mod python;

pub mod approval;
pub mod http_tool;
pub mod mcp;
pub mod network;
pub mod pins;
pub mod saved;
pub mod schema;
pub mod tool_run;

pub mod few;
pub mod form;
pub mod palette;
pub mod search;

pub mod turn;

pub mod upkeep;
pub mod verify;
pub mod whole_export;

pub mod local_api;

pub mod protocol;
pub mod sync;
