//! One folder, as the blob that names its files and folders.
//!
//! The encoding is text, a line an entry, sorted by the bytes of the names:
//!
//! ```text
//! satchel tree 1
//! file {sha256} {size} {name}
//! tree {sha256} {size} {files} {name}
//! ```
//!
//! `size` and `files` of a folder are those of everything in it, so that the limits of a workspace are checked without looking
//! at what did not change. Equal folders have equal bytes: a tree has exactly one encoding, and only that one is read. It is
//! text so that a blob in a hex view can be understood; names have no control characters, so a line is always one entry.

use std::collections::BTreeMap;

use serde::Serialize;

use super::WorkspacePath;
use crate::digest::BlobId;
use crate::store::Blob;

const HEADER: &str = "satchel tree 1\n";

/// No workspace has more files than this, whatever the user's limit: a few small trees can otherwise name each other so
/// often that walking them never ends.
pub(super) const MOST_FILES: u64 = 1_000_000;

/// A folder: its entries by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    entries: BTreeMap<String, Entry>,
    totals: Totals,
}

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file.
    File(FileEntry),
    /// A folder.
    Tree(Folder),
}

/// A file by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// The name of its bytes.
    pub sha256: BlobId,
    /// How many bytes.
    pub size: u64,
}

/// A folder by its content. It is never empty: empty folders are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The name of its tree.
    pub sha256: BlobId,
    /// What is in it, at all depths.
    pub totals: Totals,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes of all files.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
}

/// What is wrong with a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeFault {
    /// It is not stored.
    #[error("it is not stored")]
    Absent,
    /// The bytes are not those that the name stands for.
    #[error("its bytes do not match its name")]
    Altered,
    /// It is not in the form of a tree, or not in the one form that is allowed.
    #[error("line {line} is not an entry of a folder")]
    Spelling {
        /// Which line, from 1.
        line: usize,
    },
    /// A name that no path could contain.
    #[error("line {line} has a name that is not allowed")]
    Name {
        /// Which line, from 1.
        line: usize,
    },
    /// Names are out of order, or one is there twice.
    #[error("line {line} is out of order or a repetition")]
    Order {
        /// Which line, from 1.
        line: usize,
    },
    /// It has more files than any workspace.
    #[error("it claims more than {MOST_FILES} files")]
    TooMany,
    /// It holds more or less than the folder above says.
    #[error("it does not hold what the folder above it says")]
    Totals,
    /// Its place makes the paths in it too long or too deep.
    #[error("the paths in it are too long or too deep")]
    Paths,
}

impl Tree {
    pub(super) const EMPTY: Self = Self { entries: BTreeMap::new(), totals: Totals { bytes: 0, files: 0 } };

    /// Reads a tree from outside. Anything but the one encoding of a proper tree is refused.
    pub fn parse(bytes: &[u8]) -> Result<Self, TreeFault> {
        let text = str::from_utf8(bytes).map_err(|_not_text| TreeFault::Spelling { line: 1 })?;
        let lines = text.strip_prefix(HEADER).ok_or(TreeFault::Spelling { line: 1 })?;
        let mut entries: Vec<(&str, Entry)> = Vec::new();
        for (at, line) in lines.split_inclusive('\n').enumerate() {
            let line_number = at + 2;
            let spelling = TreeFault::Spelling { line: line_number };
            let (name, entry) = line.strip_suffix('\n').and_then(parse_entry).ok_or(spelling)?;
            if name.contains('/') || WorkspacePath::parse(name).is_err() {
                return Err(TreeFault::Name { line: line_number });
            }
            if entries.last().is_some_and(|(last, _)| *last >= name) {
                return Err(TreeFault::Order { line: line_number });
            }
            entries.push((name, entry));
        }
        let totals = totals(entries.iter().map(|(_, entry)| *entry)).ok_or(TreeFault::TooMany)?;
        Ok(Self { entries: entries.into_iter().map(|(name, entry)| (name.to_owned(), entry)).collect(), totals })
    }

    /// The entries, sorted by name.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Entry)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), *entry))
    }

    /// What a name stands for.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Entry> {
        self.entries.get(name).copied()
    }

    /// What is in it, at all depths.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }
}

/// Writes the tree of these entries, or nothing where they are more than any workspace has.
pub(super) fn write(entries: &BTreeMap<&str, Entry>) -> Option<(Folder, Blob)> {
    let totals = totals(entries.values().copied())?;
    let mut text = String::with_capacity(HEADER.len() + entries.len() * 112);
    text.push_str(HEADER);
    for (name, entry) in entries {
        match entry {
            Entry::File(file) => {
                text.push_str("file ");
                push_hex(&mut text, file.sha256);
                text.push_str(&format!(" {} {name}\n", file.size));
            }
            Entry::Tree(folder) => {
                text.push_str("tree ");
                push_hex(&mut text, folder.sha256);
                text.push_str(&format!(" {} {} {name}\n", folder.totals.bytes, folder.totals.files));
            }
        }
    }
    let blob = Blob::new(text.into_bytes());
    Some((Folder { sha256: blob.id(), totals }, blob))
}

