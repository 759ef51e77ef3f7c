//! `cargo xtask test`: every check there is, each a step with a name and a time.
//!
//! All steps are tried, so that one run shows everything that is wrong; only a step that builds on a failed one is skipped.

mod flaky;
mod step;

use std::process::ExitCode;
use std::time::Instant;

use crate::project::Project;
use crate::report::{self, Outcome, Timeline};
use crate::{CommandError, setup};

pub(crate) use step::StepName;

/// Runs the named steps, or all when none is named. The exit code says whether all passed.
pub(crate) fn run(project: &Project, only: &[StepName]) -> Result<ExitCode, CommandError> {
    let mut timeline = Timeline::default();
    let started = Instant::now();
    report::step("set-up");
    let toolchain = setup::for_testing(project)?;
    timeline.ended("set-up", started, Outcome::Passed);

    let mut failures = Vec::new();
    for step in StepName::ALL.into_iter().filter(|step| only.is_empty() || is_wanted(*step, only)) {
        let broken = step.builds_on().filter(|name| timeline.outcome(name.name()) != Some(Outcome::Passed));
        if let Some(broken) = broken {
            timeline.skipped(step.name());
            failures.push(format!("{}: skipped, because {} failed", step.name(), broken.name()));
            continue;
        }
        report::step(&format!("{}: {}", step.name(), step.explains()));
        let started = Instant::now();
        let outcome = match step::run(step, project, toolchain) {
            Ok(()) => Outcome::Passed,
            Err(error) => {
                failures.push(format!(
                    "{}: {}\n    again: cargo xtask test --only {}",
                    step.name(),
                    error.chain(),
                    step.name()
                ));
                Outcome::Failed
            }
        };
        timeline.ended(step.name(), started, outcome);
    }

    if !failures.is_empty() {
        eprintln!("\nwhat failed");
        for failure in &failures {
            eprintln!("  {failure}");
        }
    }
    if timeline.outcome(StepName::Journeys.name()).is_some_and(|outcome| outcome != Outcome::Skipped) {
        for journey in flaky::of_last_run(project) {
            println!("flaky, passed at the second try: {journey}");
        }
    }
    println!("{}", timeline.table());
    Ok(if timeline.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A step is run when it is named, or when a named one builds on it.
fn is_wanted(step: StepName, only: &[StepName]) -> bool {
    only.iter().any(|named| *named == step || named.builds_on() == Some(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naming_a_step_brings_the_one_it_builds_on() {
        let wanted = |only: &[StepName]| -> Vec<StepName> {
            StepName::ALL.into_iter().filter(|step| is_wanted(*step, only)).collect()
        };
        assert_eq!(wanted(&[StepName::Journeys]), [StepName::Build, StepName::Journeys]);
        assert_eq!(wanted(&[StepName::Clippy, StepName::Format]), [StepName::Format, StepName::Clippy]);
    }
}
