//! Making the app's WebAssembly small, once it is in its final pieces.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::files::{self, AtPath, FileError};
use crate::process::{self, ProcessError};

/// What the compiler uses. Of some of the pieces wasm-opt could not tell, as the section that says so is gone.
const ARGUMENTS: [&str; 8] = [
    "-Oz",
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];
const PATIENCE: Duration = Duration::from_secs(20 * 60);

/// WebAssembly could not be made smaller.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OptimizeError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// Runs wasm-opt over every piece of WebAssembly in a folder.
pub(crate) fn all(wasm_opt: &Path, folder: &Path, log: &Path) -> Result<(), OptimizeError> {
    for file in files::below(folder)?.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "wasm"))
    {
        let path = folder.join(file);
        let smaller = path.with_extension("wasm-opt");
        let mut command = process::command(wasm_opt);
        command.args(ARGUMENTS).arg(&path).arg("--output").arg(&smaller);
        process::run_quietly(&mut command, log, PATIENCE)?;
        fs::rename(&smaller, &path).at("replace", &path)?;
    }
    Ok(())
}
