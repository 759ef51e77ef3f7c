//! Python tools in the real app: the first result after a start, a call, files laid out, and what the page feels of it.
//!
//! `tests/bench/python.mjs` drives the browser and its peers and prints samples; the rows are here.

use crate::bench::data::Row;

/// The rows.
pub(super) const ROWS: [Row; 4] = [
    Row {
        number: "P3",
        what: "files of 4 KB laid out in a cage that has none",
        script: "materialise",
        count: 1_000,
        rounds: 7,
        note: "read from IndexedDB, each checked by its hash; the peer checks out of and into IndexedDB",
    },
    Row {
        number: "P6",
        what: "warm profile, navigation to the first result of Python",
        script: "first",
        count: 1,
        rounds: 7,
        note: "by /local, once the page is ready; the peer is a page that only loads Pyodide",
    },
    Row {
        number: "P7",
        what: "warm call of a function that does nothing",
        script: "call",
        count: 30,
        rounds: 7,
        note: "medians of 30 calls by /local, with their record in the database; the peer is runPython in a worker",
    },
    Row {
        number: "main thread",
        what: "longest task of the page while a tool rewrites all files",
        script: "long_tasks",
        count: 1_000,
        rounds: 7,
        note: "the browser tells of tasks from 50 ms on, 0 is none; app_fresh_chat is the first run of a fresh chat, with the pane of files open",
    },
];
