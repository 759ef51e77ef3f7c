//! How long a tool may run, and how much of what it gives is kept.

use std::time::Duration;

use crate::builtin::BuiltinLimits;
use crate::schema::SchemaLimits;
use crate::workspace::WorkspaceLimits;

/// The limits of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// How long every tool may run, if the user has said so.
    pub time: Option<Duration>,
    /// How long a tool may run that does not say.
    pub usual_time: Duration,
    /// How long a tool may ask for.
    pub longest_time: Duration,
    /// Bytes of output that are kept with the call; the rest goes to a file.
    pub output_bytes: u64,
    /// Bytes of the sentence that says why it failed.
    pub message_bytes: usize,
    /// Bytes of a traceback, of which the end is kept.
    pub traceback_bytes: usize,
    /// How many things it may show.
    pub displays: usize,
    /// Bytes of everything it shows.
    pub display_bytes: usize,
    /// Sentences about files that could not be kept.
    pub notes: usize,
    /// Bytes of a result above which it becomes a file (R308).
    pub result_bytes: usize,
    /// Bytes of it that the model is shown then (R308).
    pub preview_bytes: usize,
    /// What its workspace may hold.
    pub workspace: WorkspaceLimits,
    /// What its schemas may cost.
    pub schema: SchemaLimits,
    /// What a built-in tool looks at and tells.
    pub builtin: BuiltinLimits,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            time: None,
            usual_time: Duration::from_secs(60),
            longest_time: Duration::from_secs(600),
            output_bytes: 1 << 20,
            message_bytes: 8 << 10,
            traceback_bytes: 64 << 10,
            displays: 100,
            display_bytes: 32 << 20,
            notes: 20,
            result_bytes: 64 << 10,
            preview_bytes: 2 << 10,
            workspace: WorkspaceLimits::default(),
            schema: SchemaLimits::default(),
            builtin: BuiltinLimits::default(),
        }
    }
}

impl RunLimits {
    /// How long a tool may run that asks for this many seconds: what the user says, else what it says, else the usual.
    #[must_use]
    pub fn time_of(&self, declared_seconds: Option<u32>) -> Duration {
        let declared = declared_seconds.map(|seconds| Duration::from_secs(seconds.into()).min(self.longest_time));
        self.time.or(declared).unwrap_or(self.usual_time)
    }
}

/// The beginning of a text, of at most this many bytes and of whole characters.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The end of a text, likewise.
pub(super) fn end(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R079
    #[test]
    fn the_user_then_the_tool_then_the_usual_time() {
        let limits = RunLimits::default();
        assert_eq!(limits.time_of(None), Duration::from_secs(60));
        assert_eq!(limits.time_of(Some(5)), Duration::from_secs(5));
        assert_eq!(limits.time_of(Some(9_999)), Duration::from_secs(600));
        let set = RunLimits { time: Some(Duration::from_secs(7)), ..limits };
        assert_eq!(set.time_of(Some(5)), Duration::from_secs(7));
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!((beginning("aé", 2), beginning("aé", 3), beginning("aé", 9)), ("a", "aé", "aé"));
        assert_eq!((end("éa", 2), end("éa", 1), end("éa", 9)), ("a", "a", "éa"));
    }
}
