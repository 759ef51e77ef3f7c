//! Saved toolsets: named selections of single tools over all toolsets and servers, as hypertool-mcp has them (R132–R158).
//!
//! A saved toolset holds references and nothing else. What they stand for is found anew each time, among the tools that are known now
//! ([`Discovery`]): a reference whose two halves do not name the same tool any more is rejected, unless its toolset says otherwise
//! ([`ToolResolution`]). A [`Shelf`] is all of them with what is equipped; every operation works on a shelf, so that the app, whose shelf is
//! in its store ([`Kept`]), and the hub of the Satchel server, whose shelf was published to it, do the same. What a model or another program
//! may call is in [`Management`].

mod answers;
mod context;
mod discovery;
mod error;
mod file;
mod hub;
mod hub_http;
mod kept;
mod manage;
mod management;
mod publishing;
mod resolution;
mod shelf;
#[cfg(test)]
mod tests;
mod toolset_manager;

pub use answers::{active_answer, available_answer, toolset_info};
pub use context::{BUDGET_TOKENS, ContextShare, budget_warning};
pub(crate) use discovery::declared_reference;
pub use discovery::{DiscoveredTool, Discovery, Namespace, NewlyFound};
pub use error::SavedError;
pub use file::{FileShape, Imported};
pub use hub::{Hub, HubOffer};
pub use hub_http::{HubHttpCall, http_secrets};
pub use kept::{Ceiling, Kept, LAST_EQUIPPED_KEY, LastEquipped, begin_equipped, choose_seen, is_entry_offered};
pub use manage::manage;
pub use management::Management;
pub use publishing::Reachable;
pub use resolution::{Staleness, ToolResolution};
pub use shelf::{Mode, NewToolset, Shelf};
pub use toolset_manager::{Resolution, ToolsetManager, Validation};
