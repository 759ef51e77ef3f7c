//! Why an export could not be made, is refused, or could not be taken in.

use crate::bundle::ArchiveError;
use crate::digest::BlobId;
use crate::ids::ChatId;
use crate::record::RowRef;
use crate::store::StoreError;
use crate::workspace::ReadError;

/// Why an export could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// There is no such chat, or it was deleted.
    #[error("there is no chat {0}")]
    NoChat(ChatId),
    /// A clean-up or another tab has changed the files meanwhile.
    #[error("the file {0} was changed while the export was made; export again")]
    Changed(BlobId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PackError {
    /// What reading trees fails with; what is damaged about them is no failure of an export.
    pub(super) fn of_read(error: ReadError) -> Option<Self> {
        match error {
            ReadError::Store(error) => Some(Self::Store(error)),
            ReadError::Workspace(_damaged) => None,
        }
    }
}

/// Why an archive is refused. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The archive itself is refused.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// It is some other ZIP.
    #[error("this is not a Satchel export: it has no satchel-export.json")]
    NotAnExport,
    /// The file that says what it is cannot be read.
    #[error("satchel-export.json cannot be read: {0}")]
    About(String),
    /// A newer version of the app made it.
    #[error(
        "the export has format {found}, and this version of Satchel reads up to {known}; update Satchel and import again"
    )]
    Newer {
        /// Its format.
        found: u64,
        /// The newest that is known.
        known: u64,
    },
    /// It has an entry that has no place in an export.
    #[error("the export has an entry that does not belong in it: {0:?}")]
    UnknownEntry(String),
    /// It has rows of a table that is not known, or that no export of its kind has.
    #[error("the export has rows of a table that does not belong in it: {0:?}")]
    UnknownTable(String),
    /// An entry is too large.
    #[error("the export has an entry of {size} bytes, and the limit is {limit}: {path:?}")]
    EntryTooLarge {
        /// The entry.
        path: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// It has too many rows.
    #[error("the export has more than {limit} rows, in {path:?}")]
    TooManyRows {
        /// Where the limit was met.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// A line of `CHECKSUMS` is none.
    #[error("line {line} of CHECKSUMS is not a SHA-256 and a path in order")]
    Checksums {
        /// Which line.
        line: usize,
    },
    /// An entry is missing that `CHECKSUMS` or the format names.
    #[error("the export lacks an entry: {0:?}")]
    MissingEntry(String),
    /// An entry is not in `CHECKSUMS`.
    #[error("CHECKSUMS does not have the entry {0:?}")]
    Unchecked(String),
    /// The bytes of an entry are not those that were exported.
    #[error("the bytes of {0:?} are not those that CHECKSUMS has; the export is damaged or was changed")]
    WrongChecksum(String),
    /// The bytes of a blob are not those that its name stands for.
    #[error("the bytes of {0:?} do not match its name")]
    WrongBlob(String),
    /// A line is no row.
    #[error("line {line} of {path:?} is refused: {reason}")]
    Row {
        /// The entry.
        path: String,
        /// Which line.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A row names something that is not in the export.
    #[error("{row} names {names}, which is not in the export")]
    Lacks {
        /// The row.
        row: RowRef,
        /// What it names.
        names: String,
    },
    /// The files of a state do not make the tree that it names.
    #[error("{row} claims to be the state {claimed}, and its files are {found}")]
    WrongState {
        /// The row.
        row: RowRef,
        /// What it claims.
        claimed: BlobId,
        /// What the files come to; or why they come to nothing.
        found: String,
    },
    /// The contents of a package do not have its name.
    #[error("{row} claims a hash that its manifest and files do not have; they have {found}")]
    WrongPackage {
        /// The row.
        row: RowRef,
        /// The hash they have.
        found: String,
    },
    /// An export of one chat has none, or several.
    #[error("the export says that it is of one chat, and has {0}")]
    NotOneChat(usize),
}

impl Refusal {
    /// The entry at fault; none where it is the whole.
    #[must_use]
    pub fn entry(&self) -> Option<String> {
        match self {
            Self::Archive(error) => error.path().map(str::to_owned),
            Self::About(_) | Self::Newer { .. } | Self::NotAnExport => Some(super::ABOUT_FILE.into()),
            Self::UnknownEntry(path)
            | Self::UnknownTable(path)
            | Self::EntryTooLarge { path, .. }
            | Self::TooManyRows { path, .. }
            | Self::MissingEntry(path)
            | Self::Unchecked(path)
            | Self::WrongChecksum(path)
            | Self::WrongBlob(path)
            | Self::Row { path, .. } => Some(path.clone()),
            Self::Checksums { .. } => Some(super::layout::CHECKSUMS_FILE.into()),
            Self::Lacks { row, .. } | Self::WrongState { row, .. } | Self::WrongPackage { row, .. } => {
                Some(super::layout::rows_path(row.table))
            }
            Self::NotOneChat(_) => Some(super::layout::rows_path(crate::record::Table::Chats)),
        }
    }
}

/// Why an archive that was found right could not be taken in. No row was written.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// The archive is not what it was when it was opened.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
