//! Sync: a device that has nothing gets everything, from a server that is 50 ms away (P13), and changes that are acknowledged once they are on
//! the disk (P14).

use std::path::Path;

use crate::bench::data::{self, Round, Row, Samples, line};
use crate::bench::failed::Failed;
use crate::bench::server::Server;
use crate::bench::{BenchError, keep_samples, printed};
use crate::process;
use crate::project::Project;
use crate::report;

const FIRST: Row = Row {
    number: "P13",
    what: "first sync of rows, with a fifth as many files of 20 KB, at 50 ms round trip",
    script: "sync",
    count: 10_000,
    rounds: 7,
    note: "received, checked and stored, on the page's own thread; the peer is curl of as many bytes to a file, as far away",
};

/// At three sizes.
const FIRSTS: [Row; 3] = [Row { count: 1_000, ..FIRST }, FIRST, Row { count: 100_000, rounds: 3, ..FIRST }];

const COMMITS: Row = Row {
    number: "P14",
    what: "commits of 1 KB, acknowledged when on the disk, by 32 clients",
    script: "",
    count: 3_200,
    rounds: 7,
    note: "so many together; over HTTP with sync's own checks, against a bare insert; the scoreboard's ratio is the reciprocal",
};

/// How many changes are in the log before.
const STORED: [u32; 3] = [1_000, 10_000, 100_000];

/// Prints a line for each row.
pub(super) fn measure(project: &Project, binary: &Path, wasm: &Path, failed: &mut Failed) {
    let mut samples = Vec::new();
    for stored in STORED {
        report::step(&format!("P14: {} rounds of {} commits over {stored}", COMMITS.rounds, COMMITS.count));
        let title = format!("{}; {stored} were there before", COMMITS.title());
        let Some(rounds) = failed.or_tell(&title, commits(project, binary, stored)) else { continue };
        println!("{}; {stored} were there before", line(&COMMITS, &rounds));
        samples.push(Samples::of(&COMMITS, rounds));
        failed.or_tell("sync", keep_samples(project, "sync", &samples));
    }
    for row in &FIRSTS {
        let Some(rounds) = failed.or_tell(&row.title(), first(project, binary, wasm, row)) else { continue };
        samples.push(Samples::of(row, rounds));
        failed.or_tell("sync", keep_samples(project, "sync", &samples));
    }
}

/// First syncs, over a log of their own.
fn first(project: &Project, binary: &Path, wasm: &Path, row: &Row) -> Result<Vec<Round>, BenchError> {
    let server = Server::start(project, binary)?;
    let origin = format!("http://127.0.0.1:{}", server.port());
    let told = [("SATCHEL_SYNC_SERVER", origin.as_str()), ("SATCHEL_SYNC_TOKEN", server.token())];
    data::rounds(project, wasm, row, &told)
}

fn commits(project: &Project, binary: &Path, stored: u32) -> Result<Vec<Round>, BenchError> {
    let server = Server::start(project, binary)?;
    let mut cargo = process::command("cargo");
    cargo.args("bench --quiet --package satchel-server --bench commits --".split(' '));
    cargo.args([&format!("127.0.0.1:{}", server.port()), server.token()]);
    cargo.arg(project.target().join("bench/bare"));
    cargo.args(
        [COMMITS.count, u32::try_from(COMMITS.rounds).unwrap_or(u32::MAX), stored].map(|number| number.to_string()),
    );
    cargo.env("CARGO_TARGET_DIR", project.target()).current_dir(project.root());
    printed(&mut cargo)
}
