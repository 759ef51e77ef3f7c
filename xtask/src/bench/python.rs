//! Python tools in the real app: the first result after a start, a call, files laid out, and what the page feels of it.
//!
//! `tests/bench/python.mjs` drives the browser and its peers and prints samples; the rows are here.

use std::path::Path;

use crate::bench::data::{Round, Row, Samples, line};
use crate::bench::server::Server;
use crate::bench::{BenchError, keep_samples, script};
use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup::browser;

const ROWS: [Row; 4] = [
    Row {
        number: "P3",
        what: "files of 4 KB laid out in a cage that has none",
        script: "materialise",
        count: 1_000,
        rounds: 7,
        note: "read from IndexedDB, each checked by its hash; the peer checks out of and into IndexedDB",
    },
    Row {
        number: "P6",
        what: "warm profile, navigation to the first result of Python",
        script: "first",
        count: 1,
        rounds: 7,
        note: "by /local, once the page is ready; the peer is a page that only loads Pyodide",
    },
    Row {
        number: "P7",
        what: "warm call of a function that does nothing",
        script: "call",
        count: 30,
        rounds: 7,
        note: "medians of 30 calls by /local, with their record in the database; the peer is runPython in a worker",
    },
    Row {
        number: "main thread",
        what: "longest task of the page while a tool rewrites all files",
        script: "long_tasks",
        count: 1_000,
        rounds: 7,
        note: "the browser tells of tasks from 50 ms on, 0 is none",
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
        node.arg(script(project, "python.mjs"))
            .args([row.script, &row.rounds.to_string()])
            .arg(&chromium)
            .arg(format!("http://127.0.0.1:{}", server.port()))
            .args(browser::FLAGS)
            .current_dir(project.root());
        let rounds: Vec<Round> = serde_json::from_str(&process::output_with_errors_shown(&mut node)?)?;
        println!("{}", line(row, &rounds));
        samples.push(Samples::of(row, rounds));
        // Kept after every row, so that a later one that fails costs only itself.
        keep_samples(project, "python", &samples)?;
    }
    Ok(())
}
