//! `cargo xtask bench`: the figures the project is held to. One line per figure; raw samples go to `target/bench/`.

mod cores;
mod data;
mod exchange;
mod failed;
mod http_tool;
mod mcp;
mod mcp_proxy;
mod mcp_stand_in;
mod memory;
mod nginx;
mod proxy;
mod python;
mod render;
mod samples;
mod search;
mod server;
mod size;
mod stand_in;
mod start;
mod stream;
mod sync;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;
use serde::de::DeserializeOwned;

use self::data::{Round, Row, Samples, line};
use self::failed::Failed;
use self::server::Server;
use crate::files::{self, FileError};
use crate::process::{self, ProcessError};
use crate::project::Project;
use crate::setup::{browser, nginx as nginx_setup};
use crate::toolchain::WasmToolchain;
use crate::{CommandError, app_build, report, server_build, setup};

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bench {
    /// Bytes of the first chat page.
    Size,
    /// From navigation to interactive.
    Start,
    /// The server's resident memory.
    Memory,
    /// Snapshots of a workspace.
    Snapshot,
    /// SHA-256.
    Hash,
    /// Blobs and a manifest.
    Store,
    /// A bundle.
    Import,
    /// Python tools.
    Python,
    /// What calls gave, on the screen.
    Render,
    /// Finding anything.
    Search,
    /// An answer as it comes.
    Stream,
    /// Models through the server.
    Proxy,
    /// Calls of MCP tools through the server.
    Mcp,
    /// The list of tools of MCP servers.
    Tools,
    /// Between devices.
    Sync,
}

/// A measurement failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    Server(#[from] server::ServerError),
    #[error(transparent)]
    Memory(#[from] memory::MemoryError),
    #[error("the samples are not JSON")]
    Samples(#[from] serde_json::Error),
    #[error("an answer of a model did not come through")]
    Exchange(#[source] std::io::Error),
    #[error("{0} is not connected to the stand-in")]
    NotConnected(&'static str),
    #[error("there is no Chromium to measure in")]
    NoBrowser,
    #[error("there is no nginx to compare with")]
    NoNginx,
    #[error("not measured: {0}")]
    NotMeasured(String),
}

impl Bench {
    /// Every measurement, in the order they are made.
    pub(crate) const ALL: [Self; 15] = [
        Self::Size,
        Self::Start,
        Self::Memory,
        Self::Snapshot,
        Self::Hash,
        Self::Store,
        Self::Import,
        Self::Python,
        Self::Render,
        Self::Search,
        Self::Stream,
        Self::Proxy,
        Self::Mcp,
        Self::Tools,
        Self::Sync,
    ];

    /// As the user types it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Start => "start",
            Self::Memory => "memory",
            Self::Snapshot => "snapshot",
            Self::Hash => "hash",
            Self::Store => "store",
            Self::Import => "import",
            Self::Python => "python",
            Self::Render => "render",
            Self::Search => "search",
            Self::Stream => "stream",
            Self::Proxy => "proxy",
            Self::Mcp => "mcp",
            Self::Tools => "tools",
            Self::Sync => "sync",
        }
    }

    /// The rows of those that are measured on the app's work with files.
    fn rows(self) -> &'static [data::Row] {
        match self {
            Self::Size
            | Self::Start
            | Self::Memory
            | Self::Python
            | Self::Render
            | Self::Search
            | Self::Stream
            | Self::Proxy
            | Self::Mcp
            | Self::Sync => &[],
            Self::Snapshot => &data::SNAPSHOTS,
            Self::Hash => &data::HASHES,
            Self::Store => &data::STORES,
            Self::Import => &data::IMPORTS,
            Self::Tools => &data::TOOLS,
        }
    }
}

