//! ZIP archives: reading those of strangers, writing our own ([`Writer`]). Nothing else uses `zip`.
//!
//! Nothing an archive says about itself is believed. The directory is looked at whole before the first byte is inflated: names,
//! kinds, methods, sizes, and that no two entries share bytes. Then what comes out is counted while it comes out, and more than was
//! said is refused there. So a refusal costs little, whatever the archive would have become. Every refusal has its own variant and is named after the attack or the damage it meets.

#[cfg(test)]
mod tests;
mod writer;

pub use writer::{Writer, write};

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use zip::read::{ArchiveOffset, Config, ZipFileEntry};
use zip::unstable::read::ZipIterable;
use zip::{CompressionMethod, ZipReadOptions};

use super::paths::{self, Neighbours, PathError};
use super::{BundleLimits, Files};

/// Why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is no ZIP, was cut off, or contradicts itself.
    #[error("the archive is damaged, or is not a ZIP")]
    Damaged(#[source] zip::result::ZipError),
    /// It has too many entries; told by its directory before anything is kept.
    #[error("the archive has {count} entries, and the limit is {limit}")]
    TooManyEntries {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A path is refused.
    #[error("the archive has {0}")]
    Path(PathError),
    /// An entry is encrypted.
    #[error("the archive has an encrypted file, which cannot be read: {0:?}")]
    Encrypted(String),
    /// An entry is a link, which on extraction could point anywhere.
    #[error("the archive has a symbolic link: {0:?}")]
    Symlink(String),
    /// An entry is a device, a pipe or the like.
    #[error("the archive has an entry that is neither a file nor a folder: {0:?}")]
    SpecialFile(String),
    /// An entry is packed in a way other than stored or deflated.
    #[error(
        "the archive has a file packed by the method {method}, and only \"stored\" and \"deflate\" are read: {path:?}"
    )]
    Method {
        /// The entry.
        path: String,
        /// Its method.
        method: String,
    },
    /// Two entries share bytes, so that a small archive inflates to a huge one.
    #[error("the archive has files that overlap: {0:?}")]
    Overlap(String),
    /// The files are too large together.
    #[error("the archive inflates to more than {limit} bytes")]
    TooLarge {
        /// How large they may be.
        limit: u64,
    },
    /// A file is packed so well that it can only be a bomb.
    #[error("the archive has a file that inflates to more than {limit} times its packed size: {path:?}")]
    Ratio {
        /// The entry.
        path: String,
        /// How many times larger it may be.
        limit: u64,
    },
    /// The bytes of an entry do not inflate, are fewer or more than the directory says, or do not have the checksum they should have.
    #[error("the archive has a damaged file: {path:?}")]
    DamagedFile {
        /// The entry.
        path: String,
        /// What was found.
        #[source]
        source: std::io::Error,
    },
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<PathError> for ArchiveError {
    fn from(error: PathError) -> Self {
        Self::Path(error)
    }
}

impl ArchiveError {
    /// The entry at fault; none where it is the archive as a whole.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Damaged(_) | Self::TooManyEntries { .. } | Self::TooLarge { .. } => None,
            Self::Path(error) => Some(error.path()),
            Self::Encrypted(path)
            | Self::Symlink(path)
            | Self::SpecialFile(path)
            | Self::Method { path, .. }
            | Self::Overlap(path)
            | Self::Ratio { path, .. }
            | Self::DamagedFile { path, .. } => Some(path),
        }
    }
}

/// Whether these bytes begin as a ZIP does.
#[must_use]
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// An archive whose directory was found right. Its files are inflated one at a time, so that no more than one need be in memory.
pub struct Archive<'b> {
    bytes: &'b [u8],
    files: BTreeMap<String, ZipFileEntry<'static>>,
    left_out: Vec<String>,
    claimed: u64,
}

