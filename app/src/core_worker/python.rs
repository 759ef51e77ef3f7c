//! Python for the tools' worker: a few cages, whoever may use them, and what a call in one comes to.

mod cage;
mod check;
mod page;
mod runtime;

use satchel_core::local_api::Response;
use satchel_core::python::{FetchAnswer, ToCage};

use self::cage::Cage;
use crate::browser::raw_bytes::RawBytes;

/// Listens to the page, before any job comes.
pub(super) fn listen() {
    page::listen(|_is_seen| {});
}

pub(super) async fn warm_up(_is_small: bool) {}

pub(super) fn stop(_call: &str) {}

/// Tries every way out of a fresh cage.
pub(super) async fn check(target: &str) -> Response {
    check::check(target).await
}

/// Refuses a request to the network.
fn refuse(cage: &Cage, fetch: u32, message: &str) {
    let answer = FetchAnswer::Refused { message: message.into() };
    cage.say(&ToCage::Fetched { fetch, answer }, Some(&RawBytes::from(&[][..])));
}
