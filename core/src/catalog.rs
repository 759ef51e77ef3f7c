//! Toolsets and their tools: what they are called, which are installed, what is in effect of them, and whether it can be used.
//!
//! A [`Toolset`](crate::record::Toolset) row names its package; [`InstalledToolset`] is that row with everything that is stored under
//! it. What an author declared is changed by [`overrides_in_effect`]; what comes out of it is an [`EffectiveTool`]. Beside those that are
//! installed there is always the toolset of the tools that are compiled in. Which tools a chat uses is its [`Selection`], and what a model
//! calls them is in [`WireNames`].

mod apart;
mod availability;
mod built_in;
mod described;
mod installed;
mod legacy_id;
mod lifecycle;
mod names;
mod overrides;
#[cfg(test)]
pub(crate) mod sample;
mod selection;
mod shelf;
mod slug;
mod source;
mod tokens;
mod tools;
mod wanted_secrets;
mod wire_names;

pub use apart::{Differences, files_differ, put_together, tools_differ};
pub use availability::{ServerStanding, Surroundings, Unavailable};
pub use described::{Described, described_key};
pub use installed::{InstalledToolset, ToolsetFault, ToolsetList};
pub use legacy_id::{LegacyIdError, own_name};
pub use lifecycle::{
    BuiltInStays, ToolsetLimits, is_due_for_purge, purge_expired, restore, set_enabled, soft_delete, undo_ends,
};
pub(crate) use names::EXA;
pub use names::{NameError, ServerId, ServerKey, ToolId, ToolName, ToolsetId};
pub use overrides::{overrides_in_effect, set_tool_enabled};
pub use selection::{
    Checkbox, LAST_SELECTION_KEY, Offered, SelectableTool, SelectableToolset, SelectedCount, Selection,
};
pub use shelf::ToolShelf;
pub use slug::{Slug, SlugError, VersionLabel};
pub use source::module_files;
pub use tokens::definition_tokens;
pub use tools::EffectiveTool;
pub use wanted_secrets::{SecretPlace, SecretStanding, SecretWant, secret_standings};
pub use wire_names::{Restored, WireNames, legal};
