//! The npm packages of `tests/package-lock.json`: wasm-opt, esbuild, CodeMirror, Pyodide, just-bash, wllama, Playwright.
//!
//! They are installed into the cache under the hash of the lock file, and the clone gets a link to them. No install script
//! of a package is ever run.

use std::time::Duration;

use crate::files;
use crate::process;
use crate::project::Project;
use crate::setup::linked_folder::LinkedFolder;
use crate::setup::{FetchError, Finding, Requirement};

const PATIENCE: Duration = Duration::from_secs(30 * 60);

const FOLDER: LinkedFolder =
    LinkedFolder { kind: "npm", list: "tests/package-lock.json", part: "node_modules", link: "tests/node_modules" };

/// All packages of the lock file.
pub(crate) struct NpmPackages;

impl Requirement for NpmPackages {
    fn name(&self) -> String {
        "npm packages (Playwright, binaryen, esbuild, CodeMirror, Pyodide, just-bash, wllama)".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "optimise the app, to ship its editor, Python and llama.cpp with it and to test it in a browser"
    }

    fn look(&self, project: &Project) -> Finding {
        FOLDER.look(project)
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        FOLDER.fetch(project, |fresh| {
            for name in ["package.json", "package-lock.json"] {
                files::copy(&project.root().join("tests").join(name), &fresh.join(name))?;
            }
            let mut npm = process::command("npm");
            npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(fresh);
            Ok(process::run_quietly(&mut npm, &project.cache().log("npm"), PATIENCE)?)
        })
    }
}
