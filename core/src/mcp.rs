//! MCP servers, as the app knows them. The program that speaks MCP is the Satchel server; here is what is decided about it.
//!
//! A server comes in as a configuration that somebody has already ([`Pasted`]).

mod paste;

pub use paste::{AskedValue, PasteError, PasteFault, PasteKnown, PasteLimits, Pasted, PastedServer, Renamed};
