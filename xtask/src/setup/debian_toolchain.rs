//! Debian's compiler with a standard library for WebAssembly, for machines where rustup's servers cannot be reached.
//!
//! Debian ships the compiler and the sources of the library, not the library built for this target. It is built once and
//! put into the compiler's own folder, the one thing the set-up places outside the cache: from then on an ordinary
//! `cargo build --target …` works, with no flags that would have to be passed through Trunk. A library fits one exact
//! compiler, so a stamp beside it says which.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files::{self, AtPath};
use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup::FetchError;
use crate::setup::system_packages;
use crate::toolchain::{WASM_TARGET, WasmToolchain, has_standard_library};

const PACKAGES: [&str; 6] =
    ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "rust-web-clippy", "rustfmt-web"];
/// Beside the library; holds what `rustc -vV` said when it was built.
const STAMP: &str = "satchel-built-by";
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// What is missing, if anything is.
pub(crate) fn missing() -> Option<String> {
    let absent = system_packages::absent(&packages());
    if !absent.is_empty() {
        return Some(format!("Debian packages {}", absent.join(", ")));
    }
    let toolchain = WasmToolchain::Debian;
    let (Ok(folder), Ok(identity)) = (toolchain.library_folder(), toolchain.identity()) else {
        return Some("/usr/bin/rustc does not answer".to_owned());
    };
    if !has_standard_library(&folder) {
        return Some("its standard library has not been built".to_owned());
    }
    match fs::read_to_string(folder.join(STAMP)) {
        Ok(stamp) if stamp == identity => None,
        _ => Some("its standard library was built for another compiler".to_owned()),
    }
}

/// Installs the packages and builds the library.
pub(crate) fn fetch(project: &Project) -> Result<(), FetchError> {
    // The linker has to be of the compiler's own LLVM version, which only the installed compiler can tell.
    system_packages::install(project, &PACKAGES.map(str::to_owned))?;
    system_packages::install(project, &packages())?;
    report::note("building the standard library with Debian's compiler, about two minutes");
    let built = build_standard_library(project)?;
    place(project, &built)?;
    files::remove_folder(&project.cache().partial("debian-std"))?;
    Ok(())
}

fn packages() -> Vec<String> {
    let mut packages = PACKAGES.map(str::to_owned).to_vec();
    let identity = WasmToolchain::Debian.identity().unwrap_or_default();
    packages.extend(llvm_major(&identity).map(|major| format!("lld-{major}")));
    packages
}

fn llvm_major(identity: &str) -> Option<&str> {
    identity.lines().find_map(|line| line.strip_prefix("LLVM version: "))?.split('.').next()
}

/// Builds a crate with nothing in it; the folder of libraries that came with it.
fn build_standard_library(project: &Project) -> Result<PathBuf, FetchError> {
    let folder = project.cache().fresh_folder("debian-std")?;
    let manifest = "[package]\nname = \"nothing\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
    files::write(&folder.join("Cargo.toml"), manifest.as_bytes())?;
    files::write(&folder.join("src/lib.rs"), b"#![no_std]\n")?;
    let mut cargo = WasmToolchain::Debian.cargo(project);
    cargo
        .args(["build", "--release", "--target", WASM_TARGET, "-Z", "build-std=std,panic_abort,test"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("RUSTC_BOOTSTRAP", "1")
        // Without bitcode in the library a later build with `lto = true` fails.
        .env("RUSTFLAGS", "-Cembed-bitcode=yes");
    process::run_quietly(&mut cargo, &project.cache().log("debian-std"), PATIENCE)?;
    Ok(folder.join("target").join(WASM_TARGET).join("release/deps"))
}

/// Puts the libraries where the compiler looks: first beside that folder, then by one rename, so that a killed set-up
/// leaves no half-filled folder.
fn place(project: &Project, built: &Path) -> Result<(), FetchError> {
    let library_folder = WasmToolchain::Debian.library_folder()?;
    let identity = WasmToolchain::Debian.identity()?;
    let ready = project.cache().fresh_folder("debian-std-ready")?;
    for entry in fs::read_dir(built).at("list", built)? {
        let path = entry.at("list", built)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libnothing-") {
            files::copy(&path, &ready.join(name))?;
        }
    }
    files::write(&ready.join(STAMP), identity.as_bytes())?;
    let mut script = system_packages::privileged("sh")?;
    script.args([
        "-eu",
        "-c",
        r#"mkdir -p "$(dirname "$2")"; rm -rf "$2.new"; cp -r "$1" "$2.new"; chmod -R a+rX "$2.new"; rm -rf "$2"; mv "$2.new" "$2""#,
        "sh",
    ]);
    script.arg(&ready).arg(&library_folder);
    process::run_quietly(&mut script, &project.cache().log("debian-std-place"), PATIENCE)?;
    files::remove_folder(&ready)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_follows_the_compilers_llvm() {
        let identity = "rustc 1.96.0 (ac68faa20 2026-05-25)\nbinary: rustc\nrelease: 1.96.0\nLLVM version: 22.1.8\n";
        assert_eq!(llvm_major(identity), Some("22"));
        assert_eq!(llvm_major("rustc 1.96.0\n"), None);
    }
}
