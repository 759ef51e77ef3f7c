//! The bytes of a first visit, by what a real browser asks for: until the chat can be used, and by itself after that.
//!
//! `tests/bench/size.mjs` drives the browser and prints addresses; what each weighs, plain and as sent, is known from the build.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bench::server::Server;
use crate::bench::{BenchError, keep_samples, printed, script};
use crate::dist::Dist;
use crate::process;
use crate::project::Project;
use crate::report::{self, kilobytes};
use crate::setup::browser;

/// The peer: Open WebUI 0.12.4's shell, as brotli.
const PEER_BYTES: u64 = 845_000;
/// What the first chat page may weigh.
const AIM_BYTES: u64 = 300_000;

/// What was asked for, by when it was.
#[derive(Debug, Deserialize)]
struct Asked {
    first: Vec<String>,
    after: Vec<String>,
    worker: Vec<String>,
    kept: Vec<String>,
}

/// When a file is asked for, the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum When {
    /// Before the chat can be used: what P8 counts.
    First,
    /// By the page, after that.
    After,
    /// By the page's core worker.
    Worker,
    /// By the service worker, to be kept.
    Kept,
}

impl When {
    const ALL: [Self; 4] = [Self::First, Self::After, Self::Worker, Self::Kept];

    /// What stands before a file.
    fn mark(self) -> char {
        match self {
            Self::First => ' ',
            Self::After => '+',
            Self::Worker => 'w',
            Self::Kept => 's',
        }
    }

    /// What stands before the sum.
    fn words(self) -> &'static str {
        match self {
            Self::First => "until the chat can be used",
            Self::After => "what the page loads by itself after that",
            Self::Worker => "the core worker, in idle time",
            Self::Kept => "what the service worker stores besides, for a start without a network",
        }
    }
}

/// One file.
#[derive(Debug, PartialEq, Serialize)]
struct Loaded {
    path: String,
    bytes: u64,
    sent_bytes: u64,
    when: When,
}

/// Prints a line per file, and the sums.
pub(crate) fn measure(project: &Project, binary: &Path, dist: &Dist) -> Result<(), BenchError> {
    let server = Server::start(project, binary)?;
    report::step("size: a first visit, and a minute of leaving it alone");
    let mut node = process::command("node");
    node.arg(script(project, "size.mjs"))
        .arg(format!("http://127.0.0.1:{}/ui/chat", server.port()))
        .arg(browser::chromium().ok_or(BenchError::NoBrowser)?)
        .args(browser::FLAGS)
        .current_dir(project.root());
    let files = loaded(dist.files(), printed(&mut node)?);
    for file in &files {
        let (plain, sent) = (kilobytes(file.bytes), kilobytes(file.sent_bytes));
        println!("size {} {plain:>12} {sent:>12}  {}", file.when.mark(), file.path);
    }
    for when in When::ALL {
        println!("{}", line(when, &files));
    }
    keep_samples(project, "size", &files)?;
    Ok(())
}

/// The files of the build that were asked for, by when they were. What is no file of it, such as an answer of the server, weighs nothing here.
fn loaded<'dist>(files: impl Iterator<Item = (&'dist str, u64, u64)>, asked: Asked) -> Vec<Loaded> {
    let lists = [asked.first, asked.after, asked.worker, asked.kept];
    let mut by_path = BTreeMap::new();
    for (when, paths) in When::ALL.into_iter().zip(lists) {
        for path in paths {
            by_path.entry(path).or_insert(when);
        }
    }
    let mut loaded: Vec<Loaded> = files
        .filter_map(|(path, bytes, sent_bytes)| {
            let when = *by_path.get(path)?;
            Some(Loaded { path: path.to_owned(), bytes, sent_bytes, when })
        })
        .collect();
    loaded.sort_by_key(|file| file.when);
    loaded
}

fn line(when: When, files: &[Loaded]) -> String {
    let of_it: Vec<&Loaded> = files.iter().filter(|file| file.when == when).collect();
    let (plain, sent) = of_it.iter().fold((0, 0), |(plain, sent), file| (plain + file.bytes, sent + file.sent_bytes));
    let figures = format!(
        "size: {}: {} plain, {} brotli, {} files",
        when.words(),
        kilobytes(plain),
        kilobytes(sent),
        of_it.len()
    );
    match when {
        When::First => format!(
            "{figures}; {:.3} of the peer's 845 KB (P8); the aim is under {}",
            sent as f64 / PEER_BYTES as f64,
            kilobytes(AIM_BYTES)
        ),
        When::After | When::Worker | When::Kept => figures,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_counts_once_where_it_was_asked_for_first() {
        let asked = r#"{"first": ["/index.html", "/a.js", "/api/v1/policy"], "after": ["/b.js", "/a.js"], "worker": ["/vendor/core-worker-1/w.wasm"], "kept": ["/b.js", "/c.js"]}"#;
        let asked: Asked = serde_json::from_str(asked).expect("it is what the script prints");
        let dist = [
            ("/a.js", 100, 50),
            ("/b.js", 1_000, 500),
            ("/c.js", 10_000, 5_000),
            ("/d.js", 7, 7),
            ("/index.html", 10, 5),
            ("/vendor/core-worker-1/w.wasm", 100_000, 50_000),
        ];
        let files = loaded(dist.into_iter(), asked);
        let listed: Vec<(&str, When)> = files.iter().map(|file| (file.path.as_str(), file.when)).collect();
        let expected = [
            ("/a.js", When::First),
            ("/index.html", When::First),
            ("/b.js", When::After),
            ("/vendor/core-worker-1/w.wasm", When::Worker),
            ("/c.js", When::Kept),
        ];
        assert_eq!(listed, expected);
        assert_eq!(
            line(When::First, &files),
            "size: until the chat can be used: 0.1 KB plain, 0.1 KB brotli, 2 files; 0.000 of the peer's 845 KB (P8); the aim is under 300.0 KB"
        );
        assert_eq!(
            line(When::Worker, &files),
            "size: the core worker, in idle time: 100.0 KB plain, 50.0 KB brotli, 1 files"
        );
    }
}
