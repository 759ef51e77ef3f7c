//! The files of a chat: paths, trees of content-addressed folders, and the states that follow the tree of messages.
//!
//! A state is a [`WorkspaceManifest`](crate::record::WorkspaceManifest), which names the tree of its top folder; each folder is one
//! blob that names its files and folders, as in git. Equal folders are one blob, so a state costs what changed.
//!
//! Nothing here reads storage. A function that needs folders takes the [`Trees`] known so far and, where some are lacking,
//! answers [`WorkspaceError::Missing`] with all it can name; [`read`] loads those and asks again. So there is no trait to
//! implement, the same code runs over the memory store and over IndexedDB, and the folders of one level come in one round.

mod case;
mod path;
mod tree;

mod error;
mod limits;
mod trees;

mod content;
mod diff;
mod edit;
mod editing;
mod files;
mod kept_text;
mod left;
mod line_breaks;
mod lines_read;
mod look;
mod moves;

mod history;
mod versions;

mod check;
mod inspect;
mod reach;
mod references;
mod repair;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod properties;

pub use case::refuse_case_collisions;
pub use check::{Finding, Report, Stored, check};
pub use content::{ContentKind, EDITABLE_BYTES, HEX_LINE, Shape, hex_line};
pub use diff::{Change, Diff, diff};
pub use edit::{Changes, Snapshot, build, edit};
pub use editing::{Attempt, Editing, LeftOver, SaveState, Seen};
pub use error::WorkspaceError;
pub use files::{Files, find, flatten, gather, names_beside};
pub use history::{Base, Cause, Made, NewManifest, Place, Standing, branch, choose, first, inherit, record, save_edit};
pub use inspect::{Checked, all_rows, inspect};
pub use kept_text::KeptText;
pub use left::Left;
pub use limits::{LimitError, WorkspaceLimits};
pub use line_breaks::with_breaks_of;
pub use lines_read::LinesRead;
pub use look::Look;
pub use moves::{MoveError, files_at, free_path, rename};
pub use path::{PathError, WorkspacePath};
pub use reach::{NamedBlobs, Rows, blobs_of, garbage, live_blobs, purge_chat, stored_files};
pub use repair::Repair;
pub use tree::{Entry, FileEntry, Folder, Totals, Tree, TreeFault};
pub use trees::{ReadError, Trees, empty_root, read};
pub use versions::{Version, before_last_run, lineage, versions};
