//! Where the bytes of the app come from: the program itself, or a folder.
//!
//! Bytes are sent in pieces, so that a large file costs no more memory than a small one.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use axum::body::{Body, Bytes};
use brotli_decompressor::Decompressor;
use futures_util::stream;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

use super::description::FileEntry;

/// Size of a piece.
const PIECE_BYTES: usize = 64 * 1024;

/// One file inside the program.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedFile {
    /// Its path, with the first slash.
    pub path: &'static str,
    /// Whether `bytes` are compressed with brotli; then there is no other copy.
    pub brotli: bool,
    /// What is in it.
    pub bytes: &'static [u8],
}

/// Where the bytes are.
#[derive(Debug)]
pub(super) enum Source {
    /// Inside the program, sorted by path.
    Embedded(&'static [EmbeddedFile]),
    /// In a folder, where a compressed copy lies beside the file with `.br` at the end.
    Folder(PathBuf),
}

/// How bytes are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As they are.
    Identity,
    /// Compressed.
    Brotli,
}

impl Source {
    /// Whether a file that the description names is here, as it says.
    pub(super) fn holds(&self, path: &str, entry: &FileEntry) -> bool {
        match self {
            Self::Embedded(files) => find(files, path).is_some_and(|file| {
                let expected = if file.brotli { entry.brotli_bytes } else { Some(entry.bytes) };
                expected == u64::try_from(file.bytes.len()).ok()
            }),
            Self::Folder(folder) => {
                let size = |encoding| std::fs::metadata(place(folder, path, encoding)).map(|found| found.len()).ok();
                let compressed = entry.brotli_bytes;
                size(Encoding::Identity) == Some(entry.bytes)
                    && (compressed.is_none() || compressed == size(Encoding::Brotli))
            }
        }
    }

    /// The bytes of a file, `length` of them; `Encoding::Brotli` only for one that has a compressed copy. A file of a folder
    /// that was built anew since the start no longer fits the description, and is refused rather than sent in part.
    pub(super) async fn open(&self, path: &str, encoding: Encoding, length: u64) -> io::Result<Body> {
        match self {
            Self::Embedded(files) => {
                let file = find(files, path).ok_or(io::ErrorKind::NotFound)?;
                Ok(match (file.brotli, encoding) {
                    (true, Encoding::Identity) => decompressed(file.bytes),
                    (true, Encoding::Brotli) | (false, Encoding::Identity) => {
                        Body::from(Bytes::from_static(file.bytes))
                    }
                    (false, Encoding::Brotli) => return Err(io::ErrorKind::NotFound.into()),
                })
            }
            Self::Folder(folder) => {
                let file = File::open(place(folder, path, encoding)).await?;
                if file.metadata().await?.len() == length {
                    Ok(pieces(file))
                } else {
                    Err(io::Error::other("the app was rebuilt since the server started; restart it"))
                }
            }
        }
    }
}

fn find(files: &'static [EmbeddedFile], path: &str) -> Option<&'static EmbeddedFile> {
    files.binary_search_by_key(&path, |file| file.path).ok().and_then(|index| files.get(index))
}

/// The description has no path that climbs out of the folder.
fn place(folder: &Path, path: &str, encoding: Encoding) -> PathBuf {
    let relative = path.trim_start_matches('/');
    match encoding {
        Encoding::Identity => folder.join(relative),
        Encoding::Brotli => folder.join(format!("{relative}.br")),
    }
}

fn pieces(file: File) -> Body {
    Body::from_stream(stream::try_unfold(file, |mut file| async move {
        let mut piece = vec![0; PIECE_BYTES];
        let read = file.read(&mut piece).await?;
        piece.truncate(read);
        Ok::<_, io::Error>((read > 0).then(|| (Bytes::from(piece), file)))
    }))
}

/// A piece takes well under a millisecond, so this needs no thread of its own.
fn decompressed(compressed: &'static [u8]) -> Body {
    let decompressor = Box::new(Decompressor::new(compressed, PIECE_BYTES));
    Body::from_stream(stream::try_unfold(decompressor, |mut decompressor| async move {
        let mut piece = vec![0; PIECE_BYTES];
        let read = decompressor.read(&mut piece)?;
        piece.truncate(read);
        Ok::<_, io::Error>((read > 0).then(|| (Bytes::from(piece), decompressor)))
    }))
}