/// A big folder is mostly digests, and formatting them digit by digit would take longer than hashing the result.
fn push_hex(text: &mut String, id: BlobId) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in id.as_bytes() {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

fn parse_entry(line: &str) -> Option<(&str, Entry)> {
    let (kind, rest) = line.split_once(' ')?;
    let (sha256, rest) = rest.split_once(' ')?;
    let (size, rest) = rest.split_once(' ')?;
    let (sha256, size) = (BlobId::parse(sha256).ok()?, parse_number(size)?);
    match kind {
        "file" => Some((rest, Entry::File(FileEntry { sha256, size }))),
        "tree" => {
            let (files, name) = rest.split_once(' ')?;
            let files = parse_number(files).filter(|files| *files > 0)?;
            Some((name, Entry::Tree(Folder { sha256, totals: Totals { bytes: size, files } })))
        }
        _ => None,
    }
}

/// Digits without a leading zero or sign: the one spelling of a number.
fn parse_number(digits: &str) -> Option<u64> {
    let canonical = digits == "0" || !digits.starts_with(['0', '+']);
    canonical.then(|| digits.parse().ok()).flatten()
}

fn totals(entries: impl Iterator<Item = Entry>) -> Option<Totals> {
    let mut sum = Totals::default();
    for entry in entries {
        let more = entry.totals();
        sum.bytes = sum.bytes.checked_add(more.bytes)?;
        sum.files = sum.files.checked_add(more.files).filter(|files| *files <= MOST_FILES)?;
    }
    Some(sum)
}

impl Entry {
    /// How much it adds to the folder it is in.
    #[must_use]
    pub fn totals(self) -> Totals {
        match self {
            Self::File(file) => Totals { bytes: file.size, files: 1 },
            Self::Tree(folder) => folder.totals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Folder, Blob) {
        let file = |content: &[u8]| Entry::File(FileEntry { sha256: BlobId::of(content), size: content.len() as u64 });
        let (inner, _) = write(&BTreeMap::from([("c d.txt", file(b"abc"))])).expect("is small");
        write(&BTreeMap::from([("a.txt", file(b"")), ("b", Entry::Tree(inner)), ("é", file(b"abc"))]))
            .expect("is small")
    }

    /// The form in which trees are stored; it may not change, or equal folders would no longer be equal blobs.
    #[test]
    fn the_encoding_is_frozen() {
        let (folder, blob) = sample();
        insta::assert_snapshot!(str::from_utf8(blob.bytes()).expect("is text"), @"
        satchel tree 1
        file e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 a.txt
        tree 5da27014221ed27aff1451821805e47cb46414910df2ee71514e285131a78491 3 1 b
        file ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 3 é
        ");
        insta::assert_snapshot!(folder.sha256, @"befb90fe84042f1c34ce0f79f6e89f66f5f6fefc3e1f92febea54039652a2c29");
        assert_eq!(folder.totals, Totals { bytes: 6, files: 3 });
    }

    #[test]
    fn a_written_tree_reads_back() {
        let (folder, blob) = sample();
        let tree = Tree::parse(blob.bytes()).expect("was written here");
        assert_eq!(tree.totals(), folder.totals);
        assert_eq!(write(&tree.entries().collect()), Some((folder, blob)));
    }

    /// R044: a tree that came from elsewhere cannot name a place outside either.
    #[test]
    fn only_the_canonical_form_is_read() {
        let id = BlobId::of(b"");
        let check = |lines: &str, expected: TreeFault| {
            assert_eq!(Tree::parse(format!("{HEADER}{lines}").as_bytes()), Err(expected), "{lines}");
        };
        assert_eq!(Tree::parse(b""), Err(TreeFault::Spelling { line: 1 }));
        assert_eq!(Tree::parse(b"satchel tree 2\n"), Err(TreeFault::Spelling { line: 1 }));
        assert_eq!(Tree::parse(b"satchel tree 1\n\xff"), Err(TreeFault::Spelling { line: 1 }));
        for line in [
            "\n".to_owned(),
            format!("file {id} 1 a"),
            format!("link {id} 1 a\n"),
            format!("file {id} 01 a\n"),
            format!("file {id} +1 a\n"),
            format!("file {id}  a\n"),
            format!("file {} 1 a\n", id.to_string().to_uppercase()),
            format!("tree {id} 0 0 a\n"),
            format!("tree {id} 1 a\n"),
        ] {
            check(&line, TreeFault::Spelling { line: 2 });
        }
        for name in ["", "..", ".", "a/b", "/a", "a\\b", "a\tb", "a\r"] {
            check(&format!("file {id} 1 {name}\n"), TreeFault::Name { line: 2 });
        }
        for (first, second) in [("a", "a"), ("b", "a")] {
            check(&format!("file {id} 1 {first}\nfile {id} 1 {second}\n"), TreeFault::Order { line: 3 });
        }
        check(&format!("tree {id} 1 1000001 a\n"), TreeFault::TooMany);
        check(&format!("file {id} {} a\nfile {id} 1 b\n", u64::MAX), TreeFault::TooMany);
    }
}
