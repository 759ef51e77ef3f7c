//! F19: each hostile bundle is refused within a second and within 200 MB. The attacks are tests of core; here each is run in a process of
//! its own, which the system gives no more memory than that.

use std::time::{Duration, Instant};

use crate::process::{self, ProcessError};
use crate::project::Project;

/// Each of these makes its attacks and expects their refusal.
const ATTACKS: [&str; 7] = [
    "bundle::archive::tests::names_that_escape_or_collide_are_refused",
    "bundle::archive::tests::entries_that_are_not_plain_files_are_refused",
    "bundle::archive::tests::too_many_entries_are_refused",
    "bundle::archive::tests::bombs_are_refused_before_they_cost_memory",
    "bundle::archive::tests::entries_that_share_bytes_are_refused",
    "bundle::archive::tests::damage_is_refused",
    "bundle::manifest::tests::yaml_bombs_are_refused",
];
const LIMIT: Duration = Duration::from_secs(1);
/// Of the address space, which is more than what is really used.
const MEMORY_KIB: u32 = 200 * 1024;

/// An attack was not withstood.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostileError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("cargo named no test program")]
    NoProgram,
    #[error("{attack} took {} ms", .time.as_millis())]
    TooSlow { attack: &'static str, time: Duration },
    #[error("there is no test {0}")]
    NoTest(&'static str),
}

/// Runs every attack; what was found.
pub(crate) fn run(project: &Project) -> Result<String, HostileError> {
    let program = build(project)?;
    let mut slowest = Duration::ZERO;
    for attack in ATTACKS {
        let mut shell = process::command("sh");
        // One allocator's arena: each further one reserves more than it uses.
        shell.env("MALLOC_ARENA_MAX", "1").args(["-c", &format!("ulimit -v {MEMORY_KIB} && exec \"$0\" \"$@\"")]);
        shell.arg(&program).args(["--exact", attack, "--test-threads", "1"]);
        let started = Instant::now();
        let printed = process::output_with_errors_shown(&mut shell)?;
        let time = started.elapsed();
        if !printed.contains("1 passed") {
            return Err(HostileError::NoTest(attack));
        }
        if time > LIMIT {
            return Err(HostileError::TooSlow { attack, time });
        }
        slowest = slowest.max(time);
    }
    Ok(format!(
        "{} kinds of attack, each refused within {} MB of address space, the slowest in {} ms with its making",
        ATTACKS.len(),
        MEMORY_KIB / 1024,
        slowest.as_millis()
    ))
}

/// The tests of core, optimised: time is part of what is asked.
fn build(project: &Project) -> Result<String, HostileError> {
    let mut cargo = process::command("cargo");
    cargo
        .args(["test", "--package", "satchel-core", "--lib", "--no-run", "--message-format", "json"])
        .args(["--profile", "attacked"])
        .args(["--config", "profile.attacked.inherits=\"release\"", "--config", "profile.attacked.lto=false"])
        .args(["--config", "profile.attacked.codegen-units=16"])
        .current_dir(project.root());
    let messages = process::output_with_errors_shown(&mut cargo)?;
    program_in(&messages).ok_or(HostileError::NoProgram)
}

/// The last program that cargo says it made.
fn program_in(messages: &str) -> Option<String> {
    let made = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    made.filter_map(|message| Some(message.get("executable")?.as_str()?.to_owned())).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_messages() {
        let messages = "{\"reason\":\"compiler-artifact\",\"executable\":null}\n\
                        {\"reason\":\"compiler-artifact\",\"executable\":\"target/core-1\"}\n\
                        {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(program_in(messages), Some("target/core-1".to_owned()));
        assert_eq!(program_in(""), None);
    }
}
