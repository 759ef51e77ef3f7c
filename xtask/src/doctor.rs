//! `cargo xtask doctor`: what is set up and what is missing. Looks only; fetches nothing.

use std::process::ExitCode;

use crate::project::Project;
use crate::setup::{self, Finding, Requirement};

/// Prints every requirement; success when none is missing.
pub(crate) fn examine(project: &Project) -> ExitCode {
    println!("cache: {}", project.cache().folder().display());
    let requirements = match setup::everything(project) {
        Ok(requirements) => requirements,
        Err(error) => {
            println!("✗ {error}: {}", error.remedy());
            return ExitCode::FAILURE;
        }
    };
    let missing = requirements.iter().filter(|requirement| !is_present(project, requirement.as_ref())).count();
    match missing {
        0 => {
            println!("nothing is missing");
            ExitCode::SUCCESS
        }
        number => {
            println!("{number} missing; `cargo xtask run` and `cargo xtask test` fetch what each of them needs");
            ExitCode::FAILURE
        }
    }
}

fn is_present(project: &Project, requirement: &dyn Requirement) -> bool {
    match requirement.look(project) {
        Finding::Present(detail) => {
            println!("✓ {}: {detail}", requirement.name());
            true
        }
        Finding::Missing(detail) => {
            println!("✗ {}: {detail}; needed to {}", requirement.name(), requirement.purpose());
            false
        }
    }
}
