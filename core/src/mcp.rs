//! MCP servers, as the app knows them. The program that speaks MCP is the Satchel server; here is what is decided about it.
//!
//! A server comes in as a configuration that somebody has already ([`Pasted`]) or by a form, and becomes a toolset of its own
//! ([`NewServer`]). What has to be said to the Satchel server follows from the toolsets that are switched on ([`Publication`]). What a server
//! offers is seen while it is connected and remembered ([`SeenServer`]); its tools are then tools like any other, each pinned to what it was
//! when it was first used ([`PinStanding`](crate::pins::PinStanding)). What came of a call is made a result in [`CallReading`].

mod added;
mod change;
mod command_line;
mod concealed;
mod definition;
mod events;
mod paste;
mod publication;
mod reference;
mod result;
#[cfg(test)]
pub(crate) mod scripted;
mod seen;
mod server_call;
#[cfg(test)]
mod tests;

pub use added::{AddError, NewServer};
pub use change::{Change, changes};
pub use command_line::command_words;
pub use concealed::Concealed;
pub use definition::server_identity;
pub use events::{EventReader, EventTooLarge};
pub use paste::{AskedValue, PasteError, PasteFault, PasteKnown, PasteLimits, Pasted, PastedServer, Renamed};
pub use publication::{OwnPublications, Publication, PublishedElsewhere, definition_of, definitions_wanted};
pub use reference::{ref_id, same_reference};
pub use result::{CallReading, ReadFile};
pub use seen::{SeenLimits, SeenServer, SeenTool, note_seen};
pub use server_call::{CallServer, NoServers, ServerCall, ServerCallEnd};
