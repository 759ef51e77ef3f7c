//! The files that a cage needs to become Python, read once and checked against the digests of this build.

use std::cell::RefCell;

use satchel_core::python::FileSpan;

use crate::browser::build::{self, BuildError, BuildFile};
use crate::browser::core_worker::scope;
use crate::browser::raw_bytes::{Packer, RawBytes};

/// Where they are, below the root of the app: Python itself, and the cage's own code.
const FOLDERS: [&str; 2] = ["/vendor/pyodide-", "/vendor/cage-"];

/// Why Python cannot be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum RuntimeError {
    #[error("this build of the app came without its Python runtime")]
    Absent,
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Files, and their contents one after the other.
#[derive(Clone)]
pub(super) struct Packed {
    /// Which.
    pub(super) files: Vec<FileSpan>,
    /// Their contents.
    pub(super) bytes: RawBytes,
}

thread_local! {
    static RUNTIME: RefCell<Option<Packed>> = const { RefCell::new(None) };
}

/// A copy of the runtime, to be given away.
pub(super) async fn runtime() -> Result<Packed, RuntimeError> {
    let kept = match RUNTIME.with_borrow(Clone::clone) {
        Some(kept) => kept,
        None => {
            let read = read().await?;
            RUNTIME.set(Some(read.clone()));
            read
        }
    };
    Ok(Packed { files: kept.files, bytes: kept.bytes.copied() })
}

async fn read() -> Result<Packed, RuntimeError> {
    let listed = build::files_below(&scope::build(), &FOLDERS).await?;
    if !FOLDERS.iter().all(|folder| listed.iter().any(|file| file.path.starts_with(folder))) {
        return Err(RuntimeError::Absent);
    }
    let contents = futures_util::future::try_join_all(listed.iter().map(BuildFile::raw_bytes)).await?;
    let mut packer = Packer::with_length(contents.iter().map(RawBytes::len).sum());
    let mut files = Vec::with_capacity(listed.len());
    for (file, bytes) in listed.iter().zip(&contents) {
        files.push(FileSpan { path: file.name().into(), size: bytes.len() as u64 });
        packer.add(bytes);
    }
    Ok(Packed { files, bytes: packer.finish() })
}
