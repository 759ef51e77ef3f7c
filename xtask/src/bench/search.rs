//! Finding anything: a keystroke in the box, until what it finds is on the screen.
//!
//! `tests/bench/search.mjs` drives the browser and prints samples; the rows, and what they have to keep to, are here.

use crate::bench::data::Row;

const KEYSTROKE: Row = Row {
    number: "P16",
    what: "search of messages, p95 of a keystroke",
    script: "keystroke",
    count: 10_000,
    rounds: 7,
    note: "some 100 keystrokes a round, from the event to what it found in the page; limit is the figure to keep to; app_cold is from opening the \
           box in a tab that has not searched yet until everything was read, app_median half of the keystrokes",
};

/// At two sizes.
pub(super) const ROWS: [Row; 2] = [KEYSTROKE, Row { count: 100_000, rounds: 3, ..KEYSTROKE }];
