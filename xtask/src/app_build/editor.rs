//! The code view of the app: `app/editor` and CodeMirror, made one script by esbuild, with a file of its own for each language.

use std::path::PathBuf;

use crate::files;
use crate::process;
use crate::project::Project;

use super::AppBuildError;

/// Bundles the editor; the folder it is in.
pub(super) fn bundle(project: &Project) -> Result<PathBuf, AppBuildError> {
    let output = project.scratch().join("editor");
    files::remove_folder(&output)?;
    let mut esbuild = process::command(project.node_modules().join(".bin/esbuild"));
    esbuild
        .arg("app/editor/editor.ts")
        .args(["--bundle", "--format=esm", "--splitting", "--minify", "--target=es2022"])
        .args(["--legal-comments=eof", "--entry-names=[name]", "--log-level=warning"])
        .arg(format!("--outdir={}", output.display()))
        // The packages are not beside the sources.
        .env("NODE_PATH", project.node_modules())
        .current_dir(project.root());
    process::run(&mut esbuild)?;
    Ok(output)
}
