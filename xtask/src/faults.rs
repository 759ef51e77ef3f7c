//! `cargo xtask faults`: what must hold when something goes wrong in the middle. One line per row; a row that fails fails the command.
//!
//! What is tried in a browser is in `tests/faults`, over the app and the server as the journeys use them; the rest are tests of core and
//! of the server, measured here.

mod hostile;
mod outcome;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde::Deserialize;

use self::outcome::{Tried, line, table};
use crate::files::{self, AtPath, FileError};
use crate::process::{self, ProcessError};
use crate::project::Project;
use crate::setup::browser;
use crate::{CommandError, app_build, report, server_build, setup};

/// How many stories the simulator of sync tells.
const STORIES: u32 = 10_000;

/// How often the server is killed.
const SERVER_KILLS: u32 = 200;

/// How often a provider has a bad day.
const PROVIDER_ROUNDS: u32 = 1_000;

/// One row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// F1: the browser is killed.
    Kill,
    /// F2: the device stops at an operation of the store.
    Stop,
    /// F3: there is no room.
    Quota,
    /// F10: stored bytes change.
    Flip,
    /// F4: site data is cleared. F5, F6, F8, F10: a server that was restored, lacks blobs, whose answers are lost, or whose disk is damaged.
    Sync,
    /// F7: whole devices over a simulated network.
    Simulator,
    /// F9: the server is killed in the middle of writing.
    KillServer,
    /// F16: requests that may not come in.
    Routes,
    /// F17: commands that nobody has approved. F20: MCP servers that misbehave, change their tools or are given secrets.
    Mcp,
    /// F18: addresses that nobody may reach, and hosts that misbehave. F20: keys of HTTP tools.
    Outbound,
    /// F19: a bundle means harm.
    Bundle,
    /// F14: Python does not end, or dies.
    Python,
    /// F20: code in a cage or a frame wants out.
    Cage,
    /// F20: what an artifact, a document or a plan tries against the page that shows it.
    Frame,
    /// F13: there is no server, and the browser is cold.
    Offline,
    /// F11: the tab whose run it is is killed beside another.
    Tabs,
    /// F12: a newer version comes while an older one is at work.
    Versions,
    /// F15: a provider does what providers do on bad days.
    Provider,
}

/// Which rows, and how often.
#[derive(Debug, PartialEq)]
pub(crate) struct FaultOptions {
    pub(crate) rows: Vec<Fault>,
    /// How often something is killed, where the user wants it otherwise than the rows do.
    pub(crate) times: Option<u32>,
}

/// A row failed, or could not be tried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FaultError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Hostile(#[from] hostile::HostileError),
    #[error("the row left no word of what it found")]
    Silent(#[from] serde_json::Error),
    #[error("there is no Chromium")]
    NoBrowser,
    #[error("no test has {0} in its name")]
    NoTest(String),
}

/// What a row in the browser leaves behind.
#[derive(Debug, Deserialize)]
struct Found {
    detail: String,
}

/// What Playwright counts, of all that it reports.
#[derive(Debug, Deserialize)]
struct Counted {
    stats: Stats,
}

#[derive(Debug, Deserialize)]
struct Stats {
    /// Tests that ended as they should.
    expected: u32,
}

impl Fault {
    /// Every row, in the order they are tried: the quick ones first.
    pub(crate) const ALL: [Self; 18] = [
        Self::Routes,
        Self::Mcp,
        Self::Outbound,
        Self::Sync,
        Self::KillServer,
        Self::Simulator,
        Self::Bundle,
        Self::Quota,
        Self::Flip,
        Self::Stop,
        Self::Cage,
        Self::Frame,
        Self::Provider,
        Self::Tabs,
        Self::Versions,
        Self::Offline,
        Self::Python,
        Self::Kill,
    ];

