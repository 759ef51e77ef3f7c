//! Keys that mean nothing to us. They are kept as they are (C65), but said: one misspelled `requires_confirmation` is a tool that does not
//! ask.

use super::node::At;
use super::{ManifestError, Place};
use crate::builtin::near;

/// The keys of a tool.
pub const TOOL_KEYS: [&str; 18] = [
    "id",
    "name",
    "description",
    "version",
    "slug",
    "category",
    "tags",
    "type",
    "entrypoint",
    "builtin",
    "goImpl",
    "http",
    "input_schema",
    "output_schema",
    "renderer",
    "requires_confirmation",
    "enabled",
    "timeout_seconds",
];

/// The keys of an MCP server.
pub const SERVER_KEYS: [&str; 10] =
    ["id", "command", "args", "env", "cwd", "url", "transport", "type", "headers", "requires_confirmation"];

/// The keys of what is different about a tool.
pub const OVERRIDE_KEYS: [&str; 7] = [
    "tool_id",
    "renderer",
    "renderer_config",
    "name_override",
    "description_override",
    "requires_confirmation",
    "enabled",
];

/// The keys of a secret that is more than its name.
pub const SECRET_KEYS: [&str; 2] = ["name", "description"];

/// The keys of `network`.
pub const NETWORK_KEYS: [&str; 1] = ["hosts"];

/// Remarks each key of a map that is none of those known.
pub(super) fn remark(
    at: &At<'_>,
    known: &[&'static str],
    remarks: &mut Vec<(Place, String)>,
) -> Result<(), ManifestError> {
    for (key, value) in at.members()?.into_iter().filter(|(key, _)| !known.contains(key)) {
        let meant = near(key, known.iter().copied()).into_iter().next();
        let hint = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
        remarks.push((value.place(), format!("Satchel does not know this key and does nothing with it{hint}")));
    }
    Ok(())
}
