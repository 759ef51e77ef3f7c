//! How large a bundle may be.

/// What is refused in a bundle because there is too much of it. The defaults are those of the app; tests lower them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleLimits {
    /// Entries of an archive, or files of a folder, whatever they are.
    pub entries: usize,
    /// Bytes of all files together. An archive's own word is enough to refuse it, and none of its files becomes larger than that.
    pub inflated_bytes: u64,
    /// How many times larger than its packed form a file may be.
    pub ratio: u64,
    /// The inflated bytes of a file from which on the ratio counts: what is smaller can do no harm.
    pub ratio_from: u64,
    /// Characters of a path.
    pub path_chars: usize,
    /// Names in a path.
    pub path_depth: usize,
    /// Bytes of `toolset.yaml`.
    pub yaml_bytes: usize,
    /// Lists and maps inside one another in `toolset.yaml`.
    pub yaml_depth: usize,
    /// Values of `toolset.yaml` that come from repeating others by alias.
    pub yaml_alias_nodes: usize,
}

impl Default for BundleLimits {
    fn default() -> Self {
        Self {
            entries: 10_000,
            inflated_bytes: 200_000_000,
            ratio: 200,
            ratio_from: 1 << 20,
            path_chars: 240,
            path_depth: 16,
            yaml_bytes: 1 << 20,
            yaml_depth: 64,
            yaml_alias_nodes: 1_000,
        }
    }
}
