//! A call of Python made once more, on the files that it saw then, to see whether it does the same (R310). Nothing is recorded.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ending::Ended;
use super::found::{Errand, Found};
use super::{Produced, RunError, RunLimits, spill};
use crate::catalog::{InstalledToolset, Surroundings, ToolId};
use crate::ids::{ManifestId, ToolCallId};
use crate::python::{CallPython, Ending};
use crate::record::{CallStatus, ErrorKind, RowKey, ToolCall, ToolKind, WorkspaceManifest};
use crate::store::{Store, StoreError, get};
use crate::workspace::{Files, ReadError, Trees, WorkspacePath, flatten, read};

/// What a second run has shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Again {
    /// The files after it are the same, and so is what it gave.
    Same,
    /// The files after it are the same; what it gave is not.
    OtherResult,
    /// The files after it are others, at these paths.
    OtherFiles {
        /// The paths, sorted.
        paths: Vec<String>,
    },
    /// It succeeded then and fails now, or the other way round.
    OtherEnd {
        /// What happened now.
        message: String,
    },
    /// It was not run.
    NotRun {
        /// Why, a sentence.
        reason: String,
    },
}

impl Again {
    fn not_run(reason: impl Into<String>) -> Self {
        Self::NotRun { reason: reason.into() }
    }
}

/// What is needed to run a call once more.
pub struct Rerunner<'a, S, P: ?Sized> {
    /// Where everything is read. Nothing is written.
    pub store: &'a S,
    /// Who calls Python.
    pub python: &'a P,
    /// What the device and its server can do.
    pub surroundings: &'a Surroundings,
    /// How large and how long things may be.
    pub limits: &'a RunLimits,
    /// Gives a fresh UUID of version 7 with every call: a second run is not the first one.
    pub fresh_id: &'a dyn Fn() -> String,
}

/// The tool of a call, as it was when the call was made.
struct Then {
    found: Found,
    /// Whether its package is the one that is installed.
    is_installed: bool,
}

