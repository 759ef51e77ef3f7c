//! Making the app's WebAssembly small, once it is in its final pieces.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
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

/// Runs wasm-opt over every piece of WebAssembly in these folders, as many at a time as there are cores. `logs` is where they write what they say.
pub(crate) fn all(wasm_opt: &Path, folders: &[&Path], logs: &Path) -> Result<(), OptimizeError> {
    let pieces = Mutex::new(largest_last(folders)?);
    let one_after_the_other = |core: usize| -> Result<(), OptimizeError> {
        let log = logs.join(format!("{core}.log"));
        loop {
            let next = pieces.lock().expect("nobody panics while holding it").pop();
            match next {
                Some(piece) => optimize(wasm_opt, &piece, &log)?,
                None => return Ok(()),
            }
        }
    };
    fs::create_dir_all(logs).at("create", logs)?;
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let working: Vec<_> = (0..cores)
            .map(|core| {
                scope.spawn({
                    let work = &one_after_the_other;
                    move || work(core)
                })
            })
            .collect();
        working.into_iter().try_for_each(|done| done.join().expect("an error is returned, not thrown"))
    })
}

/// The pieces of WebAssembly, the largest last: it is taken first, so that no core is left alone with it at the end.
fn largest_last(folders: &[&Path]) -> Result<Vec<PathBuf>, FileError> {
    let mut pieces = Vec::new();
    for folder in folders {
        for file in files::below(folder)? {
            let path = folder.join(file);
            if path.extension().is_some_and(|ending| ending == "wasm") {
                pieces.push((fs::metadata(&path).at("look at", &path)?.len(), path));
            }
        }
    }
    pieces.sort();
    Ok(pieces.into_iter().map(|(_, path)| path).collect())
}

fn optimize(wasm_opt: &Path, path: &Path, log: &Path) -> Result<(), OptimizeError> {
    let smaller = path.with_extension("wasm-opt");
    let mut command = process::command(wasm_opt);
    command.args(ARGUMENTS).arg(path).arg("--output").arg(&smaller);
    process::run_quietly(&mut command, log, PATIENCE)?;
    Ok(fs::rename(&smaller, path).at("replace", path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_piece_is_taken_first() {
        let home = tempfile::tempdir().expect("a temporary folder");
        for (name, bytes) in [("a/large.wasm", 30), ("a/page.js", 90), ("b/small.wasm", 10), ("b/middling.wasm", 20)] {
            files::write(&home.path().join(name), &vec![0; bytes]).expect("the folder is writable");
        }
        let mut pieces = largest_last(&[&home.path().join("a"), &home.path().join("b")]).expect("they are readable");
        let mut taken = Vec::new();
        while let Some(piece) = pieces.pop() {
            taken.push(piece.strip_prefix(home.path()).expect("it is below").display().to_string());
        }
        assert_eq!(taken, ["a/large.wasm", "b/middling.wasm", "b/small.wasm"]);
    }
}
