//! The words as they are on the port.

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
        FromCage::Described { request: 4, description: "Counts rows".into(), input_schema: json!({"type": "object"}) },
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
    let words = serde_json::to_value([NotFound, BadArguments, Exception, BadResult, TooManyFiles]).expect("serialises");
    assert_eq!(words, json!(["not_found", "bad_arguments", "exception", "bad_result", "too_many_files"]));
}
