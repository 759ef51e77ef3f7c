//! How large a plan may become.

/// What a render plan may cost. A short declaration can name a large result many times over, and a page many files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderLimits {
    /// How many bytes the values put in for expressions may take together, about as JSON.
    pub resolved_bytes: usize,
    /// How many files a page may come with.
    pub page_files: usize,
    /// How many bytes of those are searched for the names of others.
    pub searched_bytes: usize,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self { resolved_bytes: 8 * 1024 * 1024, page_files: 500, searched_bytes: 8 * 1024 * 1024 }
    }
}
