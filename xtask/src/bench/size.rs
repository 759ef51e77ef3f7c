//! The bytes of the first chat page: what the browser loads before the app can be used, plain and as sent.

use std::fs;

use serde::Serialize;

use crate::bench::{BenchError, keep_samples};
use crate::dist::Dist;
use crate::files::AtPath;
use crate::project::Project;
use crate::report::kilobytes;

/// The peer: Open WebUI 0.12.4's shell, as brotli.
const PEER_BYTES: u64 = 845_000;
/// What the first page of the shell may weigh.
const AIM_BYTES: u64 = 300_000;

/// One file of the page.
#[derive(Debug, PartialEq, Serialize)]
struct Loaded {
    path: String,
    bytes: u64,
    sent_bytes: u64,
    /// Whether the page needs it before it can be used; the others are chunks, icons, the web manifest and the service worker.
    before_use: bool,
}

/// Prints a line per file and the two sums.
pub(crate) fn measure(project: &Project, dist: &Dist) -> Result<(), BenchError> {
    let path = dist.folder().join("index.html");
    let page = fs::read_to_string(&path).at("read", &path)?;
    let shell = dist.shell().filter(|(path, ..)| *path != "/404.html");
    let files: Vec<Loaded> = shell
        .map(|(path, bytes, sent_bytes)| Loaded {
            path: path.to_owned(),
            bytes,
            sent_bytes,
            before_use: is_needed(&page, path),
        })
        .collect();
    for before_use in [true, false] {
        for file in files.iter().filter(|file| file.before_use == before_use) {
            let mark = if before_use { ' ' } else { '+' };
            println!("size {mark} {:>12} {:>12}  {}", kilobytes(file.bytes), kilobytes(file.sent_bytes), file.path);
        }
    }
    let first = sum(files.iter().filter(|file| file.before_use));
    let whole = sum(files.iter());
    let ratio = first.1 as f64 / PEER_BYTES as f64;
    println!(
        "size: first chat page {} plain, {} brotli; {ratio:.3} of the peer's 845 KB (P8)",
        kilobytes(first.0),
        kilobytes(first.1)
    );
    println!("size: the aim is under {}", kilobytes(AIM_BYTES));
    println!(
        "size: with chunks, icons, manifest and service worker {} plain, {} brotli",
        kilobytes(whole.0),
        kilobytes(whole.1)
    );
    keep_samples(project, "size", &files)?;
    Ok(())
}

/// The page itself, and the styles, scripts and WebAssembly it names, or that its script imports: snippets, and what loads
/// the chunks.
fn is_needed(page: &str, path: &str) -> bool {
    let code = [".css", ".js", ".wasm"].iter().any(|ending| path.ends_with(ending));
    let imported = ["/snippets/", "/chunks-"].iter().any(|start| path.starts_with(start));
    path == "/index.html" || (code && (page.contains(path) || imported))
}

fn sum<'file>(files: impl Iterator<Item = &'file Loaded>) -> (u64, u64) {
    files.fold((0, 0), |(bytes, sent), file| (bytes + file.bytes, sent + file.sent_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_names_counts_and_its_pictures_do_not() {
        let page = "<link rel=icon href=/icons/icon.svg><link rel=stylesheet href=/style-1.css><script src=/early.js></script>";
        let check = |path: &str, expected: bool| assert_eq!(is_needed(page, path), expected, "{path}");
        check("/index.html", true);
        check("/style-1.css", true);
        check("/early.js", true);
        check("/snippets/gloo-1/inline0.js", true);
        check("/chunks-0123456789abcdef.js", true);
        check("/chunk-settings-0123456789abcdef.wasm", false);
        check("/icons/icon.svg", false);
        check("/cage.html", false);
    }
}
