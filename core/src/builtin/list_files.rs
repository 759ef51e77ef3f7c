//! `list_files`: what is in a folder.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::near::near;
use super::view::{below, folder, is_in};
use super::{Failure, View};
use crate::store::Store;
use crate::workspace::WorkspacePath;

pub(super) const TOOL: Builtin = Builtin {
    which: Which::ListFiles,
    name: "list_files",
    title: "List files",
    description: "Lists the files and folders in one folder of the workspace, with sizes in bytes; with recursive, every file at any depth. Returns at most max_entries entries, and says so when there are more.",
    writes: false,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The folder to list. The top folder if omitted."},
            "recursive": {"type": "boolean", "default": false, "description": "List all files at any depth, not only this folder."},
            "max_entries": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200, "description": "The most entries to return."},
        },
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "entries": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "type": {"enum": ["file", "folder"]},
                    "size": {"type": "integer"},
                    "files": {"type": "integer", "description": "How many files a folder holds, at any depth."},
                },
            }},
            "total": {"type": "integer"},
            "truncated": {"type": "string"},
        },
        "required": ["path", "entries", "total"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: Option<String>,
    #[serde(default)]
    recursive: bool,
    max_entries: Option<usize>,
}

pub(super) fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let Arguments { path, recursive, max_entries } = arguments;
    let folder = folder(path.as_deref())?;
    let inside: Vec<_> = view.files.iter().filter(|(path, _)| is_in(path, folder.as_ref())).collect();
    if let (Some(path), true) = (&folder, inside.is_empty()) {
        view.files.get(path).map_or_else(|| Err(no_folder(view, path)), |_file| Ok(()))?;
    }
    let entries: Vec<Value> = if recursive {
        let line = |(path, file): &(&WorkspacePath, &crate::workspace::FileEntry)| json!({"path": path.as_str(), "type": "file", "size": file.size});
        inside.iter().map(line).collect()
    } else {
        one_level(&inside, folder.as_ref())
    };
    // A file is what is at its own path.
    let itself = folder.as_ref().and_then(|path| Some((path, view.files.get(path)?)));
    let itself = itself.map(|(path, file)| json!({"path": path.as_str(), "type": "file", "size": file.size}));
    let entries: Vec<Value> = itself.into_iter().chain(entries).collect();
    let (total, most) = (entries.len(), view.entries(max_entries));
    let mut result = json!({
        "path": folder.as_ref().map_or("", WorkspacePath::as_str),
        "entries": entries.into_iter().take(most).collect::<Vec<_>>(),
        "total": total,
    });
    if total > most {
        result["truncated"] =
            format!("{most} of {total} entries are shown; ask for a folder in it, or use find_files").into();
    }
    Ok(result)
}

fn one_level(inside: &[(&WorkspacePath, &crate::workspace::FileEntry)], folder: Option<&WorkspacePath>) -> Vec<Value> {
    let (mut folders, mut files) = (BTreeMap::<String, (u64, u64)>::new(), Vec::new());
    for (path, file) in inside {
        match below(path, folder).split_once('/') {
            None => files.push(json!({"path": path.as_str(), "type": "file", "size": file.size})),
            Some((name, _)) => {
                let above = folder.map_or_else(String::new, |folder| format!("{folder}/"));
                let (size, count) = folders.entry(format!("{above}{name}")).or_default();
                *size += file.size;
                *count += 1;
            }
        }
    }
    let line = |(path, (size, files))| json!({"path": path, "type": "folder", "size": size, "files": files});
    folders.into_iter().map(line).chain(files).collect()
}

/// That there is no folder, with the names of those that may have been meant.
pub(super) fn no_folder<S>(view: &View<'_, S>, path: &WorkspacePath) -> Failure {
    let folders: std::collections::BTreeSet<&str> = (view.files.keys())
        .flat_map(|path| path.as_str().match_indices('/').map(move |(at, _)| &path.as_str()[..at]))
        .collect();
    Failure::NoFolder { path: path.clone(), near: near(path.as_str(), folders.into_iter()) }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{check, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[("README.md", "hello"), ("src/a.py", "1"), ("src/lib/b.py", "22")];

    #[test]
    fn one_level_has_folders_first() {
        check(
            FILES,
            "list_files",
            json!({}),
            json!({"path": "", "entries": [
                {"path": "src", "type": "folder", "size": 3, "files": 2},
                {"path": "README.md", "type": "file", "size": 5},
            ], "total": 2}),
        );
        check(
            FILES,
            "list_files",
            json!({"path": "./src/"}),
            json!({"path": "src", "entries": [
                {"path": "src/lib", "type": "folder", "size": 2, "files": 1},
                {"path": "src/a.py", "type": "file", "size": 1},
            ], "total": 2}),
        );
        check(&[], "list_files", json!({"path": "."}), json!({"path": "", "entries": [], "total": 0}));
    }

    #[test]
    fn all_below_in_as_many_as_are_asked_for() {
        check(
            FILES,
            "list_files",
            json!({"recursive": true, "max_entries": 2}),
            json!({"path": "", "entries": [
                {"path": "README.md", "type": "file", "size": 5},
                {"path": "src/a.py", "type": "file", "size": 1},
            ], "total": 3, "truncated": "2 of 3 entries are shown; ask for a folder in it, or use find_files"}),
        );
        check(
            FILES,
            "list_files",
            json!({"path": "src/a.py"}),
            json!({"path": "src/a.py", "entries": [{"path": "src/a.py", "type": "file", "size": 1}], "total": 1}),
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_said() {
        refuses(
            FILES,
            "list_files",
            json!({"path": "scr"}),
            "there is no folder \"scr\" in this workspace; list_files and find_files say what is there",
        );
        refuses(
            FILES,
            "list_files",
            json!({"path": "src/Lib"}),
            "there is no folder \"src/Lib\" in this workspace; did you mean \"src/lib\"?",
        );
        refuses(
            FILES,
            "list_files",
            json!({"path": "../x"}),
            "\"../x\" contains \"..\", which may lead out of the workspace; write the folders by name",
        );
    }
}
