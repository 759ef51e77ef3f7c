//! What the user sees: the step at work, heartbeats, failures with a way on, and where the time went.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::CommandError;
use crate::dist::Dist;

/// A step begins.
pub(crate) fn step(text: &str) {
    eprintln!("==> {text}");
}

/// A remark inside a step.
pub(crate) fn note(text: &str) {
    eprintln!("    {text}");
}

/// A long step is still at work.
pub(crate) fn heartbeat(elapsed: Duration, last_line: &str) {
    let last_line: String = last_line.trim().chars().take(90).collect();
    eprintln!("    … {:>4} s  {last_line}", elapsed.as_secs());
}

/// Why the command stopped, and what to do.
pub(crate) fn failure(error: &CommandError) {
    eprintln!();
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(inner) = cause {
        for line in inner.to_string().lines() {
            eprintln!("  {line}");
        }
        cause = inner.source();
    }
    eprintln!("what to do: {}", error.remedy());
}

/// What `build` made.
pub(crate) fn built(dist: &Dist, binary: &Path) {
    let bytes = fs::metadata(binary).map(|metadata| metadata.len()).unwrap_or_default();
    let (shell, compressed) = dist.shell_bytes();
    println!(
        "dist/                   build {}, shell {} ({} as brotli)",
        dist.build(),
        kilobytes(shell),
        kilobytes(compressed)
    );
    println!("target/release/satchel  {} with the app inside", kilobytes(bytes));
}

/// Bytes for reading: `1234567` is `1,234.6 KB`.
pub(crate) fn kilobytes(bytes: u64) -> String {
    let tenths = (bytes + 50) / 100;
    let whole = (tenths / 10).to_string();
    let mut grouped = String::new();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped}.{} KB", tenths % 10)
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// Not tried, because a step it builds on failed.
    Skipped,
}

/// The steps of a command with the time each took.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    entries: Vec<(&'static str, Duration, Outcome)>,
}

impl Timeline {
    /// Notes a step that began at `started` and ends now.
    pub(crate) fn ended(&mut self, name: &'static str, started: Instant, outcome: Outcome) {
        self.entries.push((name, started.elapsed(), outcome));
    }

    /// Notes a step that was not tried.
    pub(crate) fn skipped(&mut self, name: &'static str) {
        self.entries.push((name, Duration::ZERO, Outcome::Skipped));
    }

    /// How a step ended; `None` when it was not part of the command.
    pub(crate) fn outcome(&self, name: &str) -> Option<Outcome> {
        self.entries.iter().find(|(known, ..)| *known == name).map(|(.., outcome)| *outcome)
    }

    /// Whether every step passed.
    pub(crate) fn all_passed(&self) -> bool {
        self.entries.iter().all(|(.., outcome)| *outcome == Outcome::Passed)
    }

    /// The table of seconds per step, ending in the line `N passed, M failed`.
    pub(crate) fn table(&self) -> String {
        let mut table = String::from("\nwhere the time went\n");
        for (name, time, outcome) in &self.entries {
            let outcome = match outcome {
                Outcome::Passed => "passed",
                Outcome::Failed => "FAILED",
                Outcome::Skipped => "skipped",
            };
            table.push_str(&format!("  {name:<14}{:>8.1} s  {outcome}\n", time.as_secs_f64()));
        }
        let total: Duration = self.entries.iter().map(|(_, time, _)| *time).sum();
        table.push_str(&format!("  {:<14}{:>8.1} s\n", "all", total.as_secs_f64()));
        let count = |wanted: Outcome| self.entries.iter().filter(|(.., outcome)| *outcome == wanted).count();
        let skipped = match count(Outcome::Skipped) {
            0 => String::new(),
            number => format!(", {number} skipped"),
        };
        table.push_str(&format!("{} passed, {} failed{skipped}", count(Outcome::Passed), count(Outcome::Failed)));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_every_step_and_counts_them() {
        let timeline = Timeline {
            entries: vec![
                ("format", Duration::from_millis(1_250), Outcome::Passed),
                ("build", Duration::from_secs(61), Outcome::Failed),
                ("journeys", Duration::ZERO, Outcome::Skipped),
            ],
        };
        let expected = "
where the time went
  format             1.2 s  passed
  build             61.0 s  FAILED
  journeys           0.0 s  skipped
  all               62.2 s
1 passed, 1 failed, 1 skipped";
        assert_eq!(timeline.table(), expected);
        assert!(!timeline.all_passed());
    }

    #[test]
    fn bytes_are_grouped() {
        assert_eq!(kilobytes(0), "0.0 KB");
        assert_eq!(kilobytes(999_949), "999.9 KB");
        assert_eq!(kilobytes(1_234_567), "1,234.6 KB");
    }
}
