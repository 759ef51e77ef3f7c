//! How large a whole export may be that is read.

use crate::bundle::BundleLimits;

/// Bytes of the file that says what an export is.
pub(super) const ABOUT_BYTES: u64 = 4 << 20;

/// What is refused in a whole export because there is too much of it. The defaults are those of the app; tests lower them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeExportLimits {
    /// Entries of the archive.
    pub entries: usize,
    /// Bytes of all entries together.
    pub inflated_bytes: u64,
    /// Bytes of one entry: this much is in memory at once, beside the archive.
    pub entry_bytes: u64,
    /// How many times larger than its packed form an entry may be.
    pub ratio: u64,
    /// Bytes of an entry from which on the ratio counts.
    pub ratio_from: u64,
    /// Rows of all tables together.
    pub rows: usize,
}

impl Default for WholeExportLimits {
    fn default() -> Self {
        Self {
            entries: 500_000,
            inflated_bytes: 16_000_000_000,
            entry_bytes: 1_000_000_000,
            ratio: 200,
            ratio_from: 1 << 20,
            rows: 2_000_000,
        }
    }
}

impl WholeExportLimits {
    /// What of them concerns the archive.
    pub(super) fn of_archive(&self) -> BundleLimits {
        BundleLimits {
            entries: self.entries,
            inflated_bytes: self.inflated_bytes,
            ratio: self.ratio,
            ratio_from: self.ratio_from,
            path_depth: 3,
            ..BundleLimits::default()
        }
    }
}
