//! How the rows ended, for the reader: a line for each, and all of them at a glance.

use super::{Fault, FaultError};

/// How a row ended.
pub(super) struct Tried {
    pub(super) row: Fault,
    pub(super) passed: bool,
    /// How often something was killed in it.
    pub(super) kills: Option<u32>,
    pub(super) seconds: f64,
}

/// What a row found.
pub(super) fn line(row: Fault, outcome: &Result<String, FaultError>, seconds: f64) -> String {
    let head = format!("{} {}", row.number(), row.name());
    match outcome {
        Ok(detail) => format!("{head}: passed in {seconds:.0} s: {detail}"),
        Err(error) => format!("{head}: FAILED after {seconds:.0} s: {}", crate::full_text(error).replace('\n', ": ")),
    }
}

/// All rows at a glance.
pub(super) fn table(tried: &[Tried]) -> String {
    let rows = tried.iter().map(|Tried { row, passed, kills, seconds }| {
        let word = if *passed { "passed" } else { "FAILED" };
        let kills = kills.map(|kills| killed(kills, row.kills())).unwrap_or_default();
        format!("  {:<16}{:<14}{word}{seconds:>8.0} s{kills}\n", row.number(), row.name())
    });
    let passed = tried.iter().filter(|tried| tried.passed).count();
    format!("{}{passed} passed, {} failed", rows.collect::<String>(), tried.len() - passed)
}

/// How often something was killed: where it is less often than the row asks for, that it is.
fn killed(kills: u32, asked: Option<u32>) -> String {
    match asked.filter(|asked| kills < *asked) {
        Some(asked) => format!("  with {kills} kills, and not the {asked} of the row"),
        None => format!("  with {kills} kills"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_stand_in_a_table() {
        let tried = [
            Tried { row: Fault::Sync, passed: true, kills: None, seconds: 81.3 },
            Tried { row: Fault::Tabs, passed: true, kills: Some(20), seconds: 90.0 },
            Tried { row: Fault::Kill, passed: false, kills: Some(20), seconds: 1_200.0 },
        ];
        let expected = "  F4–F6, F8, F10  sync          passed      81 s
  F11             tabs          passed      90 s  with 20 kills
  F1              kill          FAILED    1200 s  with 20 kills, and not the 200 of the row
2 passed, 1 failed";
        assert_eq!(table(&tried), expected);
    }

    #[test]
    fn a_row_says_how_it_ended() {
        assert_eq!(line(Fault::Flip, &Ok("all 50".into()), 12.4), "F10 flip: passed in 12 s: all 50");
        assert_eq!(
            line(Fault::Kill, &Err(FaultError::NoBrowser), 0.2),
            "F1 kill: FAILED after 0 s: there is no Chromium"
        );
    }
}
