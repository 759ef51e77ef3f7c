//! Who runs on which core: the server that is measured on one, the client and the stand-in on the other, so that neither takes the other's
//! time. On a machine with one core, or without `taskset`, everything runs where the system likes, and that is said.

use std::ffi::OsStr;
use std::process::Command;
use std::thread;

use crate::process::{self, ProcessError};
use crate::report;

/// The core of the server that is measured.
const SERVER: &str = "0";
/// The core of everything else.
const CLIENT: &str = "1";

/// Keeps this process on its core until dropped; threads that are started meanwhile stay there.
#[derive(Debug)]
pub(crate) struct Apart {
    /// All cores there were before; none where nothing could be kept apart.
    cores: Option<usize>,
}

impl Apart {
    pub(crate) fn keep() -> Result<Self, ProcessError> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        if cores < 2 || process::find("taskset").is_none() {
            report::note("server and client share their cores here: the figures say less");
            return Ok(Self { cores: None });
        }
        move_to(CLIENT)?;
        Ok(Self { cores: Some(cores) })
    }

    /// A program on the server's core.
    pub(crate) fn server(&self, program: impl AsRef<OsStr>) -> Command {
        if self.cores.is_none() {
            return process::command(program);
        }
        let mut command = process::command("taskset");
        command.args(["--cpu-list", SERVER]).arg(program);
        command
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        let Some(cores) = self.cores else { return };
        if let Err(error) = move_to(&format!("0-{}", cores - 1)) {
            eprintln!("this process stays on one core: {error}");
        }
    }
}

fn move_to(cores: &str) -> Result<(), ProcessError> {
    let own = std::process::id().to_string();
    process::output(process::command("taskset").args(["--cpu-list", "--pid", cores, &own])).map(drop)
}
