//! Tools that cargo builds from the registry, each in its own folder of the cache with the version in its name.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::files::{self, AtPath, FileError};
use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, Finding, Requirement};

/// 0.22 needs a newer compiler than the project does.
const TRUNK_VERSION: &str = "0.21.14";
/// Reads what the `wasm_split_helpers` in Cargo.lock writes.
const WASM_SPLIT_VERSION: &str = "0.2.3";
/// The peer of the calls of MCP tools.
const MCP_PROXY_VERSION: &str = "0.6.0";
const PATIENCE: Duration = Duration::from_secs(60 * 60);
/// Most tools run for seconds; what counts is how long they take to compile.
const QUICK_PROFILE: [&str; 3] =
    ["profile.release.lto=false", "profile.release.opt-level=1", "profile.release.codegen-units=16"];
/// What is measured is optimised, as the server is that it is compared with.
const MEASURED_PROFILE: [&str; 2] = ["profile.release.lto=false", "profile.release.codegen-units=16"];

/// One tool at one version.
#[derive(Debug, PartialEq)]
pub(crate) struct CargoTool {
    name: &'static str,
    package: &'static str,
    version: String,
    purpose: &'static str,
    binaries: &'static [&'static str],
    dependencies: Dependencies,
    features: Features,
    profile: &'static [&'static str],
}

/// Which versions of a tool's own dependencies are taken.
#[derive(Debug, PartialEq)]
enum Dependencies {
    /// Those its authors tested.
    Locked,
    /// The newest that fit, for tools whose lock file names versions that a registry may lack.
    Newest,
}

/// What of a tool is built.
#[derive(Debug, PartialEq)]
enum Features {
    /// What its authors build where nobody says anything.
    Default,
    /// That and one more.
    With(&'static str),
    /// Nothing that can be left out.
    None,
}

/// Cargo.lock does not say which wasm-bindgen the app uses.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockFileError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("Cargo.lock names no package {0}")]
    NoPackage(&'static str),
}

/// Trunk.
pub(crate) fn trunk() -> CargoTool {
    CargoTool {
        name: "trunk",
        package: "trunk",
        version: TRUNK_VERSION.to_owned(),
        purpose: "build the app",
        binaries: &["trunk"],
        dependencies: Dependencies::Locked,
        features: Features::Default,
        profile: &QUICK_PROFILE,
    }
}

/// The tool that cuts chunks out of the app.
pub(crate) fn wasm_split() -> CargoTool {
    CargoTool {
        name: "wasm-split",
        package: "wasm_split_cli_support",
        version: WASM_SPLIT_VERSION.to_owned(),
        purpose: "cut the app's WebAssembly into chunks",
        binaries: &["wasm-split-cli"],
        dependencies: Dependencies::Locked,
        features: Features::With("build-binary"),
        profile: &QUICK_PROFILE,
    }
}

/// A gateway to MCP servers, to compare ours with. What it can do beyond handing calls on is left out, and takes no time.
pub(crate) fn mcp_proxy() -> CargoTool {
    CargoTool {
        name: "mcp-proxy",
        package: "mcp-proxy",
        version: MCP_PROXY_VERSION.to_owned(),
        purpose: "compare the calls of MCP tools with it",
        binaries: &["mcp-proxy"],
        dependencies: Dependencies::Locked,
        features: Features::None,
        profile: &MEASURED_PROFILE,
    }
}

/// wasm-bindgen, at the very version the app is compiled with: the two speak a private format.
pub(crate) fn wasm_bindgen(project: &Project) -> Result<CargoTool, LockFileError> {
    let path = project.root().join("Cargo.lock");
    let lock_file = fs::read_to_string(&path).at("read", &path)?;
    let version = locked_version(&lock_file, "wasm-bindgen").ok_or(LockFileError::NoPackage("wasm-bindgen"))?;
    Ok(CargoTool {
        name: "wasm-bindgen",
        package: "wasm-bindgen-cli",
        version: version.to_owned(),
        purpose: "join the app's WebAssembly to JavaScript and run its tests",
        binaries: &["wasm-bindgen", "wasm-bindgen-test-runner"],
        dependencies: Dependencies::Newest,
        features: Features::Default,
        profile: &QUICK_PROFILE,
    })
}

impl CargoTool {
    /// Where it lives in the cache; its programs are in `bin` there.
    pub(crate) fn folder(&self, project: &Project) -> PathBuf {
        project.cache().tool(self.name, &self.version)
    }
}

impl Requirement for CargoTool {
    fn name(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    fn purpose(&self) -> &'static str {
        self.purpose
    }

    fn look(&self, project: &Project) -> Finding {
        let folder = self.folder(project).join("bin");
        match self.binaries.iter().find(|binary| !folder.join(binary).is_file()) {
            None => Finding::Present(folder.display().to_string()),
            Some(binary) => Finding::Missing(format!("no {}", folder.join(binary).display())),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        let cache = project.cache();
        let folder = cache.fresh_folder(self.name)?;
        // Kept when the set-up is killed, so that the next one goes on from there.
        let build = cache.partial(&format!("{}-{}-build", self.name, self.version));
        let mut cargo = process::command("cargo");
        cargo.args(["install", self.package, "--version", &self.version]);
        match self.features {
            Features::Default => {}
            Features::With(feature) => {
                cargo.args(["--features", feature]);
            }
            Features::None => {
                cargo.arg("--no-default-features");
            }
        }
        if self.dependencies == Dependencies::Locked {
            cargo.arg("--locked");
        }
        cargo.arg("--root").arg(&folder).arg("--target-dir").arg(&build);
        for setting in self.profile {
            cargo.args(["--config", setting]);
        }
        // Outside the clone: its own cargo settings are not meant for tools.
        cargo.current_dir(cache.folder());
        process::run_quietly(&mut cargo, &cache.log(self.name), PATIENCE)?;
        cache.publish(&folder, &self.folder(project))?;
        files::remove_folder(&build)?;
        Ok(())
    }
}

/// The version of a package in the text of a Cargo.lock.
fn locked_version<'text>(lock_file: &'text str, package: &str) -> Option<&'text str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock_file.lines();
    lines.find(|line| *line == name)?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locked_version_is_that_of_the_very_package() {
        let lock_file = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"0.2.1\"\n\n\
                         [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"registry\"\n";
        assert_eq!(locked_version(lock_file, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock_file, "wasm-bindgen-macro"), Some("0.2.1"));
        assert_eq!(locked_version(lock_file, "bindgen"), None);
    }
}
