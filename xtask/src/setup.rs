//! Set-up: what a command needs beside the sources, found or fetched.
//!
//! Each thing is a [`Requirement`]. Looking whether it is there is quick and uses no network; it is fetched only when it is
//! missing, under the cache's lock, and looked for again afterwards.

pub(crate) mod browser;
mod cargo_tool;
mod debian_toolchain;
pub(crate) mod firefox;
mod linked_folder;
mod llama_server;
mod mcp_servers;
pub(crate) mod nginx;
mod node;
mod npm_packages;
mod pip;
mod python_wheels;
mod rust_components;
mod small_model;
mod system_packages;
mod wasm_target;

use std::path::PathBuf;

use crate::cache::{self, CacheError};
use crate::files::FileError;
use crate::process::ProcessError;
use crate::project::Project;
use crate::toolchain::WasmToolchain;
use crate::{report, trouble};

pub(crate) use cargo_tool::LockFileError;

/// One thing that a command needs and the project does not carry.
pub(crate) trait Requirement {
    /// Its name with its version, as the user reads it.
    fn name(&self) -> String;
    /// What it is for, completing "needed to …".
    fn purpose(&self) -> &'static str;
    /// Whether it is there. Quick, and without network.
    fn look(&self, project: &Project) -> Finding;
    /// Fetches it. Called with the cache's lock held, only when it is missing.
    fn fetch(&self, project: &Project) -> Result<(), FetchError>;
}

/// What [`Requirement::look`] found.
#[derive(Debug, PartialEq)]
pub(crate) enum Finding {
    /// It is there; where or which one.
    Present(String),
    /// It is not; what exactly is missing.
    Missing(String),
}

/// Why something could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// Only the user can do it; `command` does.
    #[error("{reason}")]
    ByHand { reason: String, command: String },
}

/// Set-up could not be finished.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    #[error("{name} (needed to {purpose}) could not be fetched")]
    Fetch { name: String, purpose: &'static str, source: Box<FetchError> },
    #[error("{name} was fetched, but {missing}")]
    StillMissing { name: String, missing: String },
    #[error("the cache cannot be used")]
    Cache { source: CacheError },
    #[error("the version of wasm-bindgen is not known")]
    LockFile { source: LockFileError },
}

impl SetupError {
    /// The step it stopped at.
    pub(crate) fn step(&self) -> &str {
        match self {
            Self::Fetch { name, .. } | Self::StillMissing { name, .. } => name,
            Self::Cache { .. } => "the cache folder",
            Self::LockFile { .. } => "wasm-bindgen",
        }
    }

    /// One sentence on what to do next.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::Fetch { source, .. } => match source.as_ref() {
                FetchError::ByHand { command, .. } => format!("run `{command}`, then the same command again"),
                other => trouble::advice(
                    &crate::full_text(other),
                    "put right what the output above names, then run the same command again; what is already set up stays",
                ),
            },
            Self::StillMissing { .. } => "run `cargo xtask doctor` to see what is there".to_owned(),
            Self::Cache { .. } => trouble::advice(&crate::full_text(self), cache::REMEDY),
            Self::LockFile { .. } => {
                "restore Cargo.lock with `git checkout Cargo.lock`, then run the same command again".to_owned()
            }
        }
    }
}

/// Everything any command needs, in the order it is set up.
pub(crate) fn everything(project: &Project) -> Result<Vec<Box<dyn Requirement>>, SetupError> {
    let mut all = building(project)?;
    all.extend(testing());
    Ok(all)
}

/// Sets up what building the app needs; the compiler to build it with.
pub(crate) fn for_building(project: &Project) -> Result<WasmToolchain, SetupError> {
    ensure(project, building(project)?)?;
    toolchain()
}

/// Sets up the model that the first chat can be had with, and gives its file. Everything else works without it: where it cannot be
/// had, that is said, and no more.
pub(crate) fn for_first_chat(project: &Project) -> Option<PathBuf> {
    if let Err(error) = ensure(project, vec![Box::new(small_model::SmallModel)]) {
        report::note(&format!("there will be no model to chat with at first: {}", crate::full_text(&error)));
    }
    small_model::SmallModel::file(project)
}

