//! What the user typed, as a [`Command`]. Nothing is done here.

use std::ffi::OsString;

use lexopt::{Arg, Parser, ValueExt};

use crate::bench::Bench;
use crate::faults::{Fault, FaultOptions};
use crate::test::StepName;

/// The text of `cargo xtask help`.
pub(crate) const USAGE: &str = "\
Usage: cargo xtask <command>

  run [--port N] [--data DIR] [-- ARGS…]   set up, build the app, start the server; ARGS go to `satchel serve`
  test [--only STEP]…                      set up (Chromium included) and run every check
                                           steps: format, clippy, clippy-wasm, native-tests, wasm-tests, build, journeys
  build                                    dist/ for any web server, and target/release/satchel with the app inside
  bench [NAME]…                            measure; everything when none is named
                                           names: size, start, memory, snapshot, hash, store, import, python, render, search, stream,
                                           proxy, mcp, tools, sync
  faults [NAME]… [--times N]               try what must hold when something goes wrong; everything when none is named
                                           names: routes, mcp, outbound, sync, kill_server, simulator, bundle, quota, flip, stop, cage,
                                           frame, provider, tabs, versions, offline, python, kill; N kills instead of 200 (kill) and 20 (tabs)
  doctor                                   what is set up and what is missing; exit code 0 when nothing is
  help                                     this text

Environment:
  SATCHEL_CACHE            folder for tools and large downloads (default: satchel in the user's cache folder)
  SATCHEL_WASM_TOOLCHAIN   rustup or debian: use only that compiler for WebAssembly
  SATCHEL_BUILD            quick: build the app in less time and larger, to try a change
  CHROMIUM, CHROMEDRIVER   a browser and its driver to use instead of the installed ones
  FIREFOX                  likewise
";

/// One command with its options.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Run(RunOptions),
    Test(Vec<StepName>),
    Build,
    Bench(Vec<Bench>),
    Faults(FaultOptions),
    Doctor,
    Help,
}

/// How `run` starts the server.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RunOptions {
    /// The port on loopback; the server's own default when absent.
    pub(crate) port: Option<u16>,
    /// The data folder; the server's own default when absent.
    pub(crate) data: Option<OsString>,
    /// Everything after `--`, handed on untouched.
    pub(crate) server_arguments: Vec<OsString>,
}

/// A command line that means nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("there is no command `{0}`")]
    UnknownCommand(String),
    #[error("there is no {what} `{value}`; there are {known}")]
    UnknownChoice { what: &'static str, value: String, known: String },
    #[error(transparent)]
    Syntax(#[from] lexopt::Error),
}

/// Reads the arguments that follow `cargo xtask`.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, ArgumentError> {
    let mut parser = Parser::from_args(arguments.into_iter().collect::<Vec<_>>());
    let Some(first) = parser.next()? else { return Ok(Command::Help) };
    let command = match first {
        Arg::Value(name) => name.string()?,
        Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
        Arg::Long(_) | Arg::Short(_) => return Err(first.unexpected().into()),
    };
    match command.as_str() {
        "run" => parse_run(&mut parser),
        "test" => parse_test(&mut parser),
        "bench" => parse_bench(&mut parser),
        "faults" => parse_faults(&mut parser),
        "build" => without_options(&mut parser, Command::Build),
        "doctor" => without_options(&mut parser, Command::Doctor),
        "help" => Ok(Command::Help),
        _ => Err(ArgumentError::UnknownCommand(command)),
    }
}

fn parse_run(parser: &mut Parser) -> Result<Command, ArgumentError> {
    let mut options = RunOptions::default();
    loop {
        // `--` has to be seen before the parser swallows it.
        if let Some(mut raw) = parser.try_raw_args()
            && raw.peek().is_some_and(|next| next == "--")
        {
            raw.next();
            options.server_arguments = raw.collect();
            return Ok(Command::Run(options));
        }
        match parser.next()? {
            None => return Ok(Command::Run(options)),
            Some(Arg::Long("port")) => options.port = Some(parser.value()?.parse()?),
            Some(Arg::Long("data")) => options.data = Some(parser.value()?),
            Some(Arg::Long("help") | Arg::Short('h')) => return Ok(Command::Help),
            Some(other) => return Err(other.unexpected().into()),
        }
    }
}

