//! A call of a Python tool as core sees it: what it is given and what comes back. Who carries it out, a cage or a test, is not
//! known here.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::{CallContext, CallOutcome, OutputStream, UnreadFile};
use crate::catalog::{ToolId, ToolsetId};
use crate::digest::BlobId;
use crate::ids::{ChatId, ToolCallId};
use crate::record::PackageId;
use crate::store::Blob;

/// Whom a cage serves. What a call leaves behind in a cage (modules, tasks, patches) can meet nobody but the same key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionKey {
    /// The chat.
    pub chat: ChatId,
    /// The toolset.
    pub toolset: ToolsetId,
    /// Its package, so that an upgrade never meets modules of the version before.
    pub package: PackageId,
}

/// A call that may be made: everything was looked up, checked and approved.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonCall {
    /// Names the call.
    pub id: ToolCallId,
    /// The tool, for whoever is told that it runs.
    pub tool_id: ToolId,
    /// Whose cage.
    pub session: SessionKey,
    /// The toolset's files by their paths in the bundle, wheels not among them.
    pub toolset_files: BTreeMap<String, BlobId>,
    /// The wheels by their file names, in the order in which they are to be unpacked.
    pub wheels: Vec<(String, BlobId)>,
    /// The files of the workspace before the call, by path.
    pub workspace: BTreeMap<String, BlobId>,
    /// `module.path:function`.
    pub entrypoint: String,
    /// The arguments, a JSON object, checked against the tool's schema.
    pub arguments: Value,
    /// Hosts that the toolset declares; each still needs the user's grant.
    pub declared_hosts: Vec<String>,
    /// How long it may run; waiting for the user is not running.
    pub time_limit: Duration,
    /// How many bytes of output are kept; the rest goes to a file of the workspace.
    pub output_limit: u64,
    /// How many files the workspace may hold.
    pub file_limit: u64,
    /// How many bytes one file may have.
    pub file_bytes_limit: u64,
    /// How many bytes all of them may have.
    pub workspace_bytes_limit: u64,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonEnd {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to its output, in order.
    pub output: Vec<(OutputStream, String)>,
    /// What it showed: the same thing as several media types.
    pub displays: Vec<BTreeMap<String, String>>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The function returned or raised; what it did to the files is kept either way (R077).
    Returned {
        /// What came of it.
        outcome: CallOutcome,
        /// Files it has written.
        changed: BTreeMap<String, Blob>,
        /// Files it has removed.
        removed: Vec<String>,
        /// Files it has written and that could not be read out: neither changed nor removed.
        unread: Vec<UnreadFile>,
    },
    /// The user stopped it; what it did to the files is dropped.
    Stopped,
    /// It took longer than its limit; what it did to the files is dropped.
    TimedOut,
    /// Python could not be started, or died of it (memory, a trap); what it did to the files is dropped.
    Died {
        /// What happened, a sentence.
        message: String,
    },
}

/// Calls Python.
#[expect(async_fn_in_trait, reason = "one thread: nothing here is ever sent to another")]
pub trait CallPython {
    /// Carries out a call. It never fails: what goes wrong is an [`Ending`].
    async fn call(&self, call: PythonCall) -> PythonEnd;

    /// What a function takes, from its type hints and docstring (C34); a sentence where it cannot be said.
    async fn describe(&self, call: &PythonCall) -> Result<Description, String>;
}

/// What a function says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// What its docstring says of it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: Value,
}

impl PythonCall {
    /// What the function may ask about its call.
    #[must_use]
    pub fn context(&self) -> CallContext {
        CallContext {
            chat_id: self.session.chat.to_string(),
            toolset_id: self.session.toolset.to_string(),
            tool_call_id: self.id.to_string(),
        }
    }
}
