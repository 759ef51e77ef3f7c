//! The words on the port between the app and a cage.
//!
//! A message is an array: one of these as a JSON text, then at most one `ArrayBuffer`, which is moved. Where a message names files,
//! their contents stand in that buffer one after the other, in the order of the [`FileSpan`]s. What comes out of a cage is never
//! trusted: the cage may run anybody's code, so everything it says is parsed, bounded and hashed again on this side.
//!
//! A cage lives through: [`ToCage::Start`] once, [`ToCage::Equip`] once (from then on it belongs to one toolset in one chat), then any
//! number of [`ToCage::Materialise`] and [`ToCage::Call`]. Requests are answered in order; `request` names them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the app tells the cage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToCage {
    /// Load Python. The first message on the port; answered by [`FromCage::Ready`] or [`FromCage::Failed`].
    Start {
        /// The runtime's own files, by their bare names.
        files: Vec<FileSpan>,
    },
    /// Belong to a toolset from now on: its files, read-only, at `/toolset`, and its packages on the path. Answered by
    /// [`FromCage::Done`].
    Equip {
        /// Names the request in the answer.
        request: u32,
        /// The toolset's files, by their paths in the bundle.
        files: Vec<FileSpan>,
        /// The wheels it needs, by their file names, in the order in which they are to be unpacked.
        wheels: Vec<FileSpan>,
    },
    /// Bring `/workspace` from the state it is in to another one: first the removals, then the files. May come in several pieces, so
    /// that no buffer is too large. Directories that become empty go. Answered by [`FromCage::Done`].
    Materialise {
        /// Names the request in the answer.
        request: u32,
        /// Files to take away.
        remove: Vec<String>,
        /// Files to write.
        write: Vec<FileSpan>,
    },
    /// Call a function of the toolset. Answered by any number of [`FromCage::Output`], [`FromCage::Display`], [`FromCage::Fetch`] and
    /// [`FromCage::Changed`], then one [`FromCage::Returned`].
    Call {
        /// Names the request in the answer.
        request: u32,
        /// `module.path:function`.
        entrypoint: String,
        /// The arguments, a JSON object.
        arguments: Value,
        /// What the function may ask about its call.
        context: CallContext,
        /// How many bytes of output are told live; the rest is written to a file of the workspace.
        output_limit: u64,
        /// The path of that file in the workspace.
        overflow_path: String,
        /// How many files the workspace may hold; with more, the changes are not read out at all.
        file_limit: u64,
        /// How many bytes one file may have.
        file_bytes_limit: u64,
    },
    /// Say what a function takes, from its type hints and docstring (C34). Answered by [`FromCage::Described`].
    Describe {
        /// Names the request in the answer.
        request: u32,
        /// `module.path:function`.
        entrypoint: String,
    },
    /// The answer to [`FromCage::Fetch`]; the buffer is its body.
    Fetched {
        /// The fetch.
        fetch: u32,
        /// What came of it.
        answer: FetchAnswer,
    },
    /// Run this source in a fresh namespace and answer with the JSON text it leaves in `result`. For the cage's own check.
    Evaluate {
        /// Names the request in the answer.
        request: u32,
        /// Python source.
        source: String,
        /// Given to the source as `arguments`, a JSON text.
        arguments: String,
    },
}

/// What the cage answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromCage {
    /// Python is loaded and waits.
    Ready {
        /// What `sys.version` says.
        python: String,
        /// How long loading took, in milliseconds.
        load_millis: u32,
        /// Whether Python can wait for something asynchronous (JSPI). Without it there is no `subprocess` and no blocking network.
        can_wait: bool,
    },
    /// Python could not be loaded, or has died; nothing else will come.
    Failed {
        /// What the runtime said.
        message: String,
    },
    /// The request was carried out.
    Done {
        /// The request.
        request: u32,
    },
    /// The request could not be carried out.
    Refused {
        /// The request.
        request: u32,
        /// Why, a sentence.
        message: String,
    },
    /// The running function wrote something.
    Output {
        /// The request.
        request: u32,
        /// Where to.
        stream: OutputStream,
        /// What.
        text: String,
    },
    /// The running function showed something: the same thing as several media types, for the page to choose from. Text types are
    /// text, others base64.
    Display {
        /// The request.
        request: u32,
        /// The data by its media type.
        bundle: BTreeMap<String, String>,
    },
    /// The running function wants something from the network; the buffer is the request's body. Who asks is known by the port.
    Fetch {
        /// Names it in the answer.
        fetch: u32,
        /// The method.
        method: String,
        /// The whole address.
        url: String,
        /// The headers.
        headers: Vec<(String, String)>,
    },
    /// Files the call has written, a piece of them; more may follow before [`FromCage::Returned`].
    Changed {
        /// The request.
        request: u32,
        /// The files; the buffer has their contents.
        files: Vec<FileSpan>,
    },
    /// The call has ended.
    Returned {
        /// The request.
        request: u32,
        /// What came of it.
        outcome: CallOutcome,
        /// Files the call has removed.
        removed: Vec<String>,
        /// Files the call has written and that could not be read out. They are neither changed nor removed.
        unread: Vec<UnreadFile>,
        /// How long the function itself took, in milliseconds.
        python_millis: f64,
    },
    /// What a function takes.
    Described {
        /// The request.
        request: u32,
        /// What its docstring says of it.
        description: String,
        /// The JSON schema of its arguments.
        input_schema: Value,
    },
    /// To [`ToCage::Evaluate`]: the source ran to its end.
    Evaluated {
        /// The request.
        request: u32,
        /// What it left in `result`, a JSON text.
        result: String,
    },
    /// To [`ToCage::Evaluate`]: the source raised.
    Raised {
        /// The request.
        request: u32,
        /// The traceback.
        traceback: String,
    },
}

/// A file and how many bytes of the buffer are its.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSpan {
    /// Its path, with `/`, relative to where it belongs.
    pub path: String,
    /// Its length.
    pub size: u64,
}

/// What a function may ask about its call (`satchel.get_context()`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallContext {
    /// The chat.
    pub chat_id: String,
    /// The toolset.
    pub toolset_id: String,
    /// The call.
    pub tool_call_id: String,
}

/// Where output went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// `sys.stdout`
    Stdout,
    /// `sys.stderr`
    Stderr,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CallOutcome {
    /// It returned a dict that is JSON.
    Result {
        /// The dict.
        value: Value,
    },
    /// It did not.
    Error {
        /// What kind of failure.
        failure: CallFailure,
        /// One line: for an exception its type and words.
        message: String,
        /// The traceback, in which files are named as in the bundle; empty where there is none.
        traceback: String,
    },
}

/// Why a call gave no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallFailure {
    /// The module or function of the entrypoint is not there.
    NotFound,
    /// The function cannot be called with these arguments.
    BadArguments,
    /// It raised.
    Exception,
    /// What it returned is not a JSON dict.
    BadResult,
    /// It left more files, or a larger one, than the workspace may hold; nothing of what it wrote is kept.
    TooManyFiles,
}

/// What came of a fetch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FetchAnswer {
    /// The host answered; the buffer is the body.
    Response {
        /// The status.
        status: u16,
        /// Its words.
        status_text: String,
        /// The headers.
        headers: Vec<(String, String)>,
        /// The address it came from.
        url: String,
    },
    /// It was refused, or the host could not be reached.
    Refused {
        /// A sentence for the tool's author and for the model.
        message: String,
    },
}

/// A file that could not be read out of the cage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

#[cfg(test)]
mod tests;
