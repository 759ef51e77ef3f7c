//! `apply_patch`: a unified diff of one file or several, all of it or nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::patch::{FilePatch, Mark, apply, parse};
use super::view::path;
use super::{Failure, View};
use crate::store::Store;
use crate::workspace::{WorkspacePath, files_at};

pub(super) const TOOL: Builtin = Builtin {
    which: Which::ApplyPatch,
    name: "apply_patch",
    title: "Apply patch",
    description: "Applies a unified diff to one or more text files of the workspace, all of it or nothing; it can change, create, rename and delete files. Context lines must match the file exactly, but line numbers may be off. With dry_run it only checks whether the patch applies.",
    writes: true,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "patch": {"type": "string", "minLength": 1, "description": "The unified diff: \"--- a/path\", \"+++ b/path\", then hunks. Use /dev/null in place of a path to create or delete a file."},
            "dry_run": {"type": "boolean", "default": false, "description": "Check the patch without changing any file."},
        },
        "required": ["patch"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "dry_run": {"type": "boolean"},
            "files": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "action": {"enum": ["changed", "created", "deleted", "renamed"]},
                    "from": {"type": "string"},
                    "added": {"type": "integer"},
                    "removed": {"type": "integer"},
                    "moved_hunks": {"type": "integer", "description": "How many hunks applied at a different line than they say."},
                },
            }},
        },
        "required": ["dry_run", "files"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    patch: String,
    #[serde(default)]
    dry_run: bool,
}

/// The files that the patch has touched so far; none for one that has gone. A patch may come back to a file.
type Touched = BTreeMap<WorkspacePath, Option<String>>;

pub(super) async fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let Arguments { patch, dry_run } = arguments;
    let mut touched = Touched::new();
    let mut told = Vec::new();
    for file in parse(&patch)? {
        told.push(one(&file, &mut touched, view).await?);
    }
    for (path, text) in touched.into_iter().filter(|_| !dry_run) {
        match text {
            Some(text) => {
                view.put(path, text)?;
            }
            None => view.change(|changes| changes.delete(path)),
        }
    }
    Ok(json!({"dry_run": dry_run, "files": told}))
}

