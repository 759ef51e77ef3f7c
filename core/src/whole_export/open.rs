//! Reads an export and finds it right as a whole, before anything of it is used. Every entry is inflated and hashed, one at a time.

use std::collections::{BTreeMap, BTreeSet};

use super::closed::{AtHand, bundle_paths, close};
use super::layout::{CHECKSUMS_FILE, Entry, read_checksums};
use super::limits::ABOUT_BYTES;
use super::line::Line;
use super::pack::records;
use super::{ABOUT_FILE, About, Kind, Refusal, WholeExportLimits};
use crate::bundle::archive::Archive;
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::record::{Chat, Message, Table, ToolCall, Toolset, ToolsetMcpServer};
use crate::store::Blob;
use crate::workspace::Rows;

/// An export that was found right.
pub struct Opened {
    pub(super) bytes: Vec<u8>,
    pub(super) limits: WholeExportLimits,
    pub(super) about: About,
    pub(super) rows: Rows,
    /// The trees of its states, made anew.
    pub(super) trees: BTreeMap<BlobId, Blob>,
    /// The blobs in it, and how large they are.
    pub(super) blobs: BTreeMap<BlobId, u64>,
}

/// What is in an export, to be shown before it is taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// What it says of itself.
    pub about: About,
    /// Its chats, the one that was changed last first.
    pub chats: Vec<ChatLine>,
    /// How many messages they have.
    pub messages: usize,
    /// How many calls of tools.
    pub tool_calls: usize,
    /// Its toolsets.
    pub toolsets: Vec<ToolsetLine>,
    /// How many MCP servers those have. They come switched off.
    pub servers: usize,
    /// How many settings it has.
    pub settings: usize,
    /// How many files, of chats and of toolsets.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// A chat of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// Its id.
    pub id: ChatId,
    /// Its title.
    pub title: String,
}

/// A toolset of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsetLine {
    /// Its name.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Opened {
    /// Reads an export. `on_progress` hears how many bytes were checked, of how many.
    pub fn open(
        bytes: Vec<u8>,
        limits: &WholeExportLimits,
        on_progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, Refusal> {
        let mut archive = Archive::open(&bytes, &limits.of_archive())?;
        let about_size = archive.size_of(ABOUT_FILE).ok_or(Refusal::NotAnExport)?;
        if about_size > ABOUT_BYTES {
            return Err(Refusal::EntryTooLarge { path: ABOUT_FILE.into(), size: about_size, limit: ABOUT_BYTES });
        }
        let about_text = archive.take(ABOUT_FILE)?.ok_or(Refusal::NotAnExport)?;
        // Before anything else: what a newer version wrote may be quite different.
        let about = About::read(&about_text)?;
        check_sizes(&archive, limits)?;
        let sums = archive.take(CHECKSUMS_FILE)?.ok_or_else(|| Refusal::MissingEntry(CHECKSUMS_FILE.into()))?;
        let mut sums = read_checksums(&sums)?;
        check_sum(&mut sums, ABOUT_FILE, &about_text)?;

        let total = archive.claimed();
        let mut read =
            Entries { limits, about: &about, lines: Vec::new(), blobs: BTreeMap::new(), bundles: BTreeSet::new() };
        let mut checked = 0;
        while let Some((path, content)) = archive.take_first()? {
            let entry = Entry::at(&path, about.kind)?;
            check_sum(&mut sums, &path, &content)?;
            checked += content.len() as u64;
            read.add(path, entry, &content)?;
            on_progress(checked, total);
        }
        if let Some((path, _)) = sums.pop_first() {
            return Err(Refusal::MissingEntry(path));
        }

        let Entries { lines, blobs, bundles, .. } = read;
        let (rows, trees) = close(lines, &AtHand::new(&blobs, &about.lacks))?;
        let chats = rows.keys().filter(|row| row.table == Table::Chats).count();
        if about.kind == Kind::Chat && chats != 1 {
            return Err(Refusal::NotOneChat(chats));
        }
        if let Some(path) = bundles.difference(&bundle_paths(&rows)).next() {
            return Err(Refusal::UnknownEntry(path.clone()));
        }
        Ok(Self { bytes, limits: limits.clone(), about, rows, trees, blobs })
    }

    /// What is in it.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let mut chats: Vec<Chat> = records(&self.rows);
        chats.sort_by(|one, other| other.modified_at.cmp(&one.modified_at).then_with(|| one.id.cmp(&other.id)));
        let toolsets = records::<Toolset>(&self.rows).into_iter();
        let toolset = |Toolset { id, name, version, .. }| ToolsetLine { id: id.to_string(), name, version };
        Contents {
            about: self.about.clone(),
            chats: chats.into_iter().map(|Chat { id, title, .. }| ChatLine { id, title }).collect(),
            messages: records::<Message>(&self.rows).len(),
            tool_calls: records::<ToolCall>(&self.rows).len(),
            toolsets: toolsets.map(toolset).collect(),
            servers: records::<ToolsetMcpServer>(&self.rows).len(),
            settings: self.rows.keys().filter(|row| row.table == Table::Settings).count(),
            files: self.blobs.len(),
            bytes: self.blobs.values().sum(),
        }
    }
}

