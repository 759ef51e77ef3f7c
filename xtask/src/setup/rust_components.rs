//! rustfmt and clippy of the active toolchain.

use std::path::Path;
use std::time::Duration;

use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, Finding, Requirement};

const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// `cargo fmt` and `cargo clippy`.
pub(crate) struct RustComponents;

impl Requirement for RustComponents {
    fn name(&self) -> String {
        "rustfmt and clippy".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "check the sources"
    }

    fn look(&self, _project: &Project) -> Finding {
        let sysroot = process::output(process::command("rustc").args(["--print", "sysroot"])).unwrap_or_default();
        let programs = Path::new(sysroot.trim()).join("bin");
        let there = |name: &&str| programs.join(name).is_file();
        match ["cargo-fmt", "cargo-clippy"].iter().find(|name| !there(name)) {
            None => Finding::Present(programs.display().to_string()),
            Some(name) => Finding::Missing(format!("no {}", programs.join(name).display())),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        let mut rustup = process::command("rustup");
        rustup.args(["component", "add", "rustfmt", "clippy"]).current_dir(project.root());
        process::run_quietly(&mut rustup, &project.cache().log("rustup-component"), PATIENCE)?;
        Ok(())
    }
}
