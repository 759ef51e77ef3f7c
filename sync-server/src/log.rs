//! The log: to stderr, one line per event, fields by name.
//!
//! Never in it: tokens, headers, query strings, bodies. Requests are logged at `debug` with method, path, status and time.

use std::io::{self, IsTerminal as _};
use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use tracing::level_filters::LevelFilter;

/// Starts logging at a level. A second call changes nothing.
pub fn start(level: LevelFilter) {
    let subscriber = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .with_max_level(level)
        .finish();
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        tracing::debug!("the log was already started");
    }
}

/// Logs one request and its answer.
pub(crate) async fn request(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    tracing::debug!(%method, path, status = response.status().as_u16(), ms = milliseconds, "request");
    response
}
