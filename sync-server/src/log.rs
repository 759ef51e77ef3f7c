//! The log: to stderr, one line per event, fields by name.
//!
//! Never in it: tokens, headers, query strings, bodies. Requests are logged at `debug` with method, path, status and time. What the MCP
//! library notes is left out altogether, because it notes whole messages.

use std::io::{self, IsTerminal as _};
use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;

/// Starts logging at a level. A second call changes nothing.
pub fn start(level: LevelFilter) {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false);
    let subscriber = tracing_subscriber::registry().with(targets(level)).with(lines);
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        tracing::debug!("the log was already started");
    }
}

/// Who is heard, and from which level on.
fn targets(level: LevelFilter) -> Targets {
    Targets::new().with_default(level).with_target("rmcp", LevelFilter::OFF).with_target("oauth2", LevelFilter::OFF)
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

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    /// I8
    #[test]
    fn the_mcp_library_is_not_heard() {
        let targets = targets(LevelFilter::TRACE);
        assert!(targets.would_enable("satchel_server::mcp", &Level::TRACE));
        for library in ["rmcp", "oauth2"] {
            assert!(!targets.would_enable(&format!("{library}::transport"), &Level::ERROR), "{library}");
        }
    }
}