/// What the patch does to one file.
async fn one<S: Store>(file: &FilePatch, touched: &mut Touched, view: &View<'_, S>) -> Result<Value, Failure> {
    let named = |name: &Option<String>| name.as_deref().map(path).transpose();
    let (old, new) = (named(&file.old)?, named(&file.new)?);
    let is_there = |touched: &Touched, path: &WorkspacePath| match touched.get(path) {
        Some(text) => text.is_some(),
        None => files_at(view.files, path).next().is_some(),
    };
    if let Some(new) = new.as_ref().filter(|new| old.as_ref() != Some(new))
        && is_there(touched, new)
    {
        return Err(Failure::PatchMakes(new.clone()));
    }
    let text = match &old {
        None => String::new(),
        Some(path) => match touched.get(path) {
            Some(Some(text)) => text.clone(),
            Some(None) => return Err(view.not_found(path)),
            None => view.text(path).await?,
        },
    };
    let Some(at) = new.as_ref().or(old.as_ref()).cloned() else { return Err(super::patch::PatchFault::Empty.into()) };
    let applied = apply(&text, &file.hunks).map_err(|(number, fault)| Failure::Hunk {
        path: old.as_ref().unwrap_or(&at).clone(),
        number,
        line: file.hunks.get(number - 1).map_or(0, |hunk| hunk.at),
        fault,
    })?;
    let sum = |mark: Mark| file.hunks.iter().map(|hunk| hunk.count(mark)).sum::<usize>();
    let action = match (&old, &new) {
        (None, _) => "created",
        (Some(_), None) => "deleted",
        (Some(old), Some(new)) if old == new => "changed",
        (Some(_), Some(_)) => "renamed",
    };
    let mut told =
        json!({"path": at.as_str(), "action": action, "added": sum(Mark::Add), "removed": sum(Mark::Remove)});
    if applied.moved > 0 {
        told["moved_hunks"] = applied.moved.into();
    }
    match (old, new) {
        (Some(old), None) => {
            if !file.hunks.is_empty() && !applied.text.is_empty() {
                return Err(Failure::PatchLeaves(old));
            }
            touched.insert(old, None);
        }
        (old, Some(new)) => {
            if let Some(old) = old.filter(|old| *old != new) {
                told["from"] = old.as_str().into();
                touched.insert(old, None);
            }
            touched.insert(new, Some(applied.text));
        }
        (None, None) => {}
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{changes, check, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[("a.txt", "1\n2\n3\n"), ("b.bin", "\0"), ("src/c.py", "x = 1\n")];

    const PATCH: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n--- /dev/null\n+++ b/new/d.txt\n@@ -0,0 +1 @@\n+d\n\
        diff --git a/src/c.py b/src/e.py\nrename from src/c.py\nrename to src/e.py\n--- a/src/c.py\n+++ b/src/e.py\n@@ -4 +4 @@\n-x = 1\n+x = 2\n";

    #[test]
    fn a_patch_is_applied_whole() {
        let files = json!([
            {"path": "a.txt", "action": "changed", "added": 1, "removed": 1},
            {"path": "new/d.txt", "action": "created", "added": 1, "removed": 0},
            {"path": "src/e.py", "action": "renamed", "added": 1, "removed": 1, "moved_hunks": 1, "from": "src/c.py"},
        ]);
        check(FILES, "apply_patch", json!({"patch": PATCH}), json!({"dry_run": false, "files": files}));
        let after = [("a.txt", "1\ntwo\n3\n"), ("b.bin", "\0"), ("new/d.txt", "d\n"), ("src/e.py", "x = 2\n")];
        changes(FILES, "apply_patch", json!({"patch": PATCH}), &after);
        check(FILES, "apply_patch", json!({"patch": PATCH, "dry_run": true}), json!({"dry_run": true, "files": files}));
        changes(FILES, "apply_patch", json!({"patch": PATCH, "dry_run": true}), FILES);
    }

    #[test]
    fn files_go_and_can_be_touched_twice() {
        let gone = "--- a/a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-1\n-2\n-3\n";
        changes(FILES, "apply_patch", json!({"patch": gone}), &FILES[1..]);
        let twice = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-1\n+one\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+uno\n";
        changes(FILES, "apply_patch", json!({"patch": twice}), &[("a.txt", "uno\n2\n3\n"), FILES[1], FILES[2]]);
    }

    /// One hunk that does not fit, and nothing is changed.
    #[test]
    fn what_does_not_fit_is_said() {
        let patch = |patch: &str, message: &str| refuses(FILES, "apply_patch", json!({"patch": patch}), message);
        patch(
            &PATCH.replace("x = 1", "x = 7"),
            "hunk 1 of \"src/c.py\" (line 17 of the patch) does not apply: it expects \"x = 7\" at line 1, and there is \"x = 1\"; read the file and write the hunk again",
        );
        patch(
            "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n",
            "the patch creates \"a.txt\", which already exists; change it, or delete it first",
        );
        patch(
            "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
            "the patch deletes \"a.txt\" and leaves lines of it; remove all of them, or change the file instead",
        );
        patch(
            "--- b.bin\n+++ b.bin\n@@ -1 +1 @@\n-1\n+2\n",
            "\"b.bin\" is not text (binary, 1 bytes); read_file and file_info say what is in it",
        );
        patch(
            "--- a/c.py\n+++ b/c.py\n@@ -1 +1 @@\n-1\n+2\n",
            "there is no file \"c.py\" in this workspace; did you mean \"src/c.py\"?",
        );
        patch(
            "no patch",
            "the patch cannot be read: it names no file; write a unified diff: \"--- a/path\", \"+++ b/path\", then hunks that begin with \"@@ -1,3 +1,4 @@\"",
        );
    }
}
