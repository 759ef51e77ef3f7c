//! `find_files`: files by a pattern of their paths.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::glob::Glob;
use super::view::{below, folder, is_in};
use super::{Failure, View};
use crate::store::Store;

pub(super) const TOOL: Builtin = Builtin {
    which: Which::FindFiles,
    name: "find_files",
    title: "Find files",
    description: "Finds files of the workspace by a glob pattern, such as \"*.py\", \"src/**/*.rs\" or \"**/{test,spec}_*\", and returns their paths and sizes. A pattern without a slash matches file names in every folder.",
    writes: false,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "glob": {"type": "string", "minLength": 1, "description": "The pattern: * and ? match within a name, ** matches any folders, and [a-z] and {one,other} are supported."},
            "path": {"type": "string", "description": "The folder to search; the pattern is relative to it. The whole workspace if omitted."},
            "max_entries": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200, "description": "The most files to return."},
        },
        "required": ["glob"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "files": {"type": "array", "items": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "size": {"type": "integer"}},
            }},
            "total": {"type": "integer"},
            "truncated": {"type": "string"},
        },
        "required": ["files", "total"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    glob: String,
    path: Option<String>,
    max_entries: Option<usize>,
}

pub(super) fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let Arguments { glob, path, max_entries } = arguments;
    let glob = Glob::read(&glob, view.limits.pattern_bytes)?;
    let folder = folder(path.as_deref())?;
    let fits =
        view.files.iter().filter(|(path, _)| is_in(path, folder.as_ref()) && glob.fits(below(path, folder.as_ref())));
    let found: Vec<Value> = fits.map(|(path, file)| json!({"path": path.as_str(), "size": file.size})).collect();
    let (total, most) = (found.len(), view.entries(max_entries));
    let mut result = json!({"files": found.into_iter().take(most).collect::<Vec<_>>(), "total": total});
    if total > most {
        result["truncated"] = format!("{most} of {total} files are shown; use a narrower glob").into();
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{check, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[("a.py", "1"), ("src/b.py", "22"), ("src/lib/c.py", ""), ("src/d.md", "")];

    #[test]
    fn files_are_found_by_their_paths() {
        let found = |files: &[(&str, u64)]| {
            let files: Vec<Value> = files.iter().map(|(path, size)| json!({"path": path, "size": size})).collect();
            json!({"total": files.len(), "files": files})
        };
        check(
            FILES,
            "find_files",
            json!({"glob": "*.py"}),
            found(&[("a.py", 1), ("src/b.py", 2), ("src/lib/c.py", 0)]),
        );
        check(FILES, "find_files", json!({"glob": "/*", "path": "src"}), found(&[("src/b.py", 2), ("src/d.md", 0)]));
        check(FILES, "find_files", json!({"glob": "*.rs"}), found(&[]));
        let cut = json!({"files": [{"path": "a.py", "size": 1}], "total": 4, "truncated": "1 of 4 files are shown; use a narrower glob"});
        check(FILES, "find_files", json!({"glob": "**", "max_entries": 1}), cut);
    }

    #[test]
    fn a_bad_glob_is_refused() {
        refuses(FILES, "find_files", json!({"glob": "[a"}), "the pattern \"[a\" cannot be read: a \"[\" is not closed");
    }
}
