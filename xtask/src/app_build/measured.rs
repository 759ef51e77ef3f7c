//! The program that measurements drive (`app/src/bench.rs`): built as the app is, optimised as the app is, and never given to others.

use std::path::{Path, PathBuf};

use super::{AppBuildError, lock, optimize};
use crate::files;
use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup;
use crate::toolchain::{WASM_TARGET, WasmToolchain};

const PROGRAM: &str = "satchel-bench";

/// Builds it; the folder with its script and its WebAssembly.
pub(crate) fn measured(project: &Project, toolchain: WasmToolchain) -> Result<PathBuf, AppBuildError> {
    let _lock = lock(project)?;
    report::step("building what is measured");
    let mut cargo = toolchain.cargo(project);
    cargo.args(["build", "--package", "satchel-app", "--bin", PROGRAM, "--features", "bench"]);
    cargo.args(["--profile", "page", "--target", WASM_TARGET]);
    process::run(&mut cargo)?;
    let output = project.scratch().join("measured");
    files::remove_folder(&output)?;
    let tools = setup::tool_folders(project)?;
    let wasm_bindgen = tools.iter().map(|folder| folder.join("wasm-bindgen")).find(|path| path.is_file());
    let mut bindgen = process::command(wasm_bindgen.as_deref().unwrap_or(Path::new("wasm-bindgen")));
    bindgen.args(["--target", "web", "--no-typescript", "--out-dir"]).arg(&output);
    bindgen.arg(toolchain.output(project).join(format!("page/{PROGRAM}.wasm")));
    process::run(&mut bindgen)?;
    optimize::all(&project.node_modules().join(".bin/wasm-opt"), &[&output], &project.scratch().join("wasm-opt"))?;
    Ok(output)
}