impl<S: Store, P: CallPython + ?Sized> Rerunner<'_, S, P> {
    /// Whether a call can be run once more, as far as can be told without running it: why not, else nothing.
    pub async fn obstacle(&self, call: &ToolCall) -> Result<Option<String>, StoreError> {
        if let Some(reason) = never_ran(call) {
            return Ok(Some(reason.into()));
        }
        Ok(self.found(call).await?.err())
    }

    /// Runs a call once more.
    pub async fn run_again(&self, call: &ToolCall) -> Result<Again, StoreError> {
        if let Some(reason) = never_ran(call) {
            return Ok(Again::not_run(reason));
        }
        let Then { found, is_installed } = match self.found(call).await? {
            Ok(then) => then,
            Err(reason) => return Ok(Again::not_run(reason)),
        };
        let (before, then) = match (self.files(&call.pre_manifest_id).await?, self.files(&call.post_manifest_id).await?)
        {
            (Ok(before), Ok(then)) => (before, then),
            (Err(reason), _) | (_, Err(reason)) => return Ok(Again::not_run(reason)),
        };
        let Ok(tool) = found.effective(self.surroundings) else { return Ok(Again::not_run("it cannot be used now")) };
        let Ok(id) = ToolCallId::parse((self.fresh_id)()) else { return Ok(Again::not_run("it got no id")) };
        let Ok(Errand::Python(mut python)) = found.errand(&tool, &id, &call.chat_id, &before, self.limits) else {
            return Ok(Again::not_run("it is not a Python tool"));
        };
        python.arguments = call.args.clone();
        if !is_installed {
            // What the user has granted is for the code that is installed. Another version is compared, and reaches nobody.
            python.declared_hosts.clear();
        }
        let end = self.python.call(*python).await;
        match &end.ending {
            Ending::Returned { .. } => {}
            Ending::Stopped => return Ok(Again::not_run("it was stopped")),
            Ending::TimedOut => return Ok(Again::not_run("it took longer than it may")),
            Ending::Died { message } => return Ok(Again::not_run(message.trim_end_matches('.'))),
        }
        let ended = Ended::of(end, tool.declared, self.limits);
        Ok(self.compare(call, &ended, &before, &then))
    }

    fn compare(&self, call: &ToolCall, ended: &Ended, before: &Files, then: &Files) -> Again {
        // A large result is a file of the state after the call. It is compared as the result that it is.
        let results: BTreeSet<&str> = call.late_files().map(|file| file.path.as_str()).collect();
        let paths: BTreeSet<&WorkspacePath> = before.keys().chain(then.keys()).chain(ended.changes.puts()).collect();
        let other = paths.into_iter().filter(|path| !results.contains(path.as_str()));
        let other: Vec<String> = other
            .filter(|path| ended.changes.file_after(path, before) != then.get(*path).copied())
            .map(ToString::to_string)
            .collect();
        let (failed_then, failed_now) = (call.status == CallStatus::Error, ended.failure.as_ref());
        if failed_then != failed_now.is_some() {
            let message =
                failed_now.map_or("it succeeds now, and failed then".into(), |failure| failure.message.clone());
            return Again::OtherEnd { message };
        }
        if !other.is_empty() {
            return Again::OtherFiles { paths: other };
        }
        if self.is_same_result(call, ended.result.as_ref()) { Again::Same } else { Again::OtherResult }
    }

    fn is_same_result(&self, call: &ToolCall, now: Option<&Value>) -> bool {
        match (&call.spilled, now) {
            (Some(then), Some(now)) => {
                let spilled = spill(&[(&call.id, Produced::Json(now))], self.limits).pop().flatten();
                spilled.is_some_and(|spilled| spilled.row.sha256 == then.sha256)
            }
            (Some(_), None) => false,
            (None, now) => call.result.as_ref() == now,
        }
    }

    /// The tool of a call as it was then, or why it cannot be run. What another version does says nothing of what the call did, so that a call
    /// is made with the very package that it names.
    async fn found(&self, call: &ToolCall) -> Result<Result<Then, String>, StoreError> {
        let Ok(ToolId::Toolset(toolset, tool)) = ToolId::parse(&call.tool_id) else {
            return Ok(Err("it is not a Python tool".into()));
        };
        let now = InstalledToolset::find(self.store, toolset.as_str()).await?;
        let Some(now) = now.filter(|now| now.toolset.soft_deleted_at.is_none()) else {
            return Ok(Err(RunError::NoToolset(toolset.to_string()).to_string()));
        };
        let is_installed = call.package.is_none_or(|package| package == now.toolset.package);
        let installed = match call.package.filter(|_| !is_installed) {
            None => now,
            Some(package) => match InstalledToolset::find_with_package(self.store, &toolset, package).await? {
                Some(then) => then,
                None => return Ok(Err("the version of its toolset that made it is not stored any more".into())),
            },
        };
        let found = match Found::among(installed, tool.as_str()) {
            Ok(found) => found,
            Err(gone) => return Ok(Err(gone.to_string())),
        };
        match found.effective(self.surroundings) {
            Ok(tool) if tool.declared.kind == ToolKind::Python => {}
            Ok(_) => return Ok(Err("it is not a Python tool".into())),
            Err(unavailable) => return Ok(Err(unavailable.to_string())),
        }
        Ok(Ok(Then { found, is_installed }))
    }

    /// The files of a state, or why they cannot be had.
    async fn files(&self, id: &Option<ManifestId>) -> Result<Result<Files, String>, StoreError> {
        let Some(id) = id else { return Ok(Err("its files were not recorded".into())) };
        let Some(manifest) = get::<WorkspaceManifest>(self.store, RowKey::one(id.as_str())).await? else {
            return Ok(Err(format!("the state of its files, {id}, is no longer stored")));
        };
        match read(self.store, &mut Trees::default(), |trees| flatten(trees, manifest.root)).await {
            Ok(files) => Ok(Ok(files)),
            Err(ReadError::Store(error)) => Err(error),
            Err(ReadError::Workspace(error)) => Ok(Err(error.to_string())),
        }
    }
}

/// Why there is nothing to compare with.
fn never_ran(call: &ToolCall) -> Option<&'static str> {
    match (call.status, call.error_kind) {
        (CallStatus::Pending | CallStatus::Running, _) => Some("it has not finished"),
        (CallStatus::Error, Some(ErrorKind::InvalidArgs | ErrorKind::Denied)) => Some("it was not made"),
        (CallStatus::Error, Some(ErrorKind::Cancelled | ErrorKind::Timeout | ErrorKind::Interrupted)) => {
            Some("it was stopped before it finished")
        }
        (CallStatus::Success, _) | (CallStatus::Error, Some(ErrorKind::Failed) | None) => None,
    }
}
