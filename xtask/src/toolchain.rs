//! Which compiler builds for WebAssembly.
//!
//! Ordinarily it is the one that compiled xtask, with the target that rustup adds. Where rustup cannot fetch the target,
//! Debian's newer compiler stands beside it with a standard library built on the spot (see `setup::debian_toolchain`); it
//! has its own output folder, because two compilers in one folder rebuild each other's work.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, ProcessError};
use crate::project::Project;

/// The target's name.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that can build for WebAssembly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WasmToolchain {
    /// The one on PATH, as for native code.
    Rustup,
    /// The one of Debian's packages in `/usr/bin`.
    Debian,
}

/// What the user allows, by `SATCHEL_WASM_TOOLCHAIN`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Preference {
    RustupFirst,
    Only(WasmToolchain),
}

impl Preference {
    /// Reads the environment; a word that is not known counts as not set.
    pub(crate) fn from_environment() -> Self {
        Self::parse(env::var_os("SATCHEL_WASM_TOOLCHAIN").as_deref())
    }

    fn parse(value: Option<&OsStr>) -> Self {
        match value.and_then(OsStr::to_str) {
            Some("rustup") => Self::Only(WasmToolchain::Rustup),
            Some("debian") => Self::Only(WasmToolchain::Debian),
            _ => Self::RustupFirst,
        }
    }
}

impl WasmToolchain {
    /// `cargo` of this toolchain.
    pub(crate) fn cargo(self, project: &Project) -> Command {
        let mut command = match self {
            Self::Rustup => process::command("cargo"),
            Self::Debian => process::command("/usr/bin/cargo"),
        };
        self.apply_to(&mut command, project, &[]);
        command
    }

    /// `cargo clippy` of this toolchain, ready for clippy's arguments. Debian's has to be called by its own path: its cargo
    /// would find rustup's stand-in in cargo's bin folder first, and that one lacks the target.
    pub(crate) fn clippy(self, project: &Project) -> Command {
        match self {
            Self::Rustup => {
                let mut command = self.cargo(project);
                command.arg("clippy");
                command
            }
            Self::Debian => {
                let mut command = process::command("/usr/bin/cargo-clippy");
                self.apply_to(&mut command, project, &[]);
                command.arg("clippy");
                command
            }
        }
    }

    /// Makes a program that calls `cargo` and `rustc` by name (Trunk) use this toolchain; `tools` come first on its PATH.
    pub(crate) fn apply_to(self, command: &mut Command, project: &Project, tools: &[PathBuf]) {
        let mut folders = tools.to_vec();
        command.current_dir(project.root());
        if self == Self::Debian {
            folders.push(PathBuf::from("/usr/bin"));
            for name in ["RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC", "RUSTC_WRAPPER"] {
                command.env_remove(name);
            }
            command.env("CARGO_TARGET_DIR", self.target(project));
        }
        process::prefix_path(command, &folders);
    }

    /// Where cargo puts what it builds for WebAssembly, a folder for each profile.
    pub(crate) fn output(self, project: &Project) -> PathBuf {
        self.target(project).join(WASM_TARGET)
    }

    fn target(self, project: &Project) -> PathBuf {
        match self {
            Self::Rustup => project.target(),
            Self::Debian => project.target().join("debian"),
        }
    }

    /// The compiler's own description, which names its exact version.
    pub(crate) fn identity(self) -> Result<String, ProcessError> {
        process::output(self.rustc().arg("-vV"))
    }

    /// The folder where this compiler looks for the target's standard library.
    pub(crate) fn library_folder(self) -> Result<PathBuf, ProcessError> {
        let printed = process::output(self.rustc().args(["--print", "target-libdir", "--target", WASM_TARGET]))?;
        Ok(PathBuf::from(printed.trim()))
    }

    fn rustc(self) -> Command {
        match self {
            Self::Rustup => process::command("rustc"),
            Self::Debian => {
                let mut command = process::command("/usr/bin/rustc");
                command.env_remove("RUSTUP_TOOLCHAIN");
                command
            }
        }
    }
}

/// Whether a folder holds a standard library.
pub(crate) fn has_standard_library(folder: &Path) -> bool {
    let is_std = |name: &str| name.starts_with("libstd-") && name.ends_with(".rlib");
    fs::read_dir(folder)
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_str().is_some_and(is_std)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_names_one_toolchain_or_neither() {
        let check = |value: Option<&str>, expected| assert_eq!(Preference::parse(value.map(OsStr::new)), expected);
        check(Some("rustup"), Preference::Only(WasmToolchain::Rustup));
        check(Some("debian"), Preference::Only(WasmToolchain::Debian));
        check(Some(""), Preference::RustupFirst);
        check(None, Preference::RustupFirst);
    }

    #[test]
    fn a_folder_without_std_has_no_standard_library() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(!has_standard_library(&folder.path().join("missing")));
        fs::write(folder.path().join("libcore-0123.rlib"), "").expect("the folder is writable");
        assert!(!has_standard_library(folder.path()));
        fs::write(folder.path().join("libstd-0123.rlib"), "").expect("the folder is writable");
        assert!(has_standard_library(folder.path()));
    }
}
