//! Starting other programs: with a clean environment, and either in full view or quietly with a log and a heartbeat.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::{report, trouble};

/// How many lines of a failed program's output are shown.
const TAIL_LINES: usize = 20;
/// How many bytes of what a program in view wrote to standard error are looked at.
const END_BYTES: usize = 16 << 10;
/// How long the last words of a program that has ended are waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How often a quiet program is looked at, and how often the user hears that it is still at work.
const POLL: Duration = Duration::from_millis(50);
const HEARTBEAT: Duration = Duration::from_secs(10);

/// A program that could not be started or did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    #[error("could not start `{program}`")]
    Start { program: String, source: io::Error },
    #[error("`{program}` failed ({status})")]
    Failed { program: String, status: ExitStatus },
    #[error("`{program}` failed ({status}): {reason}")]
    FailedFor { program: String, status: ExitStatus, reason: String },
    #[error("`{program}` failed ({status}); the end of its output:\n{tail}\n(all of it: {})", .log.display())]
    FailedQuietly { program: String, status: ExitStatus, tail: String, log: PathBuf },
    #[error("`{program}` was stopped after {} seconds; the end of its output:\n{tail}", .limit.as_secs())]
    TooSlow { program: String, limit: Duration, tail: String },
    #[error("could not write the log {}", .log.display())]
    Log { log: PathBuf, source: io::Error },
    #[error("`{program}` printed something that is not text")]
    NotText { program: String },
}

/// A command without what cargo adds to the environment of the programs it runs, so that a child cargo or another
/// compiler starts as if the user had typed it.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_set_by_cargo) {
            command.env_remove(name);
        }
    }
    for name in ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"] {
        if let Some(value) = env::var_os(name) {
            match without_build_folders(&value) {
                Some(rest) => command.env(name, rest),
                None => command.env_remove(name),
            };
        }
    }
    command
}

/// Puts folders in front of the command's PATH.
pub(crate) fn prefix_path(command: &mut Command, folders: &[PathBuf]) {
    let present = env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(env::split_paths(&present));
    let joined = env::join_paths(all).expect("folders that came from PATH or the cache hold no separator");
    command.env("PATH", joined);
}

/// Runs in full view of the user.
pub(crate) fn run(command: &mut Command) -> Result<(), ProcessError> {
    let program = describe(command);
    let status = command.status().map_err(|source| ProcessError::Start { program: program.clone(), source })?;
    if status.success() { Ok(()) } else { Err(ProcessError::Failed { program, status }) }
}

/// Runs in full view of the user like [`run`], and looks at what it writes to standard error: where the disk or the network is why it fails,
/// the error says so.
pub(crate) fn run_watched(command: &mut Command) -> Result<(), ProcessError> {
    let program = describe(command);
    let failed = |source| ProcessError::Start { program: program.clone(), source };
    // Into a pipe, programs of cargo write no colours by themselves.
    if io::stderr().is_terminal() && env::var_os("CARGO_TERM_COLOR").is_none() && env::var_os("NO_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(failed)?;
    let errors = child.stderr.take().expect("it was asked for");
    let (sender, end) = mpsc::channel();
    thread::spawn(move || {
        // Nobody waits any more once the program has ended and been given up on.
        sender.send(show(errors)).ok();
    });
    let status = child.wait().map_err(failed)?;
    // What a program leaves running may keep its standard error open for ever.
    let end = end.recv_timeout(LAST_WORDS).unwrap_or_default();
    if status.success() {
        return Ok(());
    }
    Err(match trouble::line(&end) {
        Some(reason) => ProcessError::FailedFor { program, status, reason: reason.to_owned() },
        None => ProcessError::Failed { program, status },
    })
}

/// Shows everything as it comes; the end of it.
fn show(mut errors: impl Read) -> String {
    let mut piece = [0; 4096];
    let mut end = Vec::new();
    // A pipe that cannot be read any more has ended too.
    while let Ok(count @ 1..) = errors.read(&mut piece) {
        // Where the user's own terminal is gone, there is nobody to tell.
        io::stderr().write_all(&piece[..count]).ok();
        end.extend_from_slice(&piece[..count]);
        end.drain(..end.len().saturating_sub(END_BYTES));
    }
    String::from_utf8_lossy(&end).into_owned()
}

/// Runs with the output going to `log`; says every ten seconds that it is still at work. Ends it after `limit`.
pub(crate) fn run_quietly(command: &mut Command, log: &Path, limit: Duration) -> Result<(), ProcessError> {
    let program = describe(command);
    let (output, errors) = open_log(log).map_err(|source| ProcessError::Log { log: log.to_path_buf(), source })?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .map_err(|source| ProcessError::Start { program: program.clone(), source })?;
    let started = Instant::now();
    let mut said = started;
    let status = loop {
        match child.try_wait().map_err(|source| ProcessError::Start { program: program.clone(), source })? {
            Some(status) => break status,
            None if started.elapsed() > limit => {
                child.kill().map_err(|source| ProcessError::Start { program: program.clone(), source })?;
                child.wait().map_err(|source| ProcessError::Start { program: program.clone(), source })?;
                return Err(ProcessError::TooSlow { program, limit, tail: tail(log) });
            }
            None => thread::sleep(POLL),
        }
        if said.elapsed() >= HEARTBEAT {
            said = Instant::now();
            report::heartbeat(started.elapsed(), tail(log).lines().last().unwrap_or(""));
        }
    };
    if status.success() {
        return Ok(());
    }
    Err(ProcessError::FailedQuietly { program, status, tail: tail(log), log: log.to_path_buf() })
}

/// What a short program prints; its complaints are not shown.
pub(crate) fn output(command: &mut Command) -> Result<String, ProcessError> {
    capture(command, Stdio::null())
}

/// What a program prints; what it writes to standard error goes to the user.
pub(crate) fn output_with_errors_shown(command: &mut Command) -> Result<String, ProcessError> {
    capture(command, Stdio::inherit())
}

fn capture(command: &mut Command, errors: Stdio) -> Result<String, ProcessError> {
    let program = describe(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(errors)
        .output()
        .map_err(|source| ProcessError::Start { program: program.clone(), source })?;
    if !output.status.success() {
        return Err(ProcessError::Failed { program, status: output.status });
    }
    String::from_utf8(output.stdout).map_err(|_| ProcessError::NotText { program })
}

/// Where PATH finds a program.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn open_log(log: &Path) -> io::Result<(File, File)> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder)?;
    }
    let output = File::create(log)?;
    let errors = output.try_clone()?;
    Ok((output, errors))
}