/// Sets up what building and testing need; the compiler to build the app with.
pub(crate) fn for_testing(project: &Project) -> Result<WasmToolchain, SetupError> {
    ensure(project, everything(project)?)?;
    toolchain()
}

/// Sets up what measuring in a browser needs, beyond building.
pub(crate) fn for_browsing(project: &Project) -> Result<(), SetupError> {
    ensure(project, vec![Box::new(browser::Browser)])
}

/// Sets up the peer of the model proxy.
pub(crate) fn for_proxying(project: &Project) -> Result<(), SetupError> {
    ensure(project, vec![Box::new(nginx::Nginx)])
}

/// Sets up the peer of the calls of MCP tools; its program.
pub(crate) fn for_calling(project: &Project) -> Result<PathBuf, SetupError> {
    let peer = cargo_tool::mcp_proxy();
    let program = peer.folder(project).join("bin/mcp-proxy");
    ensure(project, vec![Box::new(peer)])?;
    Ok(program)
}

/// The folders that Trunk and cargo must find first: wasm-bindgen with its test runner, wasm-split-cli, wasm-opt, Trunk.
pub(crate) fn tool_folders(project: &Project) -> Result<Vec<PathBuf>, SetupError> {
    let wasm_bindgen = wasm_bindgen(project)?;
    Ok(vec![
        wasm_bindgen.folder(project).join("bin"),
        cargo_tool::wasm_split().folder(project).join("bin"),
        cargo_tool::trunk().folder(project).join("bin"),
        project.node_modules().join(".bin"),
    ])
}

fn building(project: &Project) -> Result<Vec<Box<dyn Requirement>>, SetupError> {
    Ok(vec![
        Box::new(node::Node),
        Box::new(wasm_target::WasmTarget::chosen()),
        Box::new(wasm_bindgen(project)?),
        Box::new(cargo_tool::wasm_split()),
        Box::new(cargo_tool::trunk()),
        Box::new(npm_packages::NpmPackages),
    ])
}

fn testing() -> Vec<Box<dyn Requirement>> {
    vec![
        Box::new(rust_components::RustComponents),
        Box::new(browser::Browser),
        Box::new(firefox::Firefox),
        Box::new(python_wheels::PythonWheels),
        Box::new(small_model::SmallModel),
        Box::new(llama_server::LlamaServer),
        Box::new(mcp_servers::McpServers),
    ]
}

fn wasm_bindgen(project: &Project) -> Result<cargo_tool::CargoTool, SetupError> {
    cargo_tool::wasm_bindgen(project).map_err(|source| SetupError::LockFile { source })
}

fn toolchain() -> Result<WasmToolchain, SetupError> {
    let target = wasm_target::WasmTarget::chosen();
    target.usable().ok_or_else(|| SetupError::StillMissing {
        name: target.name(),
        missing: "no compiler here can build for WebAssembly".to_owned(),
    })
}

fn ensure(project: &Project, requirements: Vec<Box<dyn Requirement>>) -> Result<(), SetupError> {
    for requirement in requirements {
        if let Finding::Present(_) = requirement.look(project) {
            continue;
        }
        let _lock = project.cache().lock().map_err(|source| SetupError::Cache { source })?;
        // Whoever held the lock before may have fetched it.
        let Finding::Missing(missing) = requirement.look(project) else { continue };
        report::step(&format!("setting up {}, needed to {} ({missing})", requirement.name(), requirement.purpose()));
        requirement.fetch(project).map_err(|source| SetupError::Fetch {
            name: requirement.name(),
            purpose: requirement.purpose(),
            source: Box::new(source),
        })?;
        if let Finding::Missing(missing) = requirement.look(project) {
            return Err(SetupError::StillMissing { name: requirement.name(), missing });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_full_disk_is_not_answered_with_another_folder() {
        let remedy = |code: i32| {
            let source =
                CacheError::NotWritable { folder: "/cache".into(), source: io::Error::from_raw_os_error(code) };
            SetupError::Cache { source }.remedy()
        };
        // ENOSPC and EACCES.
        assert!(remedy(28).starts_with("the disk is full"), "{}", remedy(28));
        assert_eq!(remedy(13), cache::REMEDY);
    }
}
