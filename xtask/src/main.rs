//! The project's commands: `cargo xtask run | test | build | bench | faults | doctor`.
//!
//! On a fresh machine each command first fetches what it needs, pinned and kept in one cache folder that all clones
//! share; when nothing is missing it starts at once and uses no network. What is built or served is decided
//! elsewhere: here are only the steps, their order, and what to say when one of them fails.

#[cfg(not(unix))]
compile_error!("the commands need a Unix: on Windows run them in WSL");

mod app_build;
mod arguments;
mod bench;
mod cache;
mod digest;
mod dist;
mod doctor;
mod faults;
mod files;
mod process;
mod project;
mod report;
mod run;
mod server_build;
mod setup;
mod test;
mod toolchain;
mod trouble;

use std::error::Error;
use std::process::ExitCode;

use crate::arguments::{Command, USAGE};
use crate::project::Project;

fn main() -> ExitCode {
    match execute() {
        Ok(code) => code,
        Err(error) => {
            report::failure(&error);
            ExitCode::FAILURE
        }
    }
}

fn execute() -> Result<ExitCode, CommandError> {
    let command = arguments::parse(std::env::args_os().skip(1))?;
    if let Command::Help = command {
        print!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let project = Project::locate()?;
    match command {
        Command::Help => Ok(ExitCode::SUCCESS),
        Command::Doctor => Ok(doctor::examine(&project)),
        Command::Build => build(&project),
        Command::Run(options) => match run::replace_this_process(&project, options)? {},
        Command::Test(steps) => Ok(test::run(&project, &steps)?),
        Command::Bench(benches) => {
            bench::run(&project, &benches)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Faults(options) => Ok(faults::run(&project, &options)?),
    }
}

/// `dist/` for any web server, and one binary that carries it.
fn build(project: &Project) -> Result<ExitCode, CommandError> {
    let toolchain = setup::for_building(project)?;
    let dist = app_build::bring_up_to_date(project, toolchain)?;
    let binary = server_build::release_with_app(project, &dist)?;
    report::built(&dist, &binary);
    Ok(ExitCode::SUCCESS)
}

/// Why a command stopped. Each kind knows what the user can do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Arguments(#[from] arguments::ArgumentError),
    #[error(transparent)]
    Project(#[from] project::ProjectError),
    #[error("set-up stopped at {}", .0.step())]
    Setup(#[from] setup::SetupError),
    #[error("the app could not be built")]
    App(#[from] app_build::AppBuildError),
    #[error("the server could not be built")]
    Server(#[from] server_build::ServerBuildError),
    #[error("the server could not be started")]
    Run(#[from] run::StartError),
    #[error("the measurement failed")]
    Bench(#[from] bench::BenchError),
}

impl CommandError {
    /// One sentence on what to do next.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::Arguments(_) => "see `cargo xtask help`".to_owned(),
            Self::Project(error) => error.remedy(),
            Self::Setup(error) => error.remedy(),
            Self::App(_) | Self::Server(_) | Self::Bench(_) => trouble::advice(
                &full_text(self),
                "put right what the output above names, then run the same command again",
            ),
            Self::Run(_) => {
                "check that the file exists and may be executed, then run the same command again".to_owned()
            }
        }
    }
}

/// The error and all its causes, for recognising the kind of trouble.
fn full_text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push('\n');
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