    /// As the user types it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Quota => "quota",
            Self::Flip => "flip",
            Self::Sync => "sync",
            Self::Simulator => "simulator",
            Self::KillServer => "kill_server",
            Self::Routes => "routes",
            Self::Mcp => "mcp",
            Self::Outbound => "outbound",
            Self::Bundle => "bundle",
            Self::Python => "python",
            Self::Cage => "cage",
            Self::Frame => "frame",
            Self::Offline => "offline",
            Self::Tabs => "tabs",
            Self::Versions => "versions",
            Self::Provider => "provider",
        }
    }

    /// Its number on the scoreboard.
    fn number(self) -> &'static str {
        match self {
            Self::Kill => "F1",
            Self::Stop => "F2",
            Self::Quota => "F3",
            Self::Flip => "F10",
            Self::Sync => "F4–F6, F8, F10",
            Self::Simulator => "F7",
            Self::KillServer => "F9",
            Self::Routes => "F16",
            Self::Mcp => "F17, F20",
            Self::Outbound => "F18, F20",
            Self::Bundle => "F19",
            Self::Python => "F14",
            Self::Cage | Self::Frame => "F20",
            Self::Offline => "F13",
            Self::Tabs => "F11",
            Self::Versions => "F12",
            Self::Provider => "F15",
        }
    }

    /// How often a browser or a tab is killed for the row to count; none where nothing is killed at random.
    fn kills(self) -> Option<u32> {
        match self {
            Self::Kill => Some(200),
            Self::Tabs => Some(20),
            Self::Stop
            | Self::Quota
            | Self::Flip
            | Self::Sync
            | Self::Simulator
            | Self::KillServer
            | Self::Routes
            | Self::Mcp
            | Self::Outbound
            | Self::Bundle
            | Self::Python
            | Self::Cage
            | Self::Frame
            | Self::Offline
            | Self::Versions
            | Self::Provider => None,
        }
    }
}

