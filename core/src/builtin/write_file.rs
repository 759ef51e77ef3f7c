//! `write_file`: a text becomes a file.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::lines::lines;
use super::view::path;
use super::{Failure, View};
use crate::record::RendererKind;
use crate::store::Store;
use crate::workspace::files_at;

pub(super) const TOOL: Builtin = Builtin {
    which: Which::WriteFile,
    name: "write_file",
    title: "Write file",
    description: "Writes a text file in the workspace, replacing all of it if it exists. Missing folders are created. To change part of a file, use edit_file or apply_patch instead.",
    writes: true,
    input_schema,
    output_schema,
    renderer: Some((RendererKind::Code, || json!({"file": "$return.path"}))),
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path of the file."},
            "content": {"type": "string", "description": "The whole new content of the file."},
            "overwrite": {"type": "boolean", "default": true, "description": "Whether an existing file may be replaced."},
        },
        "required": ["path", "content"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "created": {"type": "boolean"},
            "changed": {"type": "boolean"},
            "size": {"type": "integer"},
            "lines": {"type": "integer"},
        },
        "required": ["path", "created", "changed", "size", "lines"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: String,
    content: String,
    #[serde(default = "yes")]
    overwrite: bool,
}

const fn yes() -> bool {
    true
}

pub(super) fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let Arguments { path: at, content, overwrite } = arguments;
    let path = path(&at)?;
    let before = view.files.get(&path).copied();
    let files = files_at(view.files, &path).count();
    match before {
        None if files > 0 => return Err(Failure::IsFolder { path, files }),
        Some(file) if !overwrite => return Err(Failure::Exists { path, size: file.size }),
        Some(_) | None => {}
    }
    let count = lines(&content).len();
    let after = view.put(path.clone(), content)?;
    let changed = before.map(|file| file.sha256) != Some(after.sha256);
    Ok(
        json!({"path": path.as_str(), "created": before.is_none(), "changed": changed, "size": after.size, "lines": count}),
    )
}

#[cfg(test)]
mod tests {
    use super::super::sample::{changes, check, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("src/b.py", "1")];

    #[test]
    fn a_file_is_written_whole() {
        let write = |arguments: Value, expected: Value, after: &[(&str, &str)]| {
            check(FILES, "write_file", arguments.clone(), expected);
            changes(FILES, "write_file", arguments, after);
        };
        write(
            json!({"path": "./new/c.txt", "content": "x\ny"}),
            json!({"path": "new/c.txt", "created": true, "changed": true, "size": 3, "lines": 2}),
            &[("a.txt", "one"), ("new/c.txt", "x\ny"), ("src/b.py", "1")],
        );
        write(
            json!({"path": "a.txt", "content": "one"}),
            json!({"path": "a.txt", "created": false, "changed": false, "size": 3, "lines": 1}),
            FILES,
        );
        write(
            json!({"path": "a.txt", "content": ""}),
            json!({"path": "a.txt", "created": false, "changed": true, "size": 0, "lines": 0}),
            &[("a.txt", ""), ("src/b.py", "1")],
        );
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let write = |arguments: Value, message: &str| refuses(FILES, "write_file", arguments, message);
        write(
            json!({"path": "a.txt", "content": "", "overwrite": false}),
            "\"a.txt\" already exists, with 3 bytes; ask with \"overwrite\": true to replace it",
        );
        write(json!({"path": "src", "content": ""}), "\"src\" is a folder of 1 file; name a file in it, or list it");
        write(
            json!({"path": "__pycache__/a", "content": ""}),
            "\"__pycache__/a\" is a by-product of Python, which no workspace keeps; choose another name",
        );
    }
}
