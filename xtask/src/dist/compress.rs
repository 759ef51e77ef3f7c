//! Brotli beside every file that it makes smaller, at the highest quality, made once per content.
//!
//! Node does the work: it is needed anyway, has the original library compiled with full optimisation, and spares every
//! clone the minute it takes to compile one.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::app_build::Pace;
use crate::dist::content_type;
use crate::dist::description::{FileEntry, Part};
use crate::files::{self, AtPath, FileError};
use crate::process;
use crate::project::Project;
use crate::report;

/// Smaller files fit into one packet either way.
const SMALLEST: u64 = 512;
const SCRIPT: &str = include_str!("compress.mjs");

/// Files could not be compressed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompressError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("node could not be asked to compress")]
    Node(#[source] std::io::Error),
    #[error("node could not compress (it says why above)")]
    Failed,
    #[error("the list of files cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// Puts `NAME.br` beside each file that gains by it, and notes its size in the entry. In a quick build that is only done for what
/// stays the same from build to build.
pub(crate) fn all(
    project: &Project,
    pace: Pace,
    folder: &Path,
    entries: &mut [FileEntry],
) -> Result<(), CompressError> {
    let kept = |entry: &FileEntry| {
        // What comes from packages is the same in every clone.
        let cache = match entry.part {
            Part::Lazy | Part::OnDemand => project.cache().compressed(),
            Part::Shell => project.scratch().join("brotli"),
        };
        cache.join(format!("{}.br", entry.sha256))
    };
    let wanted = |entry: &&mut FileEntry| {
        entry.bytes >= SMALLEST
            && content_type::is_compressible(&entry.content_type)
            && (pace == Pace::Small || entry.part != Part::Shell)
    };
    let jobs: Vec<(PathBuf, PathBuf)> = entries
        .iter_mut()
        .filter(wanted)
        .map(|entry| (folder.join(&entry.path[1..]), kept(entry)))
        .filter(|(_, kept)| !kept.is_file())
        .collect();
    if !jobs.is_empty() {
        report::note(&format!("compressing with brotli, files: {}", jobs.len()));
        run_node(&jobs)?;
    }
    for entry in entries.iter_mut().filter(|entry| wanted(entry)) {
        let compressed = kept(entry);
        let bytes = fs::metadata(&compressed).at("look at", &compressed)?.len();
        if bytes < entry.bytes {
            files::copy(&compressed, &folder.join(format!("{}.br", &entry.path[1..])))?;
            entry.br_bytes = Some(bytes);
        }
    }
    Ok(())
}

/// The jobs go in as JSON: `[[from, to], …]`.
fn run_node(jobs: &[(PathBuf, PathBuf)]) -> Result<(), CompressError> {
    let mut node = process::command("node");
    node.args(["--input-type=module", "--eval", SCRIPT]).stdin(Stdio::piped());
    let mut child = node.spawn().map_err(CompressError::Node)?;
    let mut input = child.stdin.take().expect("it was asked for");
    input.write_all(&serde_json::to_vec(jobs)?).map_err(CompressError::Node)?;
    drop(input);
    let status = child.wait().map_err(CompressError::Node)?;
    if status.success() { Ok(()) } else { Err(CompressError::Failed) }
}