/// Tries the rows. All are tried, so that one run shows everything; the exit code says whether all passed.
pub(crate) fn run(project: &Project, options: &FaultOptions) -> Result<ExitCode, CommandError> {
    // Journeys are among the rows, and they need wheels, a model and MCP servers.
    let toolchain = setup::for_testing(project)?;
    let dist = app_build::bring_up_to_date(project, toolchain)?;
    server_build::for_testing(project, &dist)?;
    let mut tried = Vec::new();
    for row in &options.rows {
        report::step(&format!("{} {}", row.number(), row.name()));
        let started = Instant::now();
        let kills = row.kills().map(|kills| options.times.unwrap_or(kills));
        let outcome = attempt(project, *row, kills.unwrap_or_default());
        let seconds = started.elapsed().as_secs_f64();
        println!("{}", line(*row, &outcome, seconds));
        tried.push(Tried { row: *row, passed: outcome.is_ok(), kills, seconds });
    }
    println!("\n{}", table(&tried));
    Ok(if tried.iter().all(|tried| tried.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn attempt(project: &Project, row: Fault, times: u32) -> Result<String, FaultError> {
    match row {
        Fault::Routes => of_server(project, &["route_walk::"]),
        Fault::Mcp => {
            let started = of_server(
                project,
                &[
                    "mcp::",
                    "mcp_bundle::",
                    "a_command_is_approved_beside_a_running_server",
                    "sync::a_synced_command_starts_nothing",
                ],
            )?;
            let by_bundle = journeys(project, &["journeys/mcp_bundle.spec.ts"], None)?;
            let misbehaving =
                of_server(project, &["mcp_hostile::", "mcp_calls::clients_with_equal_ids_are_kept_apart"])?;
            let names = [
                "pins::tests::",
                "mcp::tests::a_changed",
                "mcp::tests::the_identity",
                "mcp::tests::a_damaged_pin",
                "no_secret_is",
            ];
            let changed = of_core(project, &names)?;
            let shown = journeys(project, &["journeys/mcp.spec.ts"], Some("off until what changed is approved"))?;
            Ok(format!("{started}; {by_bundle}; {misbehaving}; {changed}; {shown}"))
        }
        Fault::Outbound => {
            let asked = of_server(project, &["http_tools::", "fetch::", "outbound::"])?;
            // Each by itself: a host that nobody plays any more fails the row.
            let names = [
                "bad_hosts::one_that_stalls",
                "bad_hosts::one_that_redirects_in_a_loop",
                "bad_hosts::one_that_promises_a_gigabyte",
                "bad_hosts::one_that_sends_a_gigabyte",
                "bad_hosts::one_that_sends_malformed_json",
                "bad_hosts::one_that_resets",
                "bad_hosts::one_that_speaks_no_http",
                "hub_http::",
            ];
            let misbehaving = of_server(project, &names)?;
            let exa = journeys(project, &["journeys/http_tools.spec.ts"], Some("agentic chat with Exa search"))?;
            let own = journeys(project, &["journeys/hub.spec.ts"], Some("its key is nowhere"))?;
            Ok(format!("{asked}; {misbehaving}; that a key is nowhere but at its host, by {exa} and {own}"))
        }
        Fault::Sync => {
            let server = of_server(project, &["sync::", "sync_program::a_backup_is_put_back"])?;
            let healed = of_core(project, &["damage_at_the_server_is_put_right"])?;
            let cleared = journeys(project, &["journeys/sync.spec.ts"], Some("site data that was cleared"))?;
            let restored = journeys(project, &["journeys/sync.spec.ts"], Some("set back to an older backup"))?;
            Ok(format!("{server}; {healed}; {cleared}; {restored}"))
        }
        Fault::Simulator => {
            process::run(
                process::command("cargo")
                    .args(
                        "test --quiet --release --package satchel-tests --test flows simulator -- --nocapture"
                            .split(' '),
                    )
                    .env("SATCHEL_SEEDS", format!("0..{STORIES}"))
                    .current_dir(project.root()),
            )?;
            Ok(format!("{STORIES} stories of three devices, each with the same end on all of them"))
        }
        Fault::KillServer => {
            process::run(
                process::command("cargo")
                    .args("test --quiet --package satchel-server --test server a_killed_server".split(' '))
                    .env("SATCHEL_FAULT_ROUNDS", SERVER_KILLS.to_string())
                    .current_dir(project.root()),
            )?;
            Ok(format!("killed {SERVER_KILLS} times; everything that was acknowledged is there"))
        }
        Fault::Bundle => {
            let natively = hostile::run(project)?;
            Ok(format!("{natively}; {}", in_browser(project, row.name(), times)?))
        }
        Fault::Stop => {
            let natively = of_core(project, &["local_api::tests::stopping", "a_page_stopped_anywhere"])?;
            let found = in_browser(project, row.name(), times)?;
            Ok(format!("at every operation of the store, of a page that sync brings too, by {natively}; {found}"))
        }
        Fault::Provider => {
            process::run(
                process::command("cargo")
                    .args(
                        "test --quiet --package satchel-server --test server provider_faults -- --nocapture".split(' '),
                    )
                    .env("SATCHEL_FAULT_ROUNDS", PROVIDER_ROUNDS.to_string())
                    .current_dir(project.root()),
            )?;
            let found = in_browser(project, row.name(), times)?;
            Ok(format!("{PROVIDER_ROUNDS} rounds behind the server with flat memory; {found}"))
        }
        Fault::Quota | Fault::Flip | Fault::Python | Fault::Frame | Fault::Tabs => {
            in_browser(project, row.name(), times)
        }
        // With a model, and without one: a chat that is answered cannot be edited meanwhile.
        Fault::Kill => {
            // A quarter of them: answers are one of the four things that are killed.
            let answers = times.div_ceil(4);
            let stored = in_browser(project, row.name(), times - answers)?;
            Ok(format!("{stored}; {}", in_browser(project, "kill_answer", answers)?))
        }
        Fault::Cage => {
            let out =
                journeys(project, &["journeys/cage.spec.ts", "journeys/grants.spec.ts", "cage/network.spec.ts"], None)?;
            // Each by itself: a name that no test has any more fails the row.
            let beside = journeys(project, &["journeys/python.spec.ts"], Some("equal module names never meet"))?;
            let after = journeys(project, &["cage/faults.spec.ts"], Some("what a call leaves behind meets nobody"))?;
            Ok(format!("{out}; {beside}; {after}"))
        }
        Fault::Versions => {
            let upgraded = journeys(project, &["journeys/versions.spec.ts"], None)?;
            let offered = journeys(project, &["journeys/offline.spec.ts"], Some("a new version is offered"))?;
            Ok(format!("{upgraded}; {offered}"))
        }
        Fault::Offline => {
            let files = [
                "journeys/offline.spec.ts",
                "journeys/python.spec.ts",
                "journeys/page_model.spec.ts",
                "journeys/sync.spec.ts",
            ];
            // Each by itself: a file in which no test has these words any more fails the row.
            let cold = |file: &&str| journeys(project, &[file], Some("server stopped and the browser cold"));
            let found: Result<Vec<String>, FaultError> = files.iter().map(cold).collect();
            Ok(found?.join("; "))
        }
    }
}

/// Runs tests of the server: those with one of these in their names.
fn of_server(project: &Project, names: &[&str]) -> Result<String, FaultError> {
    natively(project, &["--package", "satchel-server", "--test", "server"], names)
}

/// Runs tests of core: those with one of these in their names.
fn of_core(project: &Project, names: &[&str]) -> Result<String, FaultError> {
    natively(project, &["--package", "satchel-core", "--lib"], names)
}

/// Runs the tests of a program that have one of these in their names, each name by itself: one that no test has any more fails the row.
fn natively(project: &Project, program: &[&str], names: &[&str]) -> Result<String, FaultError> {
    let mut passed = 0;
    for name in names {
        let mut cargo = process::command("cargo");
        cargo.args(["test", "--quiet"]).args(program).args(["--", name]).current_dir(project.root());
        match passed_in(&process::output_with_errors_shown(&mut cargo)?) {
            0 => return Err(FaultError::NoTest((*name).to_owned())),
            more => passed += more,
        }
    }
    Ok(format!("{passed} tests of {} by the names {}", program[1], names.join(", ")))
}

/// How many tests passed, as the test program says at its end.
fn passed_in(printed: &str) -> u32 {
    let count = |line: &str| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<u32>().ok();
    printed.lines().filter_map(count).sum()
}

/// Has Playwright run tests by one of its configurations.
fn playwright(project: &Project, config: &str) -> Result<Command, FaultError> {
    let mut playwright = process::command("node");
    playwright
        .arg(project.node_modules().join("@playwright/test/cli.js"))
        .args(["test", "--config", config])
        .current_dir(project.root())
        .env("SATCHEL_BIN", project.target().join("journeys/satchel"))
        .env("SATCHEL_DIST", project.dist())
        .env("CHROMIUM", browser::chromium().ok_or(FaultError::NoBrowser)?);
    Ok(playwright)
}

/// Runs journeys that show a row, without a second try: all of some files, or those with certain words in their names. None is a failure.
fn journeys(project: &Project, files: &[&str], words: Option<&str>) -> Result<String, FaultError> {
    let counted = project.target().join("faults/journeys.json");
    files::write(&counted, b"")?;
    let mut playwright = playwright(project, "tests/playwright.config.ts")?;
    playwright.args(["--retries", "0", "--reporter", "list,json"]).args(files);
    playwright.env("PLAYWRIGHT_JSON_OUTPUT_FILE", &counted);
    if let Some(words) = words {
        playwright.args(["--grep", words]);
    }
    process::run(&mut playwright)?;
    let text = std::fs::read_to_string(&counted).at("read", &counted)?;
    let passed = serde_json::from_str::<Counted>(&text)?.stats.expected;
    Ok(format!("{passed} tests of {}", files.join(", ")))
}

/// Runs `tests/faults/NAME.spec.ts`; what it found.
fn in_browser(project: &Project, name: &str, times: u32) -> Result<String, FaultError> {
    let folder = project.target().join("faults");
    let found: PathBuf = folder.join(format!("{name}.json"));
    files::write(&found, b"")?;
    let mut playwright = playwright(project, "tests/faults/faults.config.ts")?;
    playwright.arg(format!("{name}.spec")).env("SATCHEL_FAULTS", &folder).env("SATCHEL_FAULT_TIMES", times.to_string());
    process::run(&mut playwright)?;
    let text = std::fs::read_to_string(&found).at("read", &found)?;
    Ok(serde_json::from_str::<Found>(&text)?.detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playwright_says_how_many_passed() {
        let report = r#"{"config": {}, "stats": {"startTime": "x", "expected": 31, "skipped": 0, "unexpected": 0}}"#;
        let counted: Counted = serde_json::from_str(report).expect("is read");
        assert_eq!(counted.stats.expected, 31);
    }

    #[test]
    fn a_test_program_says_how_many_passed() {
        let printed =
            "\nrunning 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out\n";
        assert_eq!((passed_in(printed), passed_in("")), (2, 0));
    }
}
