//! The wheels of `tests/wheels.txt`, which the tests of the cage unpack as a toolset's packages.
//!
//! They are kept in the cache under the hash of that list, and the clone gets a link to them. Each is pinned by its hash.

use std::time::Duration;

use crate::process;
use crate::project::Project;
use crate::setup::linked_folder::LinkedFolder;
use crate::setup::{FetchError, Finding, Requirement, pip};

const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// What wheels for this Pyodide are published under; those in pure Python are found as well.
const PLATFORM: [&str; 6] =
    ["--platform", "pyemscripten_2026_0_wasm32", "--python-version", "314", "--implementation", "cp"];

const LIST: &str = "tests/wheels.txt";

const FOLDER: LinkedFolder = LinkedFolder { kind: "wheels", list: LIST, part: "", link: "tests/wheels" };

/// All wheels of the list.
pub(crate) struct PythonWheels;

impl Requirement for PythonWheels {
    fn name(&self) -> String {
        "wheels from PyPI (requests, msgspec and others)".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "test that toolsets can have packages"
    }

    fn look(&self, project: &Project) -> Finding {
        FOLDER.look(project)
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        FOLDER.fetch(project, |fresh| {
            let mut pip = pip::command(project, "download", LIST)?;
            pip.args(PLATFORM).arg("--dest").arg(fresh);
            Ok(process::run_quietly(&mut pip, &project.cache().log("wheels"), PATIENCE)?)
        })
    }
}
