//! Building the server, in three ways that do not overwrite each other.

use std::fs;
use std::path::PathBuf;

use crate::dist::Dist;
use crate::files::{self, AtPath as _, FileError};
use crate::process::{self, ProcessError};
use crate::project::Project;
use crate::report;

/// The server could not be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerBuildError {
    #[error(transparent)]
    Cargo(#[from] ProcessError),
    #[error(transparent)]
    File(#[from] FileError),
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

/// Quick to build, with the app inside as users get it, for tests. What it is made of was compiled for the native tests already; the
/// program itself is put where theirs, which is without the app, does not take its place.
pub(crate) fn for_testing(project: &Project, dist: &Dist) -> Result<PathBuf, ServerBuildError> {
    let mut cargo = process::command("cargo");
    // The same packages as the native tests select, so that their crates have the same features.
    cargo.args(["build", "--workspace", "--exclude", "satchel-app", "--bin", "satchel"]);
    cargo.args(["--features", "satchel-server/embedded-app"]).current_dir(project.root());
    cargo.env("CARGO_TARGET_DIR", project.target()).env("SATCHEL_DIST", dist.folder());
    process::run_watched(&mut cargo)?;
    let place = project.target().join("journeys/satchel");
    // A program that runs cannot be written to, but another can take its name.
    let next = place.with_extension("next");
    files::copy(&project.target().join("debug/satchel"), &next)?;
    fs::rename(&next, &place).at("put in place", &place)?;
    Ok(place)
}

/// The one that is given to others: optimised, with the app inside.
pub(crate) fn release_with_app(project: &Project, dist: &Dist) -> Result<PathBuf, ServerBuildError> {
    report::step("building the server with the app inside");
    cargo_build(project, &["--release", "--features", "embedded-app"], Some(dist))?;
    Ok(project.target().join("release/satchel"))
}

fn cargo_build(project: &Project, arguments: &[&str], embedded: Option<&Dist>) -> Result<(), ServerBuildError> {
    let mut cargo = process::command("cargo");
    cargo
        .args(["build", "--package", "satchel-server", "--bin", "satchel"])
        .args(arguments)
        .current_dir(project.root());
    cargo.env("CARGO_TARGET_DIR", project.target());
    if let Some(dist) = embedded {
        cargo.env("SATCHEL_DIST", dist.folder());
    }
    Ok(process::run_watched(&mut cargo)?)
}
