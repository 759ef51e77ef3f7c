//! The server's resident memory: idle, after a thousand requests, and after ten thousand answers of models that streamed through it.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::thread;

use serde::Serialize;

use crate::bench::exchange::Exchange;
use crate::bench::server::Server;
use crate::bench::stand_in::{self, FRAMES, Manner};
use crate::bench::{BenchError, keep_samples};
use crate::process;
use crate::project::Project;
use crate::report;

const REQUESTS: u32 = 1_000;
const STREAMS: u32 = 10_000;
/// Streams at the same time.
const AT_ONCE: u32 = 8;
/// The project's own limit for the idle server.
const LIMIT_MIB: f64 = 30.0;
/// The peer, agentgateway, as it tells of itself: idle, and under load.
const PEER_MIB: [f64; 2] = [25.0, 48.0];

/// The memory could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemoryError {
    #[error("resident memory can only be read on Linux, from /proc")]
    NotLinux,
}

/// In KiB, as the system counts.
#[derive(Debug, Serialize)]
struct Samples {
    idle_kib: u64,
    after_requests_kib: u64,
    requests: u32,
    after_streams_kib: u64,
    streams: u32,
}

/// Prints all three figures.
pub(crate) fn measure(project: &Project, binary: &Path) -> Result<(), BenchError> {
    let upstream = stand_in::start().map_err(BenchError::Exchange)?;
    let server = Server::configured(project, process::command(binary), &stand_in::providers(upstream))?;
    let idle_kib = resident(server.process_id())?;
    for _ in 0..REQUESTS {
        server.get("/api/v1/policy")?;
    }
    let after_requests_kib = resident(server.process_id())?;
    report::step(&format!("P18: {STREAMS} streams of {FRAMES} frames, {AT_ONCE} at a time"));
    stream_through(&server).map_err(BenchError::Exchange)?;
    let after_streams_kib = resident(server.process_id())?;
    let samples = Samples { idle_kib, after_requests_kib, requests: REQUESTS, after_streams_kib, streams: STREAMS };
    let mebibytes = |kib: u64| kib as f64 / 1024.0;
    let [peer_idle, peer_after] = PEER_MIB;
    println!(
        "memory: server idle {:.1} MiB (limit {LIMIT_MIB} MiB, peer {peer_idle} MiB, P18), after {REQUESTS} requests {:.1} MiB, \
         after {STREAMS} proxied streams {:.1} MiB (peer {peer_after} MiB)",
        mebibytes(idle_kib),
        mebibytes(after_requests_kib),
        mebibytes(after_streams_kib)
    );
    keep_samples(project, "memory", &samples)?;
    Ok(())
}

/// Has so many answers stream through the server, each whole.
fn stream_through(server: &Server) -> io::Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port()));
    let path = format!("/api/v1/providers/{}/chat", Manner::Quick.name());
    let streams = || -> io::Result<()> {
        let mut exchange = Exchange::open(address, "", server.token())?;
        for _ in 0..STREAMS / AT_ONCE {
            if exchange.ask(&path)?.frames() != FRAMES {
                return Err(io::Error::other("frames were lost"));
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let all: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(streams)).collect();
        all.into_iter().try_for_each(|streams| streams.join().map_err(|_| io::Error::other("a client panicked"))?)
    })
}

fn resident(process_id: u32) -> Result<u64, MemoryError> {
    let status = fs::read_to_string(format!("/proc/{process_id}/status")).map_err(|_| MemoryError::NotLinux)?;
    resident_in(&status).ok_or(MemoryError::NotLinux)
}

/// The line `VmRSS:   12345 kB` of a process's status.
fn resident_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_status_is_read() {
        assert_eq!(resident_in("Name:\tsatchel\nVmRSS:\t   12345 kB\nThreads:\t3\n"), Some(12_345));
        assert_eq!(resident_in("Name:\tsatchel\n"), None);
    }
}
