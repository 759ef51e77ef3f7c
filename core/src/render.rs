//! How the result of a tool call is shown: from what a toolset declares to a plan that is stored with the call, and from the
//! stored plan to a view that the app draws.
//!
//! A [`RenderPlan`] is made once, after the call, and keeps its expressions resolved and its files pinned by hash, so that an old
//! branch shows what it showed then. [`View`] reads it again. Neither of them ever fails: what cannot be shown as declared is
//! shown as plain JSON with a note that says why. [`Plain`] finds what a result is whose tool declares nothing, [`Shown`] what a
//! tool showed while it ran.

mod address;
mod assets;
mod config;
mod declared;
mod display;
mod expression;
mod height;
mod html;
mod inject;
mod label;
mod language;
mod limits;
mod markdown;
mod page;
mod patch;
mod path;
mod picture;
mod plain;
mod plan;
mod style_sheet;
mod table;
mod terminal;
mod view;

pub use address::{AddressError, FrameAddress, Page};
pub use assets::ToolsetFiles;
pub use config::{ConfigError, FrameTarget, RenderConfig, Source};
pub use declared::Declared;
pub use display::Shown;
pub use expression::{ExpressionScope, Interpolated, TooLarge, interpolate};
pub use height::FrameHeight;
pub use inject::inject_data;
pub use label::CallLabel;
pub use language::{language_named, language_of};
pub use limits::RenderLimits;
pub use markdown::{Block, GrowingDocument, Growth, Inline, ListItem, Side, markdown};
pub use page::{PageFiles, picture_page, self_contained};
pub use patch::{PatchLine, PatchLineKind, PatchedFile, is_patch, patched_files};
pub use picture::DataPicture;
pub use plain::{Fields, Plain, TerminalText};
pub use plan::{Outcome, PlanInput, PlanRenderer, RenderPlan};
pub use table::{Column, Direction, Table, TableRow};
pub use terminal::{Ink, Line, Span, terminal_lines};
pub use view::{FileView, FrameView, SourceView, View};
