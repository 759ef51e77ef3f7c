//! The wheels of `tests/wheels.txt`, which the tests of the cage unpack as a toolset's packages.
//!
//! They are kept in the cache under the hash of that list, and the clone gets a link to them. Each is pinned by its hash.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::digest;
use crate::files::{AtPath, FileError};
use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, Finding, Requirement, npm_packages, system_packages};

const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// What wheels for this Pyodide are published under; those in pure Python are found as well.
const PLATFORM: [&str; 6] =
    ["--platform", "pyemscripten_2026_0_wasm32", "--python-version", "314", "--implementation", "cp"];

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
        let folder = match folder(project) {
            Ok(folder) => folder,
            Err(error) => return Finding::Missing(error.to_string()),
        };
        if !folder.is_dir() {
            return Finding::Missing(format!("no {}", folder.display()));
        }
        match fs::read_link(link(project)) {
            Ok(target) if target == folder => Finding::Present(folder.display().to_string()),
            _ => Finding::Missing("tests/wheels does not lead to them".to_owned()),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        let place = folder(project)?;
        if !place.is_dir() {
            if process::output(process::command("python3").args(["-m", "pip", "--version"])).is_err() {
                system_packages::install(project, &["python3-pip".to_owned()])?;
            }
            let fresh = project.cache().fresh_folder("wheels")?;
            let mut pip = process::command("python3");
            pip.args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes"])
                .args(PLATFORM)
                .args(["--quiet", "--disable-pip-version-check", "--dest"])
                .arg(&fresh)
                .arg("--requirement")
                .arg(list(project));
            process::run_quietly(&mut pip, &project.cache().log("wheels"), PATIENCE)?;
            project.cache().publish(&fresh, &place)?;
        }
        Ok(npm_packages::point_link(&link(project), &place)?)
    }
}

fn list(project: &Project) -> PathBuf {
    project.root().join("tests/wheels.txt")
}

fn link(project: &Project) -> PathBuf {
    project.root().join("tests/wheels")
}

fn folder(project: &Project) -> Result<PathBuf, FileError> {
    let path = list(project);
    let list = fs::read(&path).at("read", &path)?;
    Ok(project.cache().folder().join(format!("wheels-{}", &digest::hex(&list)[..12])))
}
