//! Toolsets and their tools: what they are called, which are installed, what is in effect of them, and whether it can be used.
//!
//! A [`Toolset`](crate::record::Toolset) row names its package; [`InstalledToolset`] is that row with everything that is stored under
//! it. What an author declared is changed by [`overrides_in_effect`]; what comes out of it is an [`EffectiveTool`].

mod availability;
mod described;
mod installed;
mod lifecycle;
mod names;
mod overrides;
#[cfg(test)]
mod sample;
mod slug;
mod tools;

pub use availability::{Surroundings, Unavailable};
pub use described::described_key;
pub use installed::{InstalledToolset, ToolsetFault, ToolsetList};
pub use lifecycle::{
    BuiltInStays, ToolsetLimits, is_due_for_purge, purge_expired, restore, set_enabled, soft_delete, undo_ends,
};
pub use names::{NameError, ServerId, ServerKey, ToolId, ToolName, ToolsetId};
pub use overrides::overrides_in_effect;
pub use slug::{Slug, SlugError, VersionLabel};
pub use tools::EffectiveTool;
