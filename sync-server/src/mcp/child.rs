//! A command that runs: started without a shell, with a clean environment, in a group of its own, and ended with all it has started.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

/// The variables of the server's own environment that every command is given. There is no secret among them.
#[cfg(not(windows))]
const INHERITED: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];
#[cfg(windows)]
const INHERITED: [&str; 14] = [
    "PATH",
    "PATHEXT",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
];

/// How much of what a command complains about is kept: the end of it.
const COMPLAINT_BYTES: usize = 4096;
/// Most lines and characters of it that a reason repeats.
const COMPLAINT_LINES: usize = 5;
const COMPLAINT_CHARACTERS: usize = 600;
/// How long its last words are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long a command has to end by itself after its input was closed.
const GRACE: Duration = Duration::from_secs(2);

/// The commands that run; clones share them.
#[derive(Clone, Debug)]
pub(super) struct Children {
    running: Arc<watch::Sender<usize>>,
}

/// A running command. When it goes, so does the command.
#[derive(Debug)]
pub(super) struct Child {
    process: Option<tokio::process::Child>,
    children: Children,
}

/// The end of what a command has written to its standard error.
#[derive(Clone, Debug)]
pub(super) struct Complaint {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// Whether everything was read.
    is_whole: Arc<watch::Sender<bool>>,
}

/// A command that was just started.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) complaint: Complaint,
}

impl Default for Children {
    fn default() -> Self {
        Self { running: Arc::new(watch::Sender::new(0)) }
    }
}

impl Children {
    /// Starts a command.
    pub(super) fn start(
        &self,
        command: &str,
        args: &[String],
        env: &BTreeMap<String, String>,
        cwd: Option<&str>,
    ) -> io::Result<Started> {
        let mut start = Command::new(command);
        start
            .args(args)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for name in INHERITED {
            if let Some(value) = std::env::var_os(name) {
                start.env(name, value);
            }
        }
        start.envs(env);
        if let Some(cwd) = cwd {
            start.current_dir(cwd);
        }
        #[cfg(unix)]
        start.process_group(0);
        let mut process = start.spawn()?;
        let piped = || io::Error::other("the system gave no pipes");
        let stdin = process.stdin.take().ok_or_else(piped)?;
        let stdout = process.stdout.take().ok_or_else(piped)?;
        let complaint = Complaint::default();
        tokio::spawn(complaint.clone().listen(process.stderr.take().ok_or_else(piped)?));
        self.running.send_modify(|running| *running += 1);
        Ok(Started { child: Child { process: Some(process), children: self.clone() }, stdin, stdout, complaint })
    }

    /// Waits until none runs any more.
    pub(super) async fn all_ended(&self) {
        let mut running = self.running.subscribe();
        // The sender is held by ourselves, so it does not go away.
        let ended = running.wait_for(|running| *running == 0).await;
        drop(ended);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let Some(process) = self.process.take() else { return };
        let group = Group(process.id());
        let ending = end(process, group, self.children.clone());
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(ending)),
            // Without a runtime nothing can be waited for: it is killed at once.
            Err(_) => drop(ending),
        }
    }
}

/// Its input is closed by now. It may end by itself; then, or after a while, whatever is left of its group is ended.
async fn end(mut process: tokio::process::Child, group: Group, children: Children) {
    if tokio::time::timeout(GRACE, process.wait()).await.is_err() {
        tracing::debug!("an MCP server did not end by itself and is killed");
    }
    drop(group);
    if let Err(error) = process.kill().await {
        tracing::debug!(%error, "an MCP server could not be killed; it has ended already");
    }
    children.running.send_modify(|running| *running -= 1);
}

/// A command's group: whatever is left of it is killed when this goes.
struct Group(Option<u32>);

impl Drop for Group {
    #[cfg(unix)]
    fn drop(&mut self) {
        let group = self.0.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
        if let Some(group) = group
            && let Err(error) = rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
        {
            tracing::debug!(%error, "nothing was left of an MCP server's group");
        }
    }

    /// Only the command itself can be ended there, and is, by whoever waits for it.
    #[cfg(not(unix))]
    fn drop(&mut self) {}
}

impl Default for Complaint {
    fn default() -> Self {
        Self { kept: Arc::default(), is_whole: Arc::new(watch::Sender::new(false)) }
    }
}

impl Complaint {
    /// Reads to the end, whatever comes, so that the command is never held up; only the end of it is kept.
    async fn listen(self, mut from: ChildStderr) {
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut chunk).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&chunk[..length]);
            let surplus = kept.len().saturating_sub(COMPLAINT_BYTES);
            kept.drain(..surplus);
        }
        self.is_whole.send_replace(true);
    }

    /// The last lines, on one line; nothing when there are none. What a command that has just ended still wrote is waited for.
    pub(super) async fn last_lines(&self) -> Option<String> {
        let mut is_whole = self.is_whole.subscribe();
        let waited = tokio::time::timeout(LAST_WORDS, is_whole.wait_for(|is_whole| *is_whole)).await;
        drop(waited);
        let kept: Vec<u8> = self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(COMPLAINT_LINES)..];
        let joined: Vec<char> = last.join(" / ").chars().filter(|char| !char.is_control()).collect();
        let tail = &joined[joined.len().saturating_sub(COMPLAINT_CHARACTERS)..];
        (!tail.is_empty()).then(|| tail.iter().collect())
    }
}
