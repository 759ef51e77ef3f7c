//! What calls gave, on the screen: a long table that is scrolled, a large file that is opened, a chat with many results.
//!
//! `tests/bench/render.mjs` drives the browser and prints samples; the rows, and what they have to keep to, are here.

use crate::bench::data::Row;

/// The rows.
pub(super) const ROWS: [Row; 3] = [
    Row {
        number: "render",
        what: "mean time between frames while a table is scrolled",
        script: "table",
        count: 100_000,
        rounds: 5,
        note: "over 300 frames, a screen further with each; 16.7 ms are 60 frames a second, the aim; app_worst is the longest; app_opening is the longest task of the page while the table is opened, 0 where none takes over 50 ms",
    },
    Row {
        number: "render",
        what: "a file of 5 MB in the code view, from coming into sight to its first lines",
        script: "code",
        count: 1,
        rounds: 7,
        note: "the aim is 300 ms",
    },
    Row {
        number: "render",
        what: "a chat with 200 rendered calls, from the click on it to its last result",
        script: "chat",
        count: 200,
        rounds: 7,
        note: "the aim is 500 ms; app_warm is the same chat a second time",
    },
];
