//! An answer as it comes: what a long one costs the page's own thread (P9), and the bytes that the first one needs (P8).
//!
//! `tests/bench/stream.mjs` drives the browser, is the provider, and prints samples; the arithmetic is here.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::bench::data::{Round, Row, Samples, line};
use crate::bench::server::{Server, ServerError};
use crate::bench::{BenchError, keep_samples, printed, script};
use crate::dist::Dist;
use crate::process;
use crate::project::Project;
use crate::report::{self, kilobytes};
use crate::setup::browser;

const STREAM: Row = Row {
    number: "P9",
    what: "a streamed answer of Markdown in pieces of 4 characters, time of the page's main thread",
    script: "stream",
    count: 48_000,
    rounds: 7,
    note: "a piece a millisecond; all tasks of the main thread, as Chromium counts them, from the question to the whole answer; \
           marked draws the whole text anew every 60 ms, and DOMPurify cleans it",
};

/// The peer of P8: Open WebUI 0.12.4's shell, as brotli.
const PEER_BYTES: f64 = 845_000.0;

/// Prints a line for the time, and one for the bytes.
pub(crate) fn measure(project: &Project, binary: &Path, dist: &Dist) -> Result<(), BenchError> {
    // The script is the provider, and the server has to know where before it starts.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let port = port.map_err(ServerError::from)?.port();
    let provider = format!(
        "[[provider]]\nname = \"measured\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nformat = \"openai\"\nmodels = [\"measured\"]\n"
    );
    let server = Server::configured(project, process::command(binary), &provider)?;

    report::step(&format!("{}: {}, {} rounds", STREAM.number, STREAM.what, STREAM.rounds));
    let rounds: Vec<Round> = run(project, &server, port, STREAM.script, STREAM.rounds)?;
    println!("{}", line(&STREAM, &rounds));
    keep_samples(project, "stream", &[Samples::of(&STREAM, rounds)])?;

    report::step("P8: what the first answer needs");
    let asked: BTreeSet<String> = run(project, &server, port, "first", 1)?;
    let (plain, sent) = sum(dist.files(), &asked);
    println!(
        "size: the first answer needs {} plain, {} brotli, {} files; {:.3} of the peer's 845 KB (P8), which has shown no answer with them",
        kilobytes(plain),
        kilobytes(sent),
        asked.len(),
        sent as f64 / PEER_BYTES
    );
    Ok(())
}

fn run<T: DeserializeOwned>(
    project: &Project,
    server: &Server,
    port: u16,
    row: &str,
    rounds: usize,
) -> Result<T, BenchError> {
    let mut node = process::command("node");
    node.arg(script(project, "stream.mjs"))
        .args([row, &STREAM.count.to_string(), &rounds.to_string()])
        .arg(browser::chromium().ok_or(BenchError::NoBrowser)?)
        .arg(format!("http://127.0.0.1:{}/#token={}", server.port(), server.token()))
        .arg(port.to_string())
        .args(browser::FLAGS)
        .current_dir(project.root());
    printed(&mut node)
}

/// The bytes of the files that were asked for, plain and as sent. Every address of the app's own is its page.
fn sum<'dist>(files: impl Iterator<Item = (&'dist str, u64, u64)>, asked: &BTreeSet<String>) -> (u64, u64) {
    files
        .filter(|(path, ..)| *path == "/index.html" || asked.contains(*path))
        .fold((0, 0), |(plain, sent), (_, bytes, as_sent)| (plain + bytes, sent + as_sent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_counts_once_and_the_page_always() {
        let files = [("/index.html", 10, 5), ("/a.js", 100, 50), ("/b.js", 1_000, 500)];
        let asked = ["/ui/chat", "/a.js", "/api/v1/policy"].map(str::to_owned).into();
        assert_eq!(sum(files.into_iter(), &asked), (110, 55));
    }
}
