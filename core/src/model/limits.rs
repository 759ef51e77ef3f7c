//! How much a model may say. Whoever answers is not trusted to stop.

/// The limits of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelLimits {
    /// Bytes of one line of the stream.
    pub line_bytes: usize,
    /// Bytes of one event, of which a line is a part.
    pub event_bytes: usize,
    /// Bytes of an answer that comes in one piece, or of what a provider says about an error.
    pub body_bytes: usize,
    /// Bytes of text, reasoning and arguments that an answer has together.
    pub answer_bytes: usize,
    /// Calls that one answer may ask for.
    pub calls: usize,
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self { line_bytes: 4 << 20, event_bytes: 8 << 20, body_bytes: 16 << 20, answer_bytes: 8 << 20, calls: 128 }
    }
}
