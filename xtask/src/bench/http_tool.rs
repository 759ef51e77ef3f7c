//! Calls of an HTTP tool through the server: what its hop adds to the request itself. The page's own part is measured where the page is
//! ([`data`](super::data)); a user waits for both.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use serde_json::json;

use crate::bench::cores::Apart;
use crate::bench::data::{Round, Row, Samples, line};
use crate::bench::exchange::{Exchange, ask_once, authorization};
use crate::bench::samples::median;
use crate::bench::server::Server;
use crate::bench::stand_in::{self, Manner};
use crate::bench::{BenchError, keep_samples};
use crate::project::Project;
use crate::report;

const ROUNDS: usize = 9;
/// Calls of a round for each of the two.
const CALLS: u32 = 1_000;

const HOP: Row = Row {
    number: "HTTP",
    what: "a call of an HTTP tool through the server, added p50 (limit 1 ms, the page's part included)",
    script: "",
    count: CALLS,
    rounds: ROUNDS,
    note: "with a secret of the vault, connections kept open on both sides; server on one core, client and stand-in on the other",
};

/// Prints the line.
pub(crate) fn measure(project: &Project, binary: &Path) -> Result<(), BenchError> {
    let apart = Apart::keep()?;
    let upstream = stand_in::start().map_err(BenchError::Exchange)?;
    let config = format!("[outbound]\nprivate_hosts = [\"{upstream}\"]\n");
    let server = Server::configured(project, apart.server(binary), &config)?;
    let (mut direct, mut through) = connect(&server, upstream).map_err(BenchError::Exchange)?;
    let asked = format!("/{}", Manner::Whole.name());

    report::step(&format!("HTTP: {ROUNDS} rounds of {CALLS} calls through the server"));
    let mut round = |calls: u32, number: usize| -> Result<Round, BenchError> {
        let alone = |exchange: &mut Exchange| took(exchange, &asked, calls);
        let whole = |exchange: &mut Exchange| took(exchange, "/api/v1/http-tools/call", calls);
        // Each is the first in every other round.
        let (alone, whole) = if number.is_multiple_of(2) {
            let alone = alone(&mut direct).map_err(BenchError::Exchange)?;
            (alone, whole(&mut through).map_err(BenchError::Exchange)?)
        } else {
            let whole = whole(&mut through).map_err(BenchError::Exchange)?;
            (alone(&mut direct).map_err(BenchError::Exchange)?, whole)
        };
        Ok(Round::from([("app".to_owned(), Some(whole - alone))]))
    };
    // Connections are made and caches filled before anything counts.
    round(CALLS / 10, 0)?;
    let added = (0..ROUNDS).map(|number| round(CALLS, number)).collect::<Result<Vec<_>, _>>()?;
    println!("{}", line(&HOP, &added));
    keep_samples(project, "http-tool", &[Samples::of(&HOP, added)])?;
    Ok(())
}

/// A connection to the stand-in, and one to the server that asks it.
fn connect(server: &Server, upstream: SocketAddr) -> io::Result<(Exchange, Exchange)> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port()));
    let token = authorization(server.token());
    let secret = json!({"value": "a key of ordinary length"}).to_string();
    ask_once(address, "PUT /api/v1/secrets/BENCH_KEY", &token, &secret)?;
    let url = format!("http://{upstream}/{}?of=${{city}}", Manner::Whole.name());
    let headers = json!({"X-Key": "${BENCH_KEY}"});
    let request = json!({"method": "POST", "urlTemplate": url, "headers": headers, "body": {"city": "${city}"}});
    let call = json!({
        "definition": {"allowedHosts": [upstream.to_string()], "request": request},
        "declared": ["city"],
        "arguments": {"city": "Rome"},
        "time_limit_ms": 10_000,
    });
    let direct = Exchange::asking(upstream, &format!("host: {upstream}\r\n"), json!({"city": "Rome"}).to_string())?;
    let through = Exchange::asking(address, &format!("host: {address}\r\n{token}"), call.to_string())?;
    Ok((direct, through))
}

/// The middle time of so many calls, in milliseconds.
fn took(exchange: &mut Exchange, path: &str, calls: u32) -> io::Result<f64> {
    let mut times = Vec::new();
    for _ in 0..calls {
        let answer = exchange.ask(path)?;
        if !String::from_utf8_lossy(&answer.body).contains("four") {
            return Err(io::Error::other("another answer than the stand-in's"));
        }
        times.push(answer.whole.as_secs_f64() * 1_000.0);
    }
    Ok(median(times))
}
