//! From navigation to interactive, cold and warm, against a page of twenty lines in the same run.
//!
//! `tests/bench/start.mjs` drives the browser and prints samples; the arithmetic is here, where it is tested.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bench::samples::quantile;
use crate::bench::server::Server;
use crate::bench::{BenchError, keep_samples, printed, script};
use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup::browser;

const ROUNDS: usize = 7;

/// One round: milliseconds to interactive for both pages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Round {
    app: Start,
    peer: Start,
}

/// One profile: its first start, and its third.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Start {
    cold: f64,
    warm: f64,
}

/// Prints a line for cold and one for warm.
pub(crate) fn measure(project: &Project, binary: &Path) -> Result<(), BenchError> {
    let chromium = browser::chromium().ok_or(BenchError::NoBrowser)?;
    let server = Server::start(project, binary)?;
    report::step(&format!("start: {ROUNDS} rounds in {}", chromium.display()));
    let mut node = process::command("node");
    node.arg(script(project, "start.mjs"))
        .arg(format!("http://127.0.0.1:{}/ui/chat", server.port()))
        .arg(ROUNDS.to_string())
        .arg(&chromium)
        .args(browser::FLAGS)
        .current_dir(project.root());
    let rounds: Vec<Round> = printed(&mut node)?;
    let samples = |choose: fn(&Start) -> f64| -> Vec<(f64, f64)> {
        rounds.iter().map(|round| (choose(&round.app), choose(&round.peer))).collect()
    };
    println!("{}", line("cold", &samples(|start| start.cold)));
    println!("{}", line("warm", &samples(|start| start.warm)));
    keep_samples(project, "start", &rounds)?;
    Ok(())
}

/// Medians of both pages, and of the ratios of each round with their spread.
fn line(kind: &str, samples: &[(f64, f64)]) -> String {
    let median = |values: Vec<f64>| quantile(values, 0.5);
    let ratios: Vec<f64> = samples.iter().map(|(app, peer)| app / peer).collect();
    format!(
        "start {kind}: app {:.0} ms, 20-line page {:.0} ms, ratio {:.2} (quartiles {:.2} to {:.2}, {} rounds)",
        median(samples.iter().map(|(app, _)| *app).collect()),
        median(samples.iter().map(|(_, peer)| *peer).collect()),
        median(ratios.clone()),
        quantile(ratios.clone(), 0.25),
        quantile(ratios, 0.75),
        samples.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_round_by_round() {
        // The medians alone (20 and 10) would hide that the rounds disagree.
        let samples = [(10.0, 10.0), (20.0, 5.0), (30.0, 10.0)];
        assert_eq!(
            line("cold", &samples),
            "start cold: app 20 ms, 20-line page 10 ms, ratio 3.00 (quartiles 2.00 to 3.50, 3 rounds)"
        );
    }
}
