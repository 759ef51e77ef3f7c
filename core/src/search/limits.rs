//! How much is read, kept and shown.

/// How much is read into memory. What lies beyond is found by its name alone, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Bytes of one message.
    pub message_bytes: usize,
    /// Bytes of a file whose contents are looked into.
    pub content_bytes: u64,
    /// Bytes of all such files together.
    pub contents_bytes: u64,
    /// Files, by their paths.
    pub files: usize,
}

/// How much of each kind is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wanted {
    /// Chats.
    pub chats: usize,
    /// Messages.
    pub messages: usize,
    /// Files.
    pub files: usize,
    /// Tools.
    pub tools: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { message_bytes: 256 << 10, content_bytes: 128 << 10, contents_bytes: 16 << 20, files: 50_000 }
    }
}

impl Wanted {
    /// More than this of a kind is never given: who looks for another types more.
    pub const MOST: usize = 100;

    /// As much of each as fits on a screen.
    #[must_use]
    pub fn few() -> Self {
        Self { chats: 4, messages: 8, files: 5, tools: 4 }
    }
}
