//! What runs a model in the page: `app/page-model` and wllama, made one script by esbuild, and llama.cpp as WebAssembly.

use std::path::PathBuf;

use crate::files;
use crate::process;
use crate::project::Project;

use super::AppBuildError;

/// llama.cpp, in the package.
const WASM: &str = "@wllama/wllama/esm/wasm/wllama.wasm";

/// Bundles it; the folder it is in.
pub(super) fn bundle(project: &Project) -> Result<PathBuf, AppBuildError> {
    let output = project.scratch().join("page-model");
    files::remove_folder(&output)?;
    let mut esbuild = process::command(project.node_modules().join(".bin/esbuild"));
    esbuild
        .arg("app/page-model/page_model.ts")
        .args(["--bundle", "--format=esm", "--minify", "--target=es2022"])
        .args(["--legal-comments=eof", "--entry-names=[name]", "--log-level=warning"])
        .arg(format!("--outdir={}", output.display()))
        // The packages are not beside the sources.
        .env("NODE_PATH", project.node_modules())
        .current_dir(project.root());
    process::run(&mut esbuild)?;
    files::copy(&project.node_modules().join(WASM), &output.join("wllama.wasm"))?;
    Ok(output)
}