impl<'b> Archive<'b> {
    /// Looks at the directory. Folders are only checked: a folder is where files are.
    pub fn open(bytes: &'b [u8], limits: &BundleLimits) -> Result<Self, ArchiveError> {
        let known = Config { archive_offset: ArchiveOffset::Known(0) };
        let mut archive = ZipIterable::try_new(Cursor::new(bytes), known).map_err(ArchiveError::Damaged)?;
        if archive.len() > limits.entries {
            return Err(ArchiveError::TooManyEntries { count: archive.len(), limit: limits.entries });
        }

        // Local headers that tell another story than the directory ("zip cloaking") are damage.
        archive = archive.enforce_header_consistency(true);
        let mut entries = Vec::new();
        let mut neighbours = Neighbours::default();
        for entry in archive.files().map_err(ArchiveError::Damaged)? {
            let entry = entry.map_err(ArchiveError::Damaged)?;
            let path = checked_path(&entry, limits)?;
            if !paths::is_left_behind(&path) {
                neighbours.add(&path)?;
            }
            entries.push((path, entry));
        }
        check_overlap(bytes, &entries)?;
        check_claims(&entries, limits)?;

        let claimed = entries.iter().fold(0_u64, |sum, (_, entry)| sum.saturating_add(entry.size()));
        let mut archive = Self { bytes, files: BTreeMap::new(), left_out: Vec::new(), claimed };
        for (path, entry) in entries {
            if paths::is_left_behind(&path) {
                archive.left_out.push(path);
            } else if !path.ends_with('/') {
                archive.files.insert(path, entry);
            }
        }
        Ok(archive)
    }

    /// The paths of the files that were not taken yet, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// How large a file is that was not taken yet, by the archive's own word; it does not become larger than that.
    #[must_use]
    pub fn size_of(&self, path: &str) -> Option<u64> {
        self.files.get(path).map(ZipFileEntry::size)
    }

    /// How many bytes all files have, by the archive's own word.
    #[must_use]
    pub fn claimed(&self) -> u64 {
        self.claimed
    }

    /// Inflates one file, once; nothing where there is none.
    pub fn take(&mut self, path: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        self.files.remove(path).map(|entry| inflate(self.bytes, path, entry)).transpose()
    }

    /// Inflates the file that is first of those that were not taken yet.
    pub fn take_first(&mut self) -> Result<Option<(String, Vec<u8>)>, ArchiveError> {
        let Some((path, entry)) = self.files.pop_first() else { return Ok(None) };
        let content = inflate(self.bytes, &path, entry)?;
        Ok(Some((path, content)))
    }
}

/// Reads all files of an archive. `on_progress` hears how many bytes were inflated, of how many the archive claims to have.
pub fn read(bytes: &[u8], limits: &BundleLimits, on_progress: &mut dyn FnMut(u64, u64)) -> Result<Files, ArchiveError> {
    let mut archive = Archive::open(bytes, limits)?;
    let mut files = Files { left_out: std::mem::take(&mut archive.left_out), ..Files::default() };
    let mut inflated = 0;
    while let Some((path, content)) = archive.take_first()? {
        inflated += content.len() as u64;
        files.by_path.insert(path, content);
        on_progress(inflated, archive.claimed());
    }
    Ok(files)
}

/// Reads one file of an archive, the first whose path is wanted; nothing else of it is inflated or looked at. Nothing comes back where
/// there is none.
pub fn read_one(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool, limit: u64) -> Result<Option<Vec<u8>>, ArchiveError> {
    let known = Config { archive_offset: ArchiveOffset::Known(0) };
    let archive = ZipIterable::try_new(Cursor::new(bytes), known).map_err(ArchiveError::Damaged)?;
    let mut archive = archive.enforce_header_consistency(true);
    for entry in archive.files().map_err(ArchiveError::Damaged)? {
        let entry = entry.map_err(ArchiveError::Damaged)?;
        let Ok(path) = std::str::from_utf8(entry.name_raw()) else { continue };
        if !is_wanted(path) {
            continue;
        }
        let path = checked_path(&entry, &BundleLimits::default())?;
        if entry.size() > limit {
            return Err(ArchiveError::TooLarge { limit });
        }
        return inflate(bytes, &path, entry).map(Some);
    }
    Ok(None)
}

