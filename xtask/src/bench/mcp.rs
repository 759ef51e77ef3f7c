//! Calls of MCP tools over HTTP through the server, against mcp-proxy: what either adds to the time of a call (P12).
//!
//! Both are asked by HTTP, are the client of the same stand-in, and hand its result on. What differs is what the asker says: a page asks the
//! server in the words of its API, a client of mcp-proxy in those of MCP.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::cores::Apart;
use crate::bench::data::{Round, Row, Samples, line};
use crate::bench::exchange::{Exchange, ask_once, authorization};
use crate::bench::mcp_proxy::McpProxy;
use crate::bench::mcp_stand_in::{self, ANSWER, PATH, PROTOCOL, TOOL};
use crate::bench::samples::median;
use crate::bench::server::Server;
use crate::bench::{BenchError, keep_samples};
use crate::project::Project;
use crate::report;

const ROUNDS: usize = 9;
/// Calls of a round for each of the three.
const CALLS: u32 = 1_000;
const CONNECTING_TIME: Duration = Duration::from_secs(10);
/// An argument of ordinary length.
const ARGUMENT_BYTES: usize = 1_000;
/// What the server knows the stand-in by.
const KEY: &str = "bench~stand-in";

const ADDED: Row = Row {
    number: "P12",
    what: "MCP tools/call over HTTP, added p50",
    script: "",
    count: CALLS,
    rounds: ROUNDS,
    note: "connections kept open on both sides; server on one core, client and stand-in on the other",
};

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Arm {
    /// The stand-in itself.
    Direct,
    App,
    McpProxy,
}

/// One arm with its open connection.
struct Peer {
    arm: Arm,
    path: String,
    exchange: Exchange,
}

/// Prints the line.
pub(crate) fn measure(project: &Project, binary: &Path, mcp_proxy: &Path) -> Result<(), BenchError> {
    let apart = Apart::keep()?;
    let upstream = mcp_stand_in::start().map_err(BenchError::Exchange)?;
    let config = format!("[outbound]\nprivate_hosts = [\"{upstream}\"]\n");
    let server = Server::configured(project, apart.server(binary), &config)?;
    let proxy = McpProxy::start(project, &apart, mcp_proxy, upstream)?;
    let mut peers = [
        direct(upstream).map_err(BenchError::Exchange)?,
        through_server(&server, upstream)?,
        through_mcp_proxy(&proxy).map_err(BenchError::Exchange)?,
    ];

    report::step(&format!("P12: {ROUNDS} rounds of {CALLS} calls"));
    // Connections are made and caches filled before anything counts.
    in_turns(&mut peers, CALLS / 10);
    let added: Vec<Round> = (0..ROUNDS).map(|_| beyond_direct(&in_turns(&mut peers, CALLS))).collect();
    println!("{}", line(&ADDED, &added));
    keep_samples(project, "mcp", &[Samples::of(&ADDED, added)])?;
    Ok(())
}

fn arguments() -> Value {
    json!({"words": "x".repeat(ARGUMENT_BYTES)})
}

fn call(tool: &str) -> String {
    let params = json!({"name": tool, "arguments": arguments()});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

fn direct(upstream: SocketAddr) -> io::Result<Peer> {
    let headers = format!("host: {upstream}\r\nmcp-protocol-version: {PROTOCOL}\r\n");
    let exchange = Exchange::asking(upstream, &headers, call(TOOL))?;
    Ok(Peer { arm: Arm::Direct, path: PATH.to_owned(), exchange })
}

/// Tells the server of the stand-in and waits until it is connected.
fn through_server(server: &Server, upstream: SocketAddr) -> Result<Peer, BenchError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port()));
    let token = authorization(server.token());
    let path = format!("/api/v1/mcp/servers/{KEY}");
    let definition = json!({"url": format!("http://{upstream}{PATH}")}).to_string();
    ask_once(address, &format!("PUT {path}"), &token, &definition).map_err(BenchError::Exchange)?;
    let started = Instant::now();
    loop {
        let (_, state) = ask_once(address, &format!("GET {path}"), &token, "").map_err(BenchError::Exchange)?;
        if String::from_utf8_lossy(&state).contains("\"status\":\"connected\"") {
            break;
        }
        if started.elapsed() > CONNECTING_TIME {
            return Err(BenchError::NotConnected("the server"));
        }
        thread::sleep(Duration::from_millis(10));
    }
    let asked = json!({"client": "bench", "call_id": "c", "tool": TOOL, "arguments": arguments()}).to_string();
    let headers = format!("host: {address}\r\n{token}");
    let exchange = Exchange::asking(address, &headers, asked).map_err(BenchError::Exchange)?;
    Ok(Peer { arm: Arm::App, path: format!("{path}/calls"), exchange })
}

fn through_mcp_proxy(proxy: &McpProxy) -> io::Result<Peer> {
    let headers = format!("host: {}\r\n{}", proxy.address(), proxy.introduce()?);
    let exchange = Exchange::asking(proxy.address(), &headers, call(&McpProxy::tool()))?;
    Ok(Peer { arm: Arm::McpProxy, path: "/".to_owned(), exchange })
}

/// Calls every arm, in an order of chance: the middle time of each in milliseconds. One that fails has none.
fn in_turns(peers: &mut [Peer], calls: u32) -> Vec<(Arm, Option<f64>)> {
    let chance = RandomState::new();
    peers.sort_by_key(|peer| chance.hash_one(peer.arm as u8));
    let mut took = Vec::new();
    for peer in peers {
        let times = (0..calls).map(|_| once(peer)).collect::<io::Result<Vec<f64>>>();
        if let Err(error) = &times {
            report::note(&format!("{:?} failed: {error}", peer.arm));
        }
        took.push((peer.arm, times.ok().map(median)));
    }
    took
}

/// One call, and what it took.
fn once(peer: &mut Peer) -> io::Result<f64> {
    let answer = peer.exchange.ask(&peer.path)?;
    if !String::from_utf8_lossy(&answer.body).contains(ANSWER) {
        return Err(io::Error::other("another answer than the stand-in's"));
    }
    Ok(answer.whole.as_secs_f64() * 1_000.0)
}

/// What each proxy took more than the stand-in alone.
fn beyond_direct(took: &[(Arm, Option<f64>)]) -> Round {
    let of = |arm: Arm| took.iter().find(|(found, _)| *found == arm).and_then(|(_, took)| *took);
    let added = |arm: Arm| Some(of(arm)? - of(Arm::Direct)?);
    Round::from([("app".to_owned(), added(Arm::App)), ("mcp-proxy".to_owned(), added(Arm::McpProxy))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_stand_in_takes_is_no_proxys() {
        let round = [(Arm::McpProxy, Some(3.0)), (Arm::Direct, Some(1.0)), (Arm::App, None)];
        let expected = Round::from([("app".to_owned(), None), ("mcp-proxy".to_owned(), Some(2.0))]);
        assert_eq!(beyond_direct(&round), expected);
    }
}
