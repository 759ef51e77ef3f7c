//! How the result of a tool call is shown: from what a toolset declares to a plan that is stored with the call, and from the
//! stored plan to a view that the app draws.
//!
//! A [`RenderPlan`] is made once, after the call, and keeps its expressions resolved and its files pinned by hash, so that an old
//! branch shows what it showed then. [`View`] reads it again. Neither of them ever fails: what cannot be shown as declared is
//! shown as plain JSON with a note that says why.

mod address;
mod assets;
mod config;
mod declared;
mod expression;
mod inject;
mod language;
mod limits;
mod path;
mod plan;
mod view;

pub use address::{AddressError, FrameAddress, Page};
pub use assets::ToolsetFiles;
pub use config::{ConfigError, FrameTarget, RenderConfig, Source};
pub use declared::Declared;
pub use expression::{ExpressionScope, Interpolated, TooLarge, interpolate};
pub use inject::inject_data;
pub use language::language_of;
pub use limits::RenderLimits;
pub use plan::{Outcome, PlanInput, PlanRenderer, RenderPlan};
pub use view::{FileView, FrameView, SourceView, View};