/// What was read of the entries.
struct Entries<'a> {
    limits: &'a WholeExportLimits,
    about: &'a About,
    lines: Vec<(Table, Line)>,
    blobs: BTreeMap<BlobId, u64>,
    bundles: BTreeSet<String>,
}

impl Entries<'_> {
    fn add(&mut self, path: String, entry: Entry, content: &[u8]) -> Result<(), Refusal> {
        match entry {
            Entry::Rows(table) => self.add_rows(path, table, content),
            Entry::Blob(id) if BlobId::of(content) == id => {
                self.blobs.insert(id, content.len() as u64);
                Ok(())
            }
            Entry::Blob(_) => Err(Refusal::WrongBlob(path)),
            // Nothing of it is used here; the toolset's rows and files are.
            Entry::Toolset => {
                self.bundles.insert(path);
                Ok(())
            }
        }
    }

    fn add_rows(&mut self, path: String, table: Table, content: &[u8]) -> Result<(), Refusal> {
        debug_assert!(super::layout::tables(self.about.kind).any(|known| known == table), "was looked at before");
        let mut last = None;
        for (at, text) in content.split(|byte| *byte == b'\n').enumerate() {
            if text.is_empty() && at > 0 {
                continue;
            }
            let refused = |reason: String| Refusal::Row { path: path.clone(), line: at + 1, reason };
            let line = Line::read(table, text).map_err(refused)?;
            if last.as_ref().is_some_and(|last| *last >= line.key) {
                return Err(refused("it is not in the order of keys".into()));
            }
            if self.lines.len() >= self.limits.rows {
                return Err(Refusal::TooManyRows { path, limit: self.limits.rows });
            }
            last = Some(line.key.clone());
            self.lines.push((table, line));
        }
        Ok(())
    }
}

fn check_sizes(archive: &Archive<'_>, limits: &WholeExportLimits) -> Result<(), Refusal> {
    for path in archive.paths() {
        let size = archive.size_of(path).unwrap_or_default();
        if size > limits.entry_bytes {
            return Err(Refusal::EntryTooLarge { path: path.to_owned(), size, limit: limits.entry_bytes });
        }
    }
    Ok(())
}

/// Compares an entry with its checksum, and takes that away.
fn check_sum(sums: &mut BTreeMap<String, BlobId>, path: &str, content: &[u8]) -> Result<(), Refusal> {
    let sum = sums.remove(path).ok_or_else(|| Refusal::Unchecked(path.to_owned()))?;
    if sum == BlobId::of(content) { Ok(()) } else { Err(Refusal::WrongChecksum(path.to_owned())) }
}
