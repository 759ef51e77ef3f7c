//! How much a built-in tool looks at, and how much it tells.

/// The limits of one call of a built-in tool. What is cut off by one of them is said in the result, with how to get the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinLimits {
    /// Bytes of a text that one answer tells. Below what would become a file (R308).
    pub told_bytes: usize,
    /// Bytes of one line that is told.
    pub line_bytes: usize,
    /// Entries of a list, where the call does not say.
    pub usual_entries: usize,
    /// Entries of a list at most.
    pub most_entries: usize,
    /// Bytes of a text that is edited, patched, queried or read by lines.
    pub text_bytes: u64,
    /// Bytes of a binary file that are told, in hexadecimal.
    pub hex_bytes: usize,
    /// Bytes of all files that one search looks at.
    pub searched_bytes: u64,
    /// Milliseconds that one search may take.
    pub search_millis: u64,
    /// Bytes of a pattern, a glob or a query.
    pub pattern_bytes: usize,
    /// Steps of a query. A step is a look at one value.
    pub query_steps: u64,
    /// Places that an error names.
    pub named_places: usize,
}

impl Default for BuiltinLimits {
    fn default() -> Self {
        Self {
            told_bytes: 40_000,
            line_bytes: 2_000,
            usual_entries: 200,
            most_entries: 2_000,
            text_bytes: 16 << 20,
            hex_bytes: 256,
            searched_bytes: 256 << 20,
            search_millis: 20_000,
            pattern_bytes: 1_000,
            query_steps: 2_000_000,
            named_places: 10,
        }
    }
}