/// Everything that can be refused by the directory alone.
fn checked_path(entry: &ZipFileEntry<'_>, limits: &BundleLimits) -> Result<String, ArchiveError> {
    let path = std::str::from_utf8(entry.name_raw()).map_err(|_not_text| {
        PathError::NotText(String::from_utf8_lossy(entry.name_raw()).chars().take(120).collect())
    })?;
    paths::check(path, limits)?;
    let path = path.to_owned();
    if entry.encrypted() {
        return Err(ArchiveError::Encrypted(path));
    }
    match entry.unix_mode().map_or(0, |mode| mode & 0o170_000) {
        0 | 0o100_000 | 0o040_000 => {}
        0o120_000 => return Err(ArchiveError::Symlink(path)),
        _ => return Err(ArchiveError::SpecialFile(path)),
    }
    match entry.compression() {
        CompressionMethod::Stored | CompressionMethod::Deflated => Ok(path),
        other => Err(ArchiveError::Method { path, method: other.to_string() }),
    }
}

/// Refuses entries that share bytes with one another or with the directory.
fn check_overlap(bytes: &[u8], entries: &[(String, ZipFileEntry<'_>)]) -> Result<(), ArchiveError> {
    let mut extents: Vec<(u64, u64, &str)> = Vec::with_capacity(entries.len());
    for (path, entry) in entries {
        // The header was found consistent, so it is there: 30 bytes, with the lengths of name and extra data at the end.
        let start = entry.header_start();
        let length_at = |offset: usize| {
            let at = usize::try_from(start).ok()?.checked_add(offset)?;
            Some(u64::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
        };
        let end = (length_at(26).zip(length_at(28)))
            .and_then(|(name, extra)| start.checked_add(30 + name + extra)?.checked_add(entry.compressed_size()))
            .ok_or_else(|| ArchiveError::Overlap(path.clone()))?;
        extents.push((start, end, path));
    }
    extents.sort_unstable();
    let directory = entries.iter().map(|(_, entry)| entry.central_header_start()).min().unwrap_or_default();
    for (at, (_, end, path)) in extents.iter().enumerate() {
        let limit = extents.get(at + 1).map_or(directory, |(next, _, _)| *next);
        if *end > limit {
            return Err(ArchiveError::Overlap((*path).to_owned()));
        }
    }
    Ok(())
}

/// Refuses what is too large or too well packed by its own word, before it costs time or memory. To say less than the truth is of no
/// use: [`inflate`] stops at what was said.
fn check_claims(entries: &[(String, ZipFileEntry<'_>)], limits: &BundleLimits) -> Result<(), ArchiveError> {
    let mut budget = limits.inflated_bytes;
    for (path, entry) in entries.iter().filter(|(path, _)| !paths::is_left_behind(path)) {
        if entry.size() > limits.ratio_from && entry.size() / entry.compressed_size().max(1) > limits.ratio {
            return Err(ArchiveError::Ratio { path: path.clone(), limit: limits.ratio });
        }
        budget = budget.checked_sub(entry.size()).ok_or(ArchiveError::TooLarge { limit: limits.inflated_bytes })?;
    }
    Ok(())
}

fn inflate(bytes: &[u8], path: &str, entry: ZipFileEntry<'_>) -> Result<Vec<u8>, ArchiveError> {
    let claimed = entry.size();
    let mut reader = Cursor::new(bytes);
    let mut file = entry.with_reader(&mut reader, ZipReadOptions::new()).map_err(ArchiveError::Damaged)?;
    let mut content = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let damaged = |source| ArchiveError::DamagedFile { path: path.to_owned(), source };
        let count = file.read(&mut piece).map_err(damaged)?;
        if count == 0 {
            return Ok(content);
        }
        if (content.len() + count) as u64 > claimed {
            return Err(damaged(std::io::Error::other("it is larger than the archive says")));
        }
        content.extend_from_slice(&piece[..count]);
    }
}
