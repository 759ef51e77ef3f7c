//! Models through the server, against nginx: what it adds to an answer's time (P10), to the time until its first token (P11), and what a
//! request costs in time of the processor.
//!
//! What is told is what a proxy adds: the time with it less the time without, which is taken in the same round from the stand-in itself.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher as _;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use crate::bench::cores::Apart;
use crate::bench::data::{Round, Row, Samples, line};
use crate::bench::exchange::{Answer, Exchange};
use crate::bench::nginx::Nginx;
use crate::bench::samples::median;
use crate::bench::server::Server;
use crate::bench::stand_in::{self, FRAMES, Manner};
use crate::bench::{BenchError, keep_samples};
use crate::project::Project;
use crate::report;

const ROUNDS: usize = 9;
/// Requests of a round for each of the three.
const REQUESTS: u32 = 1_000;
/// Streams of a round for each of the three; each takes 1.3 seconds.
const STREAMS: u32 = 3;

const ADDED: Row = Row {
    number: "P10",
    what: "model proxy, added p50 at one connection",
    script: "",
    count: REQUESTS,
    rounds: ROUNDS,
    note: "connections kept open on both sides; server on one core, client and stand-in on the other",
};
const COST: Row = Row {
    number: "P10",
    what: "model proxy, time of the processor per 1,000 requests",
    note: "of all threads of the process, as the scheduler counts",
    ..ADDED
};
const FIRST: Row = Row {
    number: "P11",
    what: "streamed answer, added time to the first token",
    count: STREAMS,
    note: "64 frames 20 ms apart, in each of which none may be lost; nginx unbuffered",
    ..ADDED
};

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Arm {
    /// The stand-in itself.
    Direct,
    App,
    Nginx,
}

/// One arm with its open connection.
struct Peer {
    arm: Arm,
    exchange: Exchange,
    /// Whose time is counted.
    process_id: Option<u32>,
}

/// What an arm took in a round: milliseconds.
#[derive(Clone, Copy, Debug)]
struct Took {
    median: f64,
    processor: f64,
}

/// Prints a line for each of the three rows.
pub(crate) fn measure(project: &Project, binary: &Path, nginx: &Path) -> Result<(), BenchError> {
    let apart = Apart::keep()?;
    let upstream = stand_in::start().map_err(BenchError::Exchange)?;
    let server = Server::configured(project, apart.server(binary), &stand_in::providers(upstream))?;
    let nginx = Nginx::start(project, &apart, nginx, upstream)?;
    let app = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port()));
    let open = |address, token: &str| Exchange::open(address, "", token).map_err(BenchError::Exchange);
    let mut peers = [
        Peer { arm: Arm::Direct, exchange: open(upstream, "")?, process_id: None },
        Peer { arm: Arm::App, exchange: open(app, server.token())?, process_id: Some(server.process_id()) },
        Peer { arm: Arm::Nginx, exchange: open(nginx.address(), "")?, process_id: Some(nginx.process_id()) },
    ];

    report::step(&format!("P10: {ROUNDS} rounds of {REQUESTS} requests"));
    // Connections are made and caches filled before anything counts.
    in_turns(&mut peers, Manner::Whole, REQUESTS / 10, |answer| Some(answer.whole))?;
    let (mut added, mut cost) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let took = in_turns(&mut peers, Manner::Whole, REQUESTS, |answer| Some(answer.whole))?;
        added.push(beyond_direct(&took, |took| took.median));
        cost.push(beyond_direct(&took, |took| took.processor * 1_000.0 / f64::from(REQUESTS)));
    }
    println!("{}", line(&ADDED, &added));
    println!("{}", line(&COST, &cost));

    report::step(&format!("P11: {ROUNDS} rounds of {STREAMS} streams"));
    let mut first = Vec::new();
    for _ in 0..ROUNDS {
        let took =
            in_turns(&mut peers, Manner::Paced, STREAMS, |answer| (answer.frames() == FRAMES).then_some(answer.first))?;
        first.push(beyond_direct(&took, |took| took.median));
    }
    println!("{}", line(&FIRST, &first));
    let samples = [Samples::of(&ADDED, added), Samples::of(&COST, cost), Samples::of(&FIRST, first)];
    keep_samples(project, "proxy", &samples)?;
    Ok(())
}

