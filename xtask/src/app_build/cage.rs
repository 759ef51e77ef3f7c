//! The inside of the cage: the scripts of `app/cage`, bundled by esbuild, its Python modules, gathered into one file, and the memory
//! of a Python that has loaded them.
//!
//! The page hands them into the cage by their bare names, so each script is one that imports nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{self, AtPath, FileError};
use crate::process;
use crate::project::Project;

use super::AppBuildError;

/// The program of the cage, from the top of the clone.
const PROGRAM: &str = "app/cage/cage.ts";
/// The shell behind `subprocess`, parsed only when a tool needs it.
const SHELL: &str = "app/cage/shell/shell.ts";
/// What the shell's package finds in place of what it expects: text without loss instead of the browser's, and nothing of Node's.
const SHELL_STAND_INS: [&str; 2] =
    ["--inject:app/cage/shell/lossless_text.ts", "--alias:node:zlib=./app/cage/shell/node_zlib.ts"];
/// The Python modules.
const MODULES: &str = "app/cage/python";
/// The script that loads them and keeps the memory.
const SNAPSHOT: &str = "xtask/src/app_build/cage_snapshot.mjs";

/// Makes the files of the cage; the folder they are in.
pub(super) fn bundle(project: &Project) -> Result<PathBuf, AppBuildError> {
    let output = project.scratch().join("cage");
    files::remove_folder(&output)?;
    bundle_script(project, PROGRAM, &[], &output)?;
    bundle_script(project, SHELL, &SHELL_STAND_INS, &output)?;
    let modules = modules(&project.root().join(MODULES))?;
    let text = serde_json::to_vec(&modules).expect("a map of texts is JSON");
    let runtime = output.join("satchel_runtime.json");
    files::write(&runtime, &text)?;
    let mut node = process::command("node");
    node.arg(project.root().join(SNAPSHOT))
        .arg(project.node_modules().join("pyodide"))
        .arg(&runtime)
        .arg(output.join("python.snapshot"));
    process::run(&mut node)?;
    Ok(output)
}

fn bundle_script(project: &Project, script: &str, more: &[&str], output: &Path) -> Result<(), AppBuildError> {
    let mut esbuild = process::command(project.node_modules().join(".bin/esbuild"));
    esbuild
        .arg(script)
        .args(["--bundle", "--format=esm", "--minify", "--target=es2022"])
        .args(["--legal-comments=eof", "--entry-names=[name]", "--log-level=warning"])
        .args(more)
        .arg(format!("--outdir={}", output.display()))
        // The packages are not beside the sources.
        .env("NODE_PATH", project.node_modules())
        .current_dir(project.root());
    process::run(&mut esbuild)?;
    Ok(())
}

/// The text of every module by its path.
fn modules(folder: &Path) -> Result<BTreeMap<String, String>, FileError> {
    let mut modules = BTreeMap::new();
    for file in files::below(folder)?.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "py")) {
        let path = folder.join(&file);
        let text = fs::read_to_string(&path).at("read", &path)?;
        modules.insert(file.display().to_string(), text);
    }
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_gathered_and_what_python_left_beside_them_is_not() {
        let home = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in
            [("a/__init__.py", "\"\"\"A.\"\"\"\n"), ("a/b.py", "b = 1\n"), ("a/__pycache__/b.pyc", "\u{1}")]
        {
            files::write(&home.path().join(name), text.as_bytes()).expect("the folder is writable");
        }
        let expected = [("a/__init__.py", "\"\"\"A.\"\"\"\n"), ("a/b.py", "b = 1\n")];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        assert_eq!(modules(home.path()).expect("the folder is readable"), expected);
    }
}
