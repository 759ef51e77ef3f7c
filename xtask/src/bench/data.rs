//! The app's work with files: snapshots, hashes, storing and importing, against what one would use instead.
//!
//! `tests/bench/data.mjs` drives the browser and its peers and prints samples; which rows there are, and the arithmetic, is here.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::bench::failed::Failed;
use crate::bench::samples::{median, quantile};
use crate::bench::{BenchError, keep_samples, printed, script};
use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup::browser;

/// The arm that is measured; every other one is a peer, but for those that only show what more would cost.
const APP: &str = "app";
/// The app's own arms beside [`APP`].
const VARIANT: &str = "app_";

/// One line of figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Its number on the scoreboard.
    pub(super) number: &'static str,
    /// What is measured, for the reader.
    pub(super) what: &'static str,
    /// As the script knows it.
    pub(super) script: &'static str,
    /// How many files, pieces or blobs.
    pub(super) count: u32,
    pub(super) rounds: usize,
    /// Where figures without it would mislead: how durable the arms are, and where the work is done.
    pub(super) note: &'static str,
}

impl Row {
    /// Its number, and what is measured of how many.
    pub(super) fn title(&self) -> String {
        format!("{} {}, {}", self.number, self.what, self.count)
    }
}

const SNAPSHOT: Row = Row {
    number: "P1",
    what: "snapshot of 4 KB files, 10 changed",
    script: "changed",
    count: 1_000,
    rounds: 7,
    note: "strict; git does not sync; app_rehashing also hashes every file, as after a run of a tool",
};

/// Snapshots of what is mostly there, at three sizes, and of what is all new.
pub(crate) const SNAPSHOTS: [Row; 4] = [
    SNAPSHOT,
    Row { count: 10_000, ..SNAPSHOT },
    Row { count: 100_000, rounds: 3, ..SNAPSHOT },
    Row {
        number: "P2",
        what: "snapshot of 4 KB files, all new",
        script: "fresh",
        note: "strict; git does not sync",
        ..SNAPSHOT
    },
];

/// SHA-256 of many small pieces and of few large ones.
pub(crate) const HASHES: [Row; 2] = [
    Row {
        number: "P4",
        what: "SHA-256 of 4 KB pieces",
        script: "hash",
        count: 10_000,
        rounds: 7,
        note: "each arm over bytes in its own memory",
    },
    Row {
        number: "P4",
        what: "SHA-256 of 10 MB pieces",
        script: "hash",
        count: 10,
        rounds: 7,
        note: "each arm over bytes in its own memory",
    },
];

const STORE: Row = Row {
    number: "P5",
    what: "storing named blobs of 4 KB and a manifest",
    script: "store",
    count: 1_000,
    rounds: 7,
    note: "both strict, one transaction",
};

/// Storing at three sizes.
pub(crate) const STORES: [Row; 3] = [STORE, Row { count: 10_000, ..STORE }, Row { count: 100_000, rounds: 3, ..STORE }];

/// A bundle of 20 MB.
pub(crate) const IMPORTS: [Row; 1] = [Row {
    number: "P15",
    what: "import of a bundle of 20 MB, until its tools can be listed",
    script: "import",
    count: 1_000,
    rounds: 7,
    note: "strict, on the page's own thread; unzip does not sync",
}];

/// The list of tools of 50 MCP servers, a saved toolset over them, a search of many tools, and what the page adds to a call of an HTTP tool;
/// what the server adds is measured beside it ([`http_tool`](super::http_tool)).
pub(crate) const TOOLS: [Row; 4] = [LISTED, RESOLVED, SEARCHED, CALLED];

const RESOLVED: Row = Row {
    number: "SAV",
    what: "a saved toolset of 100 references resolved over 2,000 tools (limit 5 ms)",
    script: "resolve",
    count: 100,
    rounds: 7,
    note: "from tools that are known by name, on the page's own thread",
};

const SEARCHED: Row = Row {
    number: "FIND",
    what: "search of tools, each of four queries (limit 10 ms)",
    script: "shelf",
    count: 10_000,
    rounds: 7,
    note: "from the index that the worker holds, with a look whether anything has changed, on the page's own thread",
};

const CALLED: Row = Row {
    number: "HTTP",
    what: "the page's part of calls of an HTTP tool, without the request itself and the server's hop (limit 1 ms each, with the hop)",
    script: "calls",
    count: 100,
    rounds: 7,
    note: "all of them together: the definition is read and filled in, its hosts are checked, and its answer is read",
};

const LISTED: Row = Row {
    number: "MCP",
    what: "the list of tools of MCP servers with 40 tools each (limit 5 ms)",
    script: "tools",
    count: 50,
    rounds: 7,
    note: "from toolsets that are loaded, on the page's own thread",
};

/// A round: milliseconds by arm, nothing for one that failed.
pub(super) type Round = BTreeMap<String, Option<f64>>;

/// A row's rounds, as they are kept.
#[derive(Debug, Serialize)]
pub(super) struct Samples<'row> {
    number: &'row str,
    what: &'row str,
    count: u32,
    rounds: Vec<Round>,
}

