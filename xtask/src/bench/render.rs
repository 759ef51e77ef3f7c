//! What calls gave, on the screen: a long table that is scrolled, a large file that is opened, a chat with many results.
//!
//! `tests/bench/render.mjs` drives the browser and prints samples; the rows, and what they have to keep to, are here.

use std::path::Path;

use crate::bench::data::{Round, Row, Samples, line};
use crate::bench::server::Server;
use crate::bench::{BenchError, keep_samples, script};
use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup::browser;

const ROWS: [Row; 3] = [
    Row {
        number: "render",
        what: "mean time between frames while a table is scrolled",
        script: "table",
        count: 100_000,
        rounds: 5,
        note: "over 300 frames, a screen further with each; 16.7 ms are 60 frames a second, the aim; app_worst is the longest",
    },
    Row {
        number: "render",
        what: "a file of 5 MB in the code view, from coming into sight to its first lines",
        script: "code",
        count: 1,
        rounds: 7,
        note: "the aim is 300 ms",
    },
    Row {
        number: "render",
        what: "a chat with 200 rendered calls, from the click on it to its last result",
        script: "chat",
        count: 200,
        rounds: 7,
        note: "the aim is 500 ms; app_warm is the same chat a second time",
    },
];

/// Prints a line for each row.
pub(crate) fn measure(project: &Project, binary: &Path) -> Result<(), BenchError> {
    let chromium = browser::chromium().ok_or(BenchError::NoBrowser)?;
    let server = Server::start(project, binary)?;
    let mut samples = Vec::new();
    for row in &ROWS {
        report::step(&format!("{}: {}, {} rounds", row.number, row.what, row.rounds));
        let mut node = process::command("node");
        node.arg(script(project, "render.mjs"))
            .args([row.script, &row.count.to_string(), &row.rounds.to_string()])
            .arg(&chromium)
            .arg(format!("http://127.0.0.1:{}", server.port()))
            .args(browser::FLAGS)
            .current_dir(project.root());
        let rounds: Vec<Round> = serde_json::from_str(&process::output_with_errors_shown(&mut node)?)?;
        println!("{}", line(row, &rounds));
        samples.push(Samples::of(row, rounds));
        // Kept after every row, so that a later one that fails costs only itself.
        keep_samples(project, "render", &samples)?;
    }
    Ok(())
}
