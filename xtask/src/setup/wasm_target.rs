//! A compiler with the WebAssembly target: rustup's where it can be had, else Debian's.

use std::time::Duration;

use crate::process::{self, ProcessError};
use crate::project::Project;
use crate::report;
use crate::setup::debian_toolchain;
use crate::setup::{FetchError, Finding, Requirement};
use crate::toolchain::{Preference, WASM_TARGET, WasmToolchain, has_standard_library};

/// Where rustup's servers cannot be reached it may try for a long time; by then the other way has begun.
const RUSTUP_PATIENCE: Duration = Duration::from_secs(180);

/// The target, by the ways the user allows.
pub(crate) struct WasmTarget {
    preference: Preference,
}

impl WasmTarget {
    /// As `SATCHEL_WASM_TOOLCHAIN` says.
    pub(crate) fn chosen() -> Self {
        Self { preference: Preference::from_environment() }
    }

    /// The compiler to use, if one is ready.
    pub(crate) fn usable(&self) -> Option<WasmToolchain> {
        let ready = |toolchain| missing(toolchain).is_none();
        match self.preference {
            Preference::Only(toolchain) => ready(toolchain).then_some(toolchain),
            Preference::RustupFirst => {
                [WasmToolchain::Rustup, WasmToolchain::Debian].into_iter().find(|toolchain| ready(*toolchain))
            }
        }
    }
}

impl Requirement for WasmTarget {
    fn name(&self) -> String {
        format!("the target {WASM_TARGET}")
    }

    fn purpose(&self) -> &'static str {
        "compile the app for the browser"
    }

    fn look(&self, _project: &Project) -> Finding {
        match self.usable() {
            Some(WasmToolchain::Rustup) => Finding::Present("of the active Rust toolchain".to_owned()),
            Some(WasmToolchain::Debian) => Finding::Present("of Debian's compiler".to_owned()),
            None => {
                let wanted = match self.preference {
                    Preference::Only(toolchain) => toolchain,
                    Preference::RustupFirst => WasmToolchain::Rustup,
                };
                Finding::Missing(missing(wanted).unwrap_or_default())
            }
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        match self.preference {
            Preference::Only(WasmToolchain::Rustup) => Ok(add_with_rustup(project)?),
            Preference::Only(WasmToolchain::Debian) => debian_toolchain::fetch(project),
            Preference::RustupFirst => match add_with_rustup(project) {
                Ok(()) => Ok(()),
                Err(_) if process::find("apt-get").is_some() => {
                    report::note("rustup cannot fetch the target here; using Debian's compiler, which can build it");
                    debian_toolchain::fetch(project)
                }
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// What a toolchain lacks, if anything.
fn missing(toolchain: WasmToolchain) -> Option<String> {
    match toolchain {
        WasmToolchain::Rustup => match toolchain.library_folder() {
            Ok(folder) if has_standard_library(&folder) => None,
            _ => Some("the active Rust toolchain has no standard library for it".to_owned()),
        },
        WasmToolchain::Debian => debian_toolchain::missing(),
    }
}

fn add_with_rustup(project: &Project) -> Result<(), ProcessError> {
    let mut rustup = process::command("rustup");
    rustup.args(["target", "add", WASM_TARGET]).current_dir(project.root());
    process::run_quietly(&mut rustup, &project.cache().log("rustup-target"), RUSTUP_PATIENCE)
}
