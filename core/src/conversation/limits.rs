//! How large the parts of a chat may be, and how long a deletion can be undone.

/// The limits of chats (R324).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationLimits {
    /// Bytes of text in one message.
    pub message_bytes: usize,
    /// Characters of a title.
    pub title_characters: usize,
    /// For how many milliseconds a deleted chat can be brought back.
    pub undo_millis: u64,
}

impl Default for ConversationLimits {
    fn default() -> Self {
        Self { message_bytes: 1_000_000, title_characters: 200, undo_millis: 48 * 60 * 60 * 1_000 }
    }
}
