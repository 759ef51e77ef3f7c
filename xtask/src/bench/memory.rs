//! The server's resident memory: idle, and after a thousand requests.

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::bench::server::Server;
use crate::bench::{BenchError, keep_samples};
use crate::project::Project;

const REQUESTS: u32 = 1_000;
/// The project's own limit for the idle server.
const LIMIT_MIB: f64 = 30.0;

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
}

/// Prints both figures.
pub(crate) fn measure(project: &Project, binary: &Path) -> Result<(), BenchError> {
    let server = Server::start(project, binary)?;
    let idle_kib = resident(server.process_id())?;
    for _ in 0..REQUESTS {
        server.get("/api/v1/policy")?;
    }
    let samples = Samples { idle_kib, after_requests_kib: resident(server.process_id())?, requests: REQUESTS };
    let mebibytes = |kib: u64| kib as f64 / 1024.0;
    println!(
        "memory: server idle {:.1} MiB (limit {LIMIT_MIB} MiB, P18), after {REQUESTS} requests {:.1} MiB",
        mebibytes(samples.idle_kib),
        mebibytes(samples.after_requests_kib)
    );
    keep_samples(project, "memory", &samples)?;
    Ok(())
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
