//! The tools that are compiled in: they look at the files of a chat and change them (R084, C30).
//!
//! A run is pure but for reading contents: it gets checked arguments and a [`View`] of the workspace before the call, and gives a result
//! and what to change, or a [`Failure`], in which case nothing is changed. It needs no cage, no network and no Python. Who may call it,
//! what is recorded and how it is shown is the same as for every other tool ([`tool_run`](crate::tool_run)).
//!
//! Their ids have no namespace (R085); together they are the toolset `builtin` (C05), which [`catalog`](crate::catalog) puts beside those
//! that are installed. None of them asks before it runs (C41): what they change is one state of the chat's files, and the one before stays.

mod compiled_in;
mod declaration;
mod duplicate;
mod failure;
mod limits;
mod view;

mod glob;
mod json_path;
mod lines;
mod near;
mod patch;

mod apply_patch;
mod delete_file;
mod edit_file;
mod file_info;
mod find_files;
mod list_files;
mod move_file;
mod query_json;
mod read_file;
mod search_text;
mod write_file;

#[cfg(test)]
mod sample;

pub(crate) use compiled_in::CompiledIn;
pub use declaration::{Builtin, managing, rows, toolset_uid};
pub use duplicate::{copy_id, copy_manifest};
pub use failure::Failure;
pub use limits::BuiltinLimits;
pub(crate) use near::near;
pub use patch::{HunkFault, PatchFault};
pub use view::{Done, View};

use declaration::Which;
use serde_json::Value;

use crate::catalog::ToolId;
use crate::record::Tool;
use crate::saved::Management;
use crate::store::Store;

/// All of them, in the order in which they are listed.
pub const TOOLS: [Builtin; 11] = [
    list_files::TOOL,
    find_files::TOOL,
    file_info::TOOL,
    read_file::TOOL,
    search_text::TOOL,
    query_json::TOOL,
    write_file::TOOL,
    edit_file::TOOL,
    apply_patch::TOOL,
    move_file::TOOL,
    delete_file::TOOL,
];

/// The tool of this id.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    const { &TOOLS }.iter().find(|tool| tool.name == name)
}

/// The function that a tool of a bundle stands for: the one it names, or the one of its own name.
#[must_use]
pub fn of_tool(tool: &Tool) -> Option<&'static Builtin> {
    find(tool.entrypoint.as_deref().unwrap_or_else(|| tool.tool_id.name()))
}

/// Whether there is a function for a tool; those that manage saved toolsets are named by themselves alone.
#[must_use]
pub fn is_compiled_in(tool: &Tool) -> bool {
    let manages = matches!(tool.tool_id, ToolId::BuiltIn(_)) && Management::of_name(tool.tool_id.name()).is_some();
    manages || of_tool(tool).is_some()
}

/// Runs a tool. Its arguments have been checked against its schema.
pub async fn run<S: Store>(tool: &Builtin, arguments: Value, mut view: View<'_, S>) -> Result<Done, Failure> {
    let view_mut = &mut view;
    let result = match tool.which {
        Which::ListFiles => list_files::run(view::read(arguments)?, view_mut),
        Which::FindFiles => find_files::run(view::read(arguments)?, view_mut),
        Which::FileInfo => file_info::run(view::read(arguments)?, view_mut).await,
        Which::ReadFile => read_file::run(view::read(arguments)?, view_mut).await,
        Which::SearchText => search_text::run(view::read(arguments)?, view_mut).await,
        Which::QueryJson => query_json::run(view::read(arguments)?, view_mut).await,
        Which::WriteFile => write_file::run(view::read(arguments)?, view_mut),
        Which::EditFile => edit_file::run(view::read(arguments)?, view_mut).await,
        Which::ApplyPatch => apply_patch::run(view::read(arguments)?, view_mut).await,
        Which::MoveFile => move_file::run(view::read(arguments)?, view_mut),
        Which::DeleteFile => delete_file::run(view::read(arguments)?, view_mut),
    }?;
    Ok(view.done(result))
}
