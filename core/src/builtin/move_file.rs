//! `move_file`: a file or a folder gets another path.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::view::path;
use super::{Failure, View};
use crate::store::Store;
use crate::workspace::{files_at, rename};

pub(super) const TOOL: Builtin = Builtin {
    which: Which::MoveFile,
    name: "move_file",
    title: "Move file",
    description: "Moves or renames a file of the workspace, or a folder with everything in it, and returns how many files were moved. Nothing is overwritten: it fails if the new path already exists.",
    writes: true,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "from": {"type": "string", "description": "The path of the file or folder."},
            "to": {"type": "string", "description": "The new path, including the name."},
        },
        "required": ["from", "to"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}, "files": {"type": "integer"}},
        "required": ["from", "to", "files"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    from: String,
    to: String,
}

pub(super) fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let trimmed = |text: &str| path(text.strip_suffix('/').unwrap_or(text));
    let (from, to) = (trimmed(&arguments.from)?, trimmed(&arguments.to)?);
    let files = files_at(view.files, &from).count();
    if files == 0 {
        return Err(view.not_found(&from));
    }
    if to.is_left_out() {
        return Err(Failure::LeftOut(to));
    }
    let moved = rename(view.files, &from, &to)?;
    view.change(|_nothing_yet| moved);
    Ok(json!({"from": from.as_str(), "to": to.as_str(), "files": files}))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{changes, check, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("src/b.py", "1"), ("src/lib/c.py", "2")];

    #[test]
    fn files_and_folders_move() {
        let arguments = json!({"from": "src/", "to": "code"});
        check(FILES, "move_file", arguments.clone(), json!({"from": "src", "to": "code", "files": 2}));
        changes(FILES, "move_file", arguments, &[("a.txt", "one"), ("code/b.py", "1"), ("code/lib/c.py", "2")]);
        changes(
            FILES,
            "move_file",
            json!({"from": "a.txt", "to": "src/a.txt"}),
            &[("src/a.txt", "one"), FILES[1], FILES[2]],
        );
        changes(FILES, "move_file", json!({"from": "a.txt", "to": "A.txt"}), &[("A.txt", "one"), FILES[1], FILES[2]]);
    }

    #[test]
    fn what_cannot_be_moved_is_said() {
        let refused =
            |from: &str, to: &str, message: &str| refuses(FILES, "move_file", json!({"from": from, "to": to}), message);
        refused("b.txt", "c.txt", "there is no file \"b.txt\" in this workspace; did you mean \"a.txt\"?");
        refused("a.txt", "src", "\"src\" already exists; choose another name, or delete that one first");
        refused("src", "src/lib/d", "\"src/lib/d\" is inside \"src\"; choose a place outside of it");
    }
}
