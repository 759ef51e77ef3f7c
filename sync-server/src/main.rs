//! The program `satchel`: reads the command line, runs the command, and turns a failure into one sentence and an exit code.

use std::process::ExitCode;

use clap::Parser;
use satchel_server::cli::Cli;
use satchel_server::start;

fn main() -> ExitCode {
    match start::run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("satchel: {}", failure.sentence());
            ExitCode::from(failure.exit_code())
        }
    }
}
