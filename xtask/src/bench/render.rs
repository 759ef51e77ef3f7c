//! What was said and what calls gave, on the screen: a long table that is scrolled, a large file that is opened, a chat with many results, a long
//! chat.
//!
//! `tests/bench/render.mjs` drives the browser and prints samples; the rows, and what they have to keep to, are here.

use crate::bench::data::Row;

const LONG_CHAT: Row = Row {
    number: "P17",
    what: "a chat of so many messages, from the click on it until it can be used",
    script: "messages",
    count: 2_000,
    rounds: 7,
    note: "until its newest message is painted and a typed letter is in the composer; limit is the figure to keep to; app_frame is the mean time \
           between frames while it is scrolled through, of which 16.7 ms are 60 a second, and app_worst the longest",
};

/// The rows.
pub(super) const ROWS: [Row; 5] = [
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
    LONG_CHAT,
    Row { count: 20_000, rounds: 3, ..LONG_CHAT },
];
