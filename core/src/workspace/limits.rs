//! How much a workspace may hold.

use super::{FileEntry, Totals, WorkspacePath};

/// The limits of one workspace; the defaults are those of FORMATS, the user may set others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkspaceLimits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files.
    pub workspace_bytes: u64,
    /// Number of files.
    pub files: u64,
}

impl Default for WorkspaceLimits {
    fn default() -> Self {
        Self { file_bytes: 100_000_000, workspace_bytes: 1_000_000_000, files: 20_000 }
    }
}

/// Which limit was met, and what to do (R324).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// One file is too large.
    #[error(
        "\"{path}\" has {size} bytes and a file may have {limit}; leave it out or raise \"size of a file\" in Settings"
    )]
    FileBytes {
        /// The file.
        path: WorkspacePath,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// All files together are too large.
    #[error(
        "the workspace would have {size} bytes and may have {limit}; delete files or raise \"size of a workspace\" in Settings"
    )]
    WorkspaceBytes {
        /// The size it would have.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// There are too many files.
    #[error(
        "the workspace would have {files} files and may have {limit}; delete files or raise \"files of a workspace\" in Settings"
    )]
    Files {
        /// The number it would have.
        files: u64,
        /// The limit.
        limit: u64,
    },
}

impl WorkspaceLimits {
    /// Whether a file may be put in a workspace. It can be asked before the bytes are read.
    pub fn check_file(&self, path: &WorkspacePath, file: FileEntry) -> Result<(), LimitError> {
        if file.size > self.file_bytes {
            return Err(LimitError::FileBytes { path: path.clone(), size: file.size, limit: self.file_bytes });
        }
        Ok(())
    }

    /// Whether a workspace may go from one size to another. What is over a limit already, because the limit was
    /// lowered, may still shrink.
    pub fn check_totals(&self, before: Totals, after: Totals) -> Result<(), LimitError> {
        if after.bytes > self.workspace_bytes.max(before.bytes) {
            return Err(LimitError::WorkspaceBytes { size: after.bytes, limit: self.workspace_bytes });
        }
        if after.files > self.files.max(before.files) {
            return Err(LimitError::Files { files: after.files, limit: self.files });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::BlobId;

    /// R324
    #[test]
    fn meeting_a_limit_says_which_and_what_to_do() {
        let limits = WorkspaceLimits::default();
        let check = |result: Result<(), LimitError>, expected: &str| {
            assert_eq!(result.expect_err("is refused").to_string(), expected);
        };
        let path = WorkspacePath::parse("big.bin").expect("is a path");
        let file = |size| FileEntry { sha256: BlobId::of(b""), size };
        let totals = |bytes, files| Totals { bytes, files };
        assert_eq!(limits.check_file(&path, file(100_000_000)), Ok(()));
        check(
            limits.check_file(&path, file(100_000_001)),
            "\"big.bin\" has 100000001 bytes and a file may have 100000000; leave it out or raise \"size of a file\" in Settings",
        );
        assert_eq!(limits.check_totals(totals(0, 0), totals(1_000_000_000, 20_000)), Ok(()));
        check(
            limits.check_totals(totals(0, 0), totals(1_000_000_001, 1)),
            "the workspace would have 1000000001 bytes and may have 1000000000; delete files or raise \"size of a workspace\" in Settings",
        );
        check(
            limits.check_totals(totals(0, 20_000), totals(0, 20_001)),
            "the workspace would have 20001 files and may have 20000; delete files or raise \"files of a workspace\" in Settings",
        );
    }

    /// R324: a lowered limit does not lock the user in.
    #[test]
    fn what_is_over_a_limit_may_shrink() {
        let limits = WorkspaceLimits { files: 1, workspace_bytes: 1, ..WorkspaceLimits::default() };
        let totals = |bytes, files| Totals { bytes, files };
        assert_eq!(limits.check_totals(totals(9, 9), totals(8, 8)), Ok(()));
        assert!(limits.check_totals(totals(9, 9), totals(9, 10)).is_err());
    }
}
