//! pip, for what tests need from PyPI: wheels alone, each pinned by its hash in a list.

use std::process::Command;

use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, system_packages};

/// A command of pip over such a list; pip itself is installed where it is missing.
pub(super) fn command(project: &Project, verb: &str, list: &str) -> Result<Command, FetchError> {
    if process::output(process::command("python3").args(["-m", "pip", "--version"])).is_err() {
        system_packages::install(project, &["python3-pip".to_owned()])?;
    }
    let mut pip = process::command("python3");
    pip.args(["-m", "pip", verb, "--no-deps", "--only-binary=:all:", "--require-hashes"])
        .args(["--quiet", "--disable-pip-version-check", "--requirement"])
        .arg(project.root().join(list));
    Ok(pip)
}
