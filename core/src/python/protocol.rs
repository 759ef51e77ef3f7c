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
mod tests {
    use serde_json::json;

    use super::*;

    fn span(path: &str, size: u64) -> FileSpan {
        FileSpan { path: path.into(), size }
    }

    #[test]
    fn what_the_app_says() {
        let words = [
            ToCage::Start { files: vec![span("pyodide.mjs", 10)] },
            ToCage::Equip {
                request: 1,
                files: vec![span("tools/a.py", 3)],
                wheels: vec![span("attrs-1-py3-none-any.whl", 4)],
            },
            ToCage::Materialise { request: 2, remove: vec!["old.txt".into()], write: vec![span("new.txt", 5)] },
            ToCage::Call {
                request: 3,
                entrypoint: "tools.a:run".into(),
                arguments: json!({"n": 1}),
                context: CallContext {
                    chat_id: "chat".into(),
                    toolset_id: "my-toolset".into(),
                    tool_call_id: "call".into(),
                },
                output_limit: 1_048_576,
                overflow_path: ".satchel/results/call.log".into(),
                file_limit: 20_000,
                file_bytes_limit: 104_857_600,
            },
            ToCage::Describe { request: 4, entrypoint: "tools.a:run".into() },
            ToCage::Fetched {
                fetch: 1,
                answer: FetchAnswer::Response {
                    status: 200,
                    status_text: "OK".into(),
                    headers: vec![("content-type".into(), "text/plain".into())],
                    url: "https://api.example.com/".into(),
                },
            },
            ToCage::Fetched { fetch: 2, answer: FetchAnswer::Refused { message: "not granted".into() } },
            ToCage::Evaluate { request: 5, source: "result = 1".into(), arguments: "{}".into() },
        ];
        insta::assert_json_snapshot!(words, @r#"
        [
          {
            "type": "start",
            "files": [
              {
                "path": "pyodide.mjs",
                "size": 10
              }
            ]
          },
          {
            "type": "equip",
            "request": 1,
            "files": [
              {
                "path": "tools/a.py",
                "size": 3
              }
            ],
            "wheels": [
              {
                "path": "attrs-1-py3-none-any.whl",
                "size": 4
              }
            ]
          },
          {
            "type": "materialise",
            "request": 2,
            "remove": [
              "old.txt"
            ],
            "write": [
              {
                "path": "new.txt",
                "size": 5
              }
            ]
          },
          {
            "type": "call",
            "request": 3,
            "entrypoint": "tools.a:run",
            "arguments": {
              "n": 1
            },
            "context": {
              "chat_id": "chat",
              "toolset_id": "my-toolset",
              "tool_call_id": "call"
            },
            "output_limit": 1048576,
            "overflow_path": ".satchel/results/call.log",
            "file_limit": 20000,
            "file_bytes_limit": 104857600
          },
          {
            "type": "describe",
            "request": 4,
            "entrypoint": "tools.a:run"
          },
          {
            "type": "fetched",
            "fetch": 1,
            "answer": {
              "type": "response",
              "status": 200,
              "status_text": "OK",
              "headers": [
                [
                  "content-type",
                  "text/plain"
                ]
              ],
              "url": "https://api.example.com/"
            }
          },
          {
            "type": "fetched",
            "fetch": 2,
            "answer": {
              "type": "refused",
              "message": "not granted"
            }
          },
          {
            "type": "evaluate",
            "request": 5,
            "source": "result = 1",
            "arguments": "{}"
          }
        ]
        "#);
    }

    #[test]
    fn what_the_cage_answers() {
        let words = [
            FromCage::Ready { python: "3.14".into(), load_millis: 2_600, can_wait: true },
            FromCage::Failed { message: "no WebAssembly".into() },
            FromCage::Done { request: 1 },
            FromCage::Refused { request: 1, message: "the wheel is not a ZIP".into() },
            FromCage::Output { request: 3, stream: OutputStream::Stderr, text: "careful\n".into() },
            FromCage::Display { request: 3, bundle: BTreeMap::from([("text/html".into(), "<b>1</b>".into())]) },
            FromCage::Fetch {
                fetch: 1,
                method: "GET".into(),
                url: "https://api.example.com/".into(),
                headers: vec![("accept".into(), "*/*".into())],
            },
            FromCage::Changed { request: 3, files: vec![span("new.txt", 5)] },
            FromCage::Returned {
                request: 3,
                outcome: CallOutcome::Result { value: json!({"rows": 1}) },
                removed: vec!["old.txt".into()],
                unread: vec![UnreadFile { path: "locked".into(), reason: "permission denied".into() }],
                python_millis: 1.5,
            },
            FromCage::Returned {
                request: 3,
                outcome: CallOutcome::Error {
                    failure: CallFailure::Exception,
                    message: "ZeroDivisionError: division by zero".into(),
                    traceback: "Traceback".into(),
                },
                removed: Vec::new(),
                unread: Vec::new(),
                python_millis: 0.5,
            },
            FromCage::Described {
                request: 4,
                description: "Counts rows".into(),
                input_schema: json!({"type": "object"}),
            },
            FromCage::Evaluated { request: 5, result: "1".into() },
            FromCage::Raised { request: 5, traceback: "ZeroDivisionError".into() },
        ];
        insta::assert_json_snapshot!(words, @r#"
        [
          {
            "type": "ready",
            "python": "3.14",
            "load_millis": 2600,
            "can_wait": true
          },
          {
            "type": "failed",
            "message": "no WebAssembly"
          },
          {
            "type": "done",
            "request": 1
          },
          {
            "type": "refused",
            "request": 1,
            "message": "the wheel is not a ZIP"
          },
          {
            "type": "output",
            "request": 3,
            "stream": "stderr",
            "text": "careful\n"
          },
          {
            "type": "display",
            "request": 3,
            "bundle": {
              "text/html": "<b>1</b>"
            }
          },
          {
            "type": "fetch",
            "fetch": 1,
            "method": "GET",
            "url": "https://api.example.com/",
            "headers": [
              [
                "accept",
                "*/*"
              ]
            ]
          },
          {
            "type": "changed",
            "request": 3,
            "files": [
              {
                "path": "new.txt",
                "size": 5
              }
            ]
          },
          {
            "type": "returned",
            "request": 3,
            "outcome": {
              "type": "result",
              "value": {
                "rows": 1
              }
            },
            "removed": [
              "old.txt"
            ],
            "unread": [
              {
                "path": "locked",
                "reason": "permission denied"
              }
            ],
            "python_millis": 1.5
          },
          {
            "type": "returned",
            "request": 3,
            "outcome": {
              "type": "error",
              "failure": "exception",
              "message": "ZeroDivisionError: division by zero",
              "traceback": "Traceback"
            },
            "removed": [],
            "unread": [],
            "python_millis": 0.5
          },
          {
            "type": "described",
            "request": 4,
            "description": "Counts rows",
            "input_schema": {
              "type": "object"
            }
          },
          {
            "type": "evaluated",
            "request": 5,
            "result": "1"
          },
          {
            "type": "raised",
            "request": 5,
            "traceback": "ZeroDivisionError"
          }
        ]
        "#);
    }

    #[test]
    fn every_failure_has_its_word() {
        use CallFailure::{BadArguments, BadResult, Exception, NotFound, TooManyFiles};
        let words =
            serde_json::to_value([NotFound, BadArguments, Exception, BadResult, TooManyFiles]).expect("serialises");
        assert_eq!(words, json!(["not_found", "bad_arguments", "exception", "bad_result", "too_many_files"]));
    }
}