/// Has every arm answer, in an order of chance; one that fails has no figures.
fn in_turns(
    peers: &mut [Peer],
    manner: Manner,
    requests: u32,
    time: impl Fn(&Answer) -> Option<Duration>,
) -> Result<Vec<(Arm, Option<Took>)>, BenchError> {
    let chance = RandomState::new();
    peers.sort_by_key(|peer| chance.hash_one(peer.arm as u8));
    peers
        .iter_mut()
        .map(|peer| {
            let before = processor_time(peer.process_id)?;
            let times = ask(peer, manner, requests, &time);
            let processor = processor_time(peer.process_id)?.saturating_sub(before);
            if let Err(error) = &times {
                report::note(&format!("{:?} failed: {error}", peer.arm));
            }
            let milliseconds = |time: Duration| time.as_secs_f64() * 1_000.0;
            let took = times.ok().map(|times| Took {
                median: median(times.into_iter().map(milliseconds).collect()),
                processor: milliseconds(processor),
            });
            Ok((peer.arm, took))
        })
        .collect()
}

fn ask(
    peer: &mut Peer,
    manner: Manner,
    requests: u32,
    time: &impl Fn(&Answer) -> Option<Duration>,
) -> io::Result<Vec<Duration>> {
    let path = match peer.arm {
        Arm::Direct | Arm::Nginx => format!("/{}/chat/completions", manner.name()),
        Arm::App => format!("/api/v1/providers/{}/chat", manner.name()),
    };
    (0..requests)
        .map(|_| time(&peer.exchange.ask(&path)?).ok_or_else(|| io::Error::other("frames were lost")))
        .collect()
}

/// What each proxy took more than the stand-in alone; the processor's time is its own anyway.
fn beyond_direct(took: &[(Arm, Option<Took>)], figure: impl Fn(Took) -> f64) -> Round {
    let of = |arm: Arm| took.iter().find(|(found, _)| *found == arm).and_then(|(_, took)| took.map(&figure));
    let added = |arm: Arm| Some(of(arm)? - of(Arm::Direct)?);
    Round::from([("app".to_owned(), added(Arm::App)), ("nginx".to_owned(), added(Arm::Nginx))])
}

/// What the threads of a process have had of the processor so far.
fn processor_time(process_id: Option<u32>) -> Result<Duration, BenchError> {
    let Some(process_id) = process_id else { return Ok(Duration::ZERO) };
    let read = || -> io::Result<u64> {
        let mut nanoseconds = 0;
        for thread in fs::read_dir(format!("/proc/{process_id}/task"))? {
            nanoseconds += on_processor(&fs::read_to_string(thread?.path().join("schedstat"))?);
        }
        Ok(nanoseconds)
    };
    read().map(Duration::from_nanos).map_err(BenchError::Exchange)
}

/// The first number of `schedstat`: nanoseconds on a processor.
fn on_processor(schedstat: &str) -> u64 {
    schedstat.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_stand_in_takes_is_no_proxys() {
        let took = |median| Some(Took { median, processor: 0.0 });
        let round = [(Arm::Nginx, took(3.0)), (Arm::Direct, took(1.0)), (Arm::App, None)];
        let expected = Round::from([("app".to_owned(), None), ("nginx".to_owned(), Some(2.0))]);
        assert_eq!(beyond_direct(&round, |took| took.median), expected);
    }

    #[test]
    fn the_schedulers_first_number_counts() {
        assert_eq!(on_processor("123456 789 10\n"), 123_456);
        assert_eq!(on_processor(""), 0);
    }
}
