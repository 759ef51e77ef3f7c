//! MCP servers for the tools' worker, by way of the Satchel server: which are wanted, how they are doing, and calls of their tools.
//!
//! One worker over all tabs follows how they are doing; what it learns it stores, and tells every tab that there is something to read. Every
//! worker makes its own calls; what they tell and ask on the way comes by that one worker too, which has the only stream of events.

mod calls;
mod following;
mod hub;
mod line;
mod listening;

pub(super) use calls::Servers;
pub(super) use following::follow;
pub(super) use line::{LineError, ServerLine};
