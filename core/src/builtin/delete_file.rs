//! `delete_file`: a file or a folder goes. The state before stays in the chat's history.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::view::path;
use super::{Failure, View};
use crate::store::Store;
use crate::workspace::files_at;

pub(super) const TOOL: Builtin = Builtin {
    which: Which::DeleteFile,
    name: "delete_file",
    title: "Delete file",
    description: "Deletes a file of the workspace or, with recursive, a folder and everything in it, and returns how many files were deleted. The user can restore them from the history of the chat's files.",
    writes: true,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path of the file or folder."},
            "recursive": {"type": "boolean", "default": false, "description": "Delete a folder with everything in it."},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "files": {"type": "integer"}},
        "required": ["path", "files"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: String,
    #[serde(default)]
    recursive: bool,
}

pub(super) fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let path = path(arguments.path.strip_suffix('/').unwrap_or(&arguments.path))?;
    let files = files_at(view.files, &path).count();
    match view.files.contains_key(&path) {
        false if files == 0 => return Err(view.not_found(&path)),
        false if !arguments.recursive => return Err(Failure::FolderStays { path, files }),
        true | false => {}
    }
    view.change(|changes| changes.delete(path.clone()));
    Ok(json!({"path": path.as_str(), "files": files}))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{changes, check, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("src/b.py", "1"), ("src/lib/c.py", "2")];

    #[test]
    fn files_go_and_folders_if_that_is_said() {
        changes(FILES, "delete_file", json!({"path": "a.txt"}), &FILES[1..]);
        let arguments = json!({"path": "src/", "recursive": true});
        check(FILES, "delete_file", arguments.clone(), json!({"path": "src", "files": 2}));
        changes(FILES, "delete_file", arguments, &FILES[..1]);
    }

    #[test]
    fn what_cannot_be_deleted_is_said() {
        let refused = |arguments: Value, message: &str| refuses(FILES, "delete_file", arguments, message);
        refused(
            json!({"path": "src"}),
            "\"src\" is a folder of 2 files; ask with \"recursive\": true to delete it with all of them",
        );
        refused(
            json!({"path": "a"}),
            "there is no file \"a\" in this workspace; list_files and find_files say what is there",
        );
    }
}