impl<'row> Samples<'row> {
    pub(super) fn of(row: &'row Row, rounds: Vec<Round>) -> Self {
        Self { number: row.number, what: row.what, count: row.count, rounds }
    }
}

/// Measures rows with the program in `wasm`, and prints a line for each.
pub(super) fn measure(project: &Project, wasm: &Path, name: &str, rows: &[Row], failed: &mut Failed) {
    let mut samples = Vec::new();
    for row in rows {
        let Some(rounds) = failed.or_tell(&row.title(), rounds(project, wasm, row, &[])) else { continue };
        samples.push(Samples::of(row, rounds));
        // Kept after every row, so that a later one that fails costs only itself.
        failed.or_tell(name, keep_samples(project, name, &samples));
    }
}

/// Measures one row, told what else it needs, and prints its line.
pub(super) fn rounds(
    project: &Project,
    wasm: &Path,
    row: &Row,
    told: &[(&str, &str)],
) -> Result<Vec<Round>, BenchError> {
    let chromium = browser::chromium().ok_or(BenchError::NoBrowser)?;
    report::step(&format!("{}: {}, {} of them, {} rounds", row.number, row.what, row.count, row.rounds));
    let mut node = process::command("node");
    node.arg(script(project, "data.mjs"))
        .args([row.script, &row.count.to_string(), &row.rounds.to_string()])
        .arg(&chromium)
        .arg(wasm)
        .args(browser::FLAGS)
        .envs(told.iter().copied())
        .current_dir(project.root());
    let rounds: Vec<Round> = printed(&mut node)?;
    println!("{}", line(row, &rounds));
    Ok(rounds)
}

/// The medians of all arms, and the ratios of each round to the best peer, with their spread.
pub(super) fn line(row: &Row, rounds: &[Round]) -> String {
    let arms: Vec<&String> = rounds.first().map(|round| round.keys().collect()).unwrap_or_default();
    let times = |arm: &str| -> Vec<f64> { rounds.iter().filter_map(|round| *round.get(arm)?).collect() };
    let figures: Vec<String> = arms
        .iter()
        .map(|arm| match times(arm) {
            times if times.len() < rounds.len() => format!("{arm} FAILED {} times", rounds.len() - times.len()),
            times => format!("{arm} {:.1} ms", median(times)),
        })
        .collect();
    let peers = arms.iter().filter(|arm| **arm != APP && !arm.starts_with(VARIANT));
    let whole = peers.filter(|arm| times(arm).len() == rounds.len());
    let best = whole.min_by(|one, other| median(times(one)).total_cmp(&median(times(other))));
    let ours = arms.iter().filter(|arm| **arm == APP || arm.starts_with(VARIANT));
    let ratios: Vec<String> = best.map_or_else(Vec::new, |best| {
        ours.map(|arm| {
            let ratios: Vec<f64> =
                rounds.iter().filter_map(|round| Some((*round.get(*arm)?)? / (*round.get(*best)?)?)).collect();
            format!(
                "{arm}/{best} {:.2} (quartiles {:.2} to {:.2})",
                median(ratios.clone()),
                quantile(ratios.clone(), 0.25),
                quantile(ratios, 0.75)
            )
        })
        .collect()
    });
    format!(
        "{}: {}; {}; {} rounds; {}",
        row.title(),
        figures.join(", "),
        if ratios.is_empty() { "no peer to compare with".to_owned() } else { ratios.join(", ") },
        rounds.len(),
        row.note
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row = Row { number: "P0", what: "things", script: "things", count: 3, rounds: 2, note: "strict" };

    fn round(times: &[(&str, Option<f64>)]) -> Round {
        times.iter().map(|(arm, time)| ((*arm).to_owned(), *time)).collect()
    }

    #[test]
    fn the_best_peer_counts_round_by_round() {
        let rounds = [
            round(&[("app", Some(10.0)), ("app_more", Some(20.0)), ("fast", Some(5.0)), ("slow", Some(50.0))]),
            round(&[("app", Some(10.0)), ("app_more", Some(20.0)), ("fast", Some(20.0)), ("slow", Some(50.0))]),
        ];
        assert_eq!(
            line(&ROW, &rounds),
            "P0 things, 3: app 10.0 ms, app_more 20.0 ms, fast 12.5 ms, slow 50.0 ms; \
             app/fast 1.25 (quartiles 0.88 to 1.62), app_more/fast 2.50 (quartiles 1.75 to 3.25); 2 rounds; strict"
        );
    }

    #[test]
    fn an_arm_that_failed_is_told() {
        let rounds = [round(&[("app", Some(10.0)), ("git", None)]), round(&[("app", Some(12.0)), ("git", Some(5.0))])];
        assert_eq!(
            line(&ROW, &rounds),
            "P0 things, 3: app 11.0 ms, git FAILED 1 times; no peer to compare with; 2 rounds; strict"
        );
    }
}
