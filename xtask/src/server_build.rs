//! Building the server, in three ways that do not overwrite each other.

use std::path::PathBuf;

use crate::dist::Dist;
use crate::process::{self, ProcessError};
use crate::project::Project;
use crate::report;

/// The server could not be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerBuildError {
    #[error(transparent)]
    Cargo(#[from] ProcessError),
}

/// Optimised, without the app: `run` points it at `dist/`, so that a change of the app does not compile the server again.
/// It has a profile of its own (and so a folder of its own) to leave the release binary alone.
pub(crate) fn for_running(project: &Project) -> Result<PathBuf, ServerBuildError> {
    report::step("building the server");
    let profile = ["profile.serve.inherits=\"release\"", "profile.serve.lto=false", "profile.serve.codegen-units=16"];
    let settings = profile.iter().flat_map(|setting| ["--config", setting]);
    let arguments: Vec<&str> = ["--profile", "serve"].into_iter().chain(settings).collect();
    cargo_build(project, &arguments, None)?;
    Ok(project.target().join("serve/satchel"))
}

/// Quick to build, with the app inside as users get it, for tests. Its folder is its own: the unit tests build the server
/// without the app.
pub(crate) fn for_testing(project: &Project, dist: &Dist) -> Result<PathBuf, ServerBuildError> {
    let arguments =
        ["--profile", "journeys", "--config", "profile.journeys.inherits=\"dev\"", "--features", "embedded-app"];
    cargo_build(project, &arguments, Some(dist))?;
    Ok(project.target().join("journeys/satchel"))
}

/// The one that is given to others: optimised, with the app inside.
pub(crate) fn release_with_app(project: &Project, dist: &Dist) -> Result<PathBuf, ServerBuildError> {
    report::step("building the server with the app inside");
    cargo_build(project, &["--release", "--features", "embedded-app"], Some(dist))?;
    Ok(project.target().join("release/satchel"))
}

fn cargo_build(project: &Project, arguments: &[&str], embedded: Option<&Dist>) -> Result<(), ServerBuildError> {
    let mut cargo = process::command("cargo");
    cargo.args(["build", "--package", "satchel-server"]).args(arguments).current_dir(project.root());
    cargo.env("CARGO_TARGET_DIR", project.target());
    if let Some(dist) = embedded {
        cargo.env("SATCHEL_DIST", dist.folder());
    }
    Ok(process::run(&mut cargo)?)
}
