//! `cargo xtask run`: set up, build, and become the server.

use std::convert::Infallible;
use std::env;
use std::io;
use std::os::unix::process::CommandExt;

use crate::arguments::RunOptions;
use crate::project::Project;
use crate::{CommandError, app_build, process, report, server_build, setup};

/// Names the model that the server offers to pages.
const MODEL_FILE: &str = "SATCHEL_MODEL_FILE";

/// The server was built and did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("could not execute {path}")]
    Execute { path: String, source: io::Error },
}

/// Starts the server in place of this process: Ctrl-C, the exit code and the printed address are the server's own, and
/// nothing is left behind when either is killed. Returns only when that fails.
pub(crate) fn replace_this_process(project: &Project, options: RunOptions) -> Result<Infallible, CommandError> {
    let toolchain = setup::for_building(project)?;
    let dist = app_build::bring_up_to_date(project, toolchain)?;
    let binary = server_build::for_running(project)?;
    let model = setup::for_first_chat(project);
    report::step("starting the server; Ctrl-C stops it");
    let mut server = process::command(&binary);
    server.arg("serve").arg("--app-dir").arg(dist.folder());
    if let Some(port) = options.port {
        server.args(["--port", &port.to_string()]);
    }
    if let Some(data) = options.data {
        server.arg("--data").arg(data);
    }
    // Not as a flag, which the user may give too.
    if let Some(model) = model.filter(|_| env::var_os(MODEL_FILE).is_none()) {
        server.env(MODEL_FILE, model);
    }
    server.args(options.server_arguments);
    let source = server.exec();
    Err(StartError::Execute { path: binary.display().to_string(), source }.into())
}