fn parse_test(parser: &mut Parser) -> Result<Command, ArgumentError> {
    let mut steps = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("only") => steps.push(step(parser.value()?.string()?)?),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Test(steps))
}

fn parse_bench(parser: &mut Parser) -> Result<Command, ArgumentError> {
    let mut benches = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(name) => benches.push(bench(name.string()?)?),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    if benches.is_empty() {
        benches.extend(Bench::ALL);
    }
    Ok(Command::Bench(benches))
}

fn parse_faults(parser: &mut Parser) -> Result<Command, ArgumentError> {
    let mut options = FaultOptions { rows: Vec::new(), times: None };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(name) => options.rows.push(fault(name.string()?)?),
            Arg::Long("times") => options.times = Some(parser.value()?.parse()?),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.rows.is_empty() {
        options.rows.extend(Fault::ALL);
    }
    Ok(Command::Faults(options))
}

fn without_options(parser: &mut Parser, command: Command) -> Result<Command, ArgumentError> {
    match parser.next()? {
        None => Ok(command),
        Some(Arg::Long("help") | Arg::Short('h')) => Ok(Command::Help),
        Some(other) => Err(other.unexpected().into()),
    }
}

fn step(value: String) -> Result<StepName, ArgumentError> {
    StepName::ALL.into_iter().find(|step| step.name() == value).ok_or_else(|| ArgumentError::UnknownChoice {
        what: "step",
        value,
        known: StepName::ALL.map(StepName::name).join(", "),
    })
}

fn bench(value: String) -> Result<Bench, ArgumentError> {
    Bench::ALL.into_iter().find(|bench| bench.name() == value).ok_or_else(|| ArgumentError::UnknownChoice {
        what: "measurement",
        value,
        known: Bench::ALL.map(Bench::name).join(", "),
    })
}

fn fault(value: String) -> Result<Fault, ArgumentError> {
    Fault::ALL.into_iter().find(|fault| fault.name() == value).ok_or_else(|| ArgumentError::UnknownChoice {
        what: "fault",
        value,
        known: Fault::ALL.map(Fault::name).join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Command) {
        let parsed = parse(line.split_whitespace().map(OsString::from)).expect("the line is valid");
        assert_eq!(parsed, expected, "{line}");
    }

    fn check_error(line: &str, expected: &str) {
        let error = parse(line.split_whitespace().map(OsString::from)).expect_err("the line is not valid");
        assert_eq!(error.to_string(), expected, "{line}");
    }

    #[test]
    fn reads_every_command() {
        check("", Command::Help);
        check("help", Command::Help);
        check("run --help", Command::Help);
        check("doctor", Command::Doctor);
        check("build", Command::Build);
        check("test", Command::Test(vec![]));
        check("test --only format --only wasm-tests", Command::Test(vec![StepName::Format, StepName::WasmTests]));
        check("bench", Command::Bench(Bench::ALL.to_vec()));
        check("faults", Command::Faults(FaultOptions { rows: Fault::ALL.to_vec(), times: None }));
        check("faults kill --times 8", Command::Faults(FaultOptions { rows: vec![Fault::Kill], times: Some(8) }));
        check("bench memory", Command::Bench(vec![Bench::Memory]));
    }

    #[test]
    fn run_hands_everything_after_the_dashes_to_the_server() {
        check(
            "run --port 9000 --data notes -- --listen 0.0.0.0 --port 1",
            Command::Run(RunOptions {
                port: Some(9000),
                data: Some("notes".into()),
                server_arguments: vec!["--listen".into(), "0.0.0.0".into(), "--port".into(), "1".into()],
            }),
        );
        check("run", Command::Run(RunOptions::default()));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        check_error("fly", "there is no command `fly`");
        check_error(
            "test --only speed",
            "there is no step `speed`; there are format, clippy, clippy-wasm, native-tests, wasm-tests, build, journeys",
        );
        check_error(
            "bench speed",
            "there is no measurement `speed`; there are size, start, memory, snapshot, hash, store, import, python, render, search, stream, proxy, mcp, tools, sync",
        );
        check_error(
            "faults fire",
            "there is no fault `fire`; there are routes, mcp, outbound, sync, kill_server, simulator, bundle, quota, flip, stop, cage, frame, provider, tabs, versions, offline, python, kill",
        );
        check_error("build now", "unexpected argument \"now\"");
        check_error("run --port many", "cannot parse argument \"many\": invalid digit found in string");
    }
}
