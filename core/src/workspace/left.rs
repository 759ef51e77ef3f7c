//! What a call left, beside what has become of the file since.

use super::FileEntry;
use crate::digest::BlobId;

/// How the file that a call left stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It is still that.
    Same(FileEntry),
    /// It is still that, and too large to be edited beside the call.
    TooLarge(FileEntry),
    /// It has become this.
    Changed(FileEntry),
    /// There is no such file any more.
    Gone,
}

/// A text larger than this is only shown beside its call, and edited in the pane of files: what stands in the editor there is handed on with
/// every letter.
const EDITED_BESIDE_CALL: u64 = 2_000_000;

impl Left {
    /// Compares what a call left with the file of now.
    #[must_use]
    pub fn of(left: BlobId, now: Option<FileEntry>) -> Self {
        match now {
            None => Self::Gone,
            Some(now) if now.sha256 != left => Self::Changed(now),
            Some(now) if Self::may_be_edited(now) => Self::Same(now),
            Some(now) => Self::TooLarge(now),
        }
    }

    /// Whether a file is small enough to be edited beside a call.
    #[must_use]
    pub fn may_be_edited(file: FileEntry) -> bool {
        file.size <= EDITED_BESIDE_CALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R214
    #[test]
    fn only_what_is_still_the_same_is_edited_at_once() {
        let (left, other) = (BlobId::of(b"left"), BlobId::of(b"other"));
        let file = |sha256, size| FileEntry { sha256, size };
        let check = |now, expected| assert_eq!(Left::of(left, now), expected);
        check(None, Left::Gone);
        check(Some(file(left, 4)), Left::Same(file(left, 4)));
        check(Some(file(left, 2_000_000)), Left::Same(file(left, 2_000_000)));
        check(Some(file(left, 2_000_001)), Left::TooLarge(file(left, 2_000_001)));
        check(Some(file(other, 5)), Left::Changed(file(other, 5)));
        check(Some(file(other, 2_000_001)), Left::Changed(file(other, 2_000_001)));
    }
}