/// Builds what is measured, then measures it. What cannot be measured is told, and the rest still is.
pub(crate) fn run(project: &Project, benches: &[Bench]) -> Result<(), CommandError> {
    let toolchain = setup::for_building(project)?;
    if benches.iter().any(|bench| {
        matches!(
            bench,
            Bench::Size | Bench::Start | Bench::Python | Bench::Render | Bench::Search | Bench::Stream | Bench::Sync
        ) || !bench.rows().is_empty()
    }) {
        setup::for_browsing(project)?;
    }
    if benches.contains(&Bench::Proxy) {
        setup::for_proxying(project)?;
    }
    let mut failed = Failed::default();
    if benches.contains(&Bench::Mcp) {
        // No page takes part in it, so it need not wait for one to be built.
        let peer = setup::for_calling(project)?;
        failed.or_tell("mcp", mcp::measure(project, &server_build::for_running(project)?, &peer));
    }
    if benches.contains(&Bench::Sync) {
        let program = app_build::measured(project, toolchain)?;
        sync::measure(project, &server_build::for_running(project)?, &program, &mut failed);
    }
    let benches: Vec<Bench> =
        benches.iter().copied().filter(|bench| !matches!(bench, Bench::Mcp | Bench::Sync)).collect();
    let (shell, work): (Vec<Bench>, Vec<Bench>) = benches.into_iter().partition(|bench| bench.rows().is_empty());
    if !shell.is_empty() {
        measure_shell(project, toolchain, &shell, &mut failed)?;
    }
    if !work.is_empty() {
        let program = app_build::measured(project, toolchain)?;
        for bench in work {
            data::measure(project, &program, bench.name(), bench.rows(), &mut failed);
            if bench == Bench::Tools {
                failed.or_tell("http-tool", http_tool::measure(project, &server_build::for_running(project)?));
            }
        }
    }
    Ok(failed.end()?)
}

/// Measures what is given to others: the page and the server.
fn measure_shell(
    project: &Project,
    toolchain: WasmToolchain,
    benches: &[Bench],
    failed: &mut Failed,
) -> Result<(), CommandError> {
    let dist = app_build::bring_up_to_date(project, toolchain)?;
    let binary = server_build::release_with_app(project, &dist)?;
    for bench in benches {
        let measured = match bench {
            Bench::Size => size::measure(project, &binary, &dist),
            Bench::Start => start::measure(project, &binary),
            Bench::Memory => memory::measure(project, &binary),
            Bench::Python => measure_rows(project, &binary, "python", &python::ROWS, failed),
            Bench::Render => measure_rows(project, &binary, "render", &render::ROWS, failed),
            Bench::Search => measure_rows(project, &binary, "search", &search::ROWS, failed),
            Bench::Stream => stream::measure(project, &binary, &dist),
            Bench::Proxy => nginx_setup::program(project)
                .ok_or(BenchError::NoNginx)
                .and_then(|nginx| proxy::measure(project, &binary, &nginx)),
            Bench::Snapshot | Bench::Hash | Bench::Store | Bench::Import | Bench::Tools | Bench::Mcp | Bench::Sync => {
                Ok(())
            }
        };
        failed.or_tell(bench.name(), measured);
    }
    Ok(())
}

/// Prints a line for each of the rows that `tests/bench/NAME.mjs` measures in the real app.
fn measure_rows(
    project: &Project,
    binary: &Path,
    name: &str,
    rows: &[Row],
    failed: &mut Failed,
) -> Result<(), BenchError> {
    let chromium = browser::chromium().ok_or(BenchError::NoBrowser)?;
    let server = Server::start(project, binary)?;
    let mut samples = Vec::new();
    for row in rows {
        report::step(&format!("{}: {}, {} rounds", row.number, row.what, row.rounds));
        let mut node = process::command("node");
        node.arg(script(project, &format!("{name}.mjs")))
            .args([row.script, &row.count.to_string(), &row.rounds.to_string()])
            .arg(&chromium)
            .arg(format!("http://127.0.0.1:{}", server.port()))
            .args(browser::FLAGS)
            .current_dir(project.root());
        let Some(rounds) = failed.or_tell(&row.title(), printed::<Vec<Round>>(&mut node)) else { continue };
        println!("{}", line(row, &rounds));
        samples.push(Samples::of(row, rounds));
        // Kept after every row, so that a later one that fails costs only itself.
        keep_samples(project, name, &samples)?;
    }
    Ok(())
}

/// What a script prints, which is JSON.
fn printed<T: DeserializeOwned>(script: &mut Command) -> Result<T, BenchError> {
    Ok(serde_json::from_str(&process::output_with_errors_shown(script)?)?)
}

/// Keeps the raw samples of a measurement; where.
fn keep_samples(project: &Project, name: &str, samples: &impl Serialize) -> Result<PathBuf, BenchError> {
    let path = project.target().join("bench").join(format!("{name}.json"));
    files::write(&path, &serde_json::to_vec_pretty(samples)?)?;
    Ok(path)
}

/// Where the scripts that run in Node are.
fn script(project: &Project, name: &str) -> PathBuf {
    Path::new(project.root()).join("tests/bench").join(name)
}