/// The program with its first words, enough to recognise it.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program()).to_string_lossy();
    let words = command.get_args().map(OsStr::to_string_lossy).take_while(|word| !word.starts_with('-')).take(2);
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
}

fn tail(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

/// Settings of the user (`CARGO_HOME`, `CARGO_NET_…`, `CARGO_TARGET_…`) stay.
fn is_set_by_cargo(name: &str) -> bool {
    const EXACT: [&str; 8] = [
        "CARGO",
        "CARGO_MANIFEST_DIR",
        "CARGO_MANIFEST_PATH",
        "CARGO_MANIFEST_LINKS",
        "CARGO_PRIMARY_PACKAGE",
        "CARGO_CRATE_NAME",
        "CARGO_BIN_NAME",
        "RUST_RECURSION_COUNT",
    ];
    EXACT.contains(&name) || name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_CFG_")
}

/// Cargo puts its output folder and the compiler's own libraries in front; another compiler must not find them.
fn without_build_folders(value: &OsStr) -> Option<OsString> {
    let foreign = |path: &PathBuf| {
        let text = path.to_string_lossy();
        !text.contains("/target/") && !text.contains("/toolchains/") && !text.contains("/rustlib/")
    };
    let rest: Vec<PathBuf> =
        env::split_paths(value).filter(foreign).filter(|path| !path.as_os_str().is_empty()).collect();
    if rest.is_empty() { None } else { env::join_paths(rest).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Command {
        let mut command = command("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_quiet_failure_shows_the_end_of_the_output() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let log = folder.path().join("log/step.log");
        let error = run_quietly(&mut shell("seq 100; echo 'disk is full' >&2; exit 3"), &log, PATIENCE)
            .expect_err("the script fails");
        let text = error.to_string();
        assert!(text.starts_with("`sh` failed (exit status: 3)"), "{text}");
        assert!(text.contains("\n100\ndisk is full\n"), "{text}");
        assert!(!text.contains("\n80\n"), "only the end is shown: {text}");
    }

    #[test]
    fn a_failure_in_view_says_what_was_the_trouble() {
        let full =
            "echo 'error: No space left on device (os error 28)' >&2; echo 'error: could not compile' >&2; exit 1";
        let error = run_watched(&mut shell(full)).expect_err("the script fails").to_string();
        assert_eq!(error, "`sh` failed (exit status: 1): error: No space left on device (os error 28)");
        assert!(trouble::advice(&error, "look above").starts_with("the disk is full"));
        let error =
            run_watched(&mut shell("echo 'error[E0308]' >&2; exit 2")).expect_err("the script fails").to_string();
        assert_eq!(error, "`sh` failed (exit status: 2)");
        run_watched(&mut shell("echo 'warning: No space left on device' >&2")).expect("it ends well");
    }

    #[test]
    fn what_a_program_leaves_running_is_not_waited_for() {
        let started = Instant::now();
        run_watched(&mut shell("sleep 30 & exit 0")).expect("it ends well");
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let error = run_quietly(&mut shell("echo waiting; exec sleep 600"), &folder.path().join("log"), POLL)
            .expect_err("it does not end by itself");
        assert!(matches!(error, ProcessError::TooSlow { .. }), "{error}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut command("no-such-program-anywhere")).expect_err("there is none");
        assert_eq!(error.to_string(), "could not start `no-such-program-anywhere`");
    }

    #[test]
    fn only_the_traces_of_the_outer_cargo_are_removed() {
        for (name, expected) in
            [("CARGO", true), ("CARGO_PKG_NAME", true), ("CARGO_HOME", false), ("CARGO_NET_OFFLINE", false)]
        {
            assert_eq!(is_set_by_cargo(name), expected, "{name}");
        }
        let check = |value: &str, expected: Option<&str>| {
            assert_eq!(without_build_folders(OsStr::new(value)), expected.map(OsString::from), "{value}");
        };
        check("/clone/target/debug/deps:/home/u/.rustup/toolchains/stable/lib", None);
        check("/clone/target/debug:/opt/lib", Some("/opt/lib"));
    }
}
