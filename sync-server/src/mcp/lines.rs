//! Messages on a pipe: one to a line, none longer than a limit.
//!
//! A line that is longer is not kept. It is still read to its end, so that the messages behind it are not lost, and if it was the answer
//! to a request, its id is told: whoever waits for it learns that it was too long.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::message_id::MessageId;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// What was read.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// A line over the limit; the id, when it was an answer.
    TooLong(Option<serde_json::Value>),
}

/// Reads lines. It may be left in the middle of a line and asked again.
#[derive(Debug)]
pub(super) struct Lines<R> {
    from: R,
    limit: usize,
    /// What was read and not looked at yet.
    chunk: Vec<u8>,
    /// The line so far.
    line: Vec<u8>,
    /// What is known of a line that is over the limit.
    skipped: Option<MessageId>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(from: R, limit: usize) -> Self {
        Self { from, limit, chunk: Vec::with_capacity(CHUNK), line: Vec::new(), skipped: None }
    }

    /// The next line; none at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.take() {
                return Ok(Some(line));
            }
            self.chunk.reserve(CHUNK);
            if self.from.read_buf(&mut self.chunk).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// A line out of what was read.
    fn take(&mut self) -> Option<Line> {
        let end = self.chunk.iter().position(|byte| *byte == b'\n');
        let taken = self.chunk.drain(..end.map_or(self.chunk.len(), |end| end + 1));
        match &mut self.skipped {
            Some(skipped) => skipped.feed(taken.as_slice()),
            None => self.line.extend_from_slice(taken.as_slice()),
        }
        drop(taken);
        if self.skipped.is_none() && self.line.len() > self.limit {
            let mut skipped = MessageId::default();
            skipped.feed(&std::mem::take(&mut self.line));
            self.skipped = Some(skipped);
        }
        end?;
        if let Some(skipped) = self.skipped.take() {
            return Some(Line::TooLong(skipped.answer_to()));
        }
        let mut line = std::mem::take(&mut self.line);
        while line.last().is_some_and(u8::is_ascii_whitespace) {
            line.pop();
        }
        Some(Line::Whole(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn read(text: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, limit);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.expect("reads") {
            read.push(line);
        }
        read
    }

    #[tokio::test]
    async fn lines_are_read_one_by_one() {
        let whole = |text: &str| Line::Whole(text.into());
        assert_eq!(read(b"{}\r\n\n[1]\nrest", 100).await, [whole("{}"), whole(""), whole("[1]")]);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_skipped_and_its_id_is_told() {
        let long = "x".repeat(1000);
        let text = format!("{{\"id\":7,\"result\":\"{long}\"}}\n{{}}\n{{\"method\":\"{long}\",\"id\":8}}\n{{}}\n");
        let expected = [
            Line::TooLong(Some(json!(7))),
            Line::Whole(b"{}".to_vec()),
            Line::TooLong(None),
            Line::Whole(b"{}".to_vec()),
        ];
        assert_eq!(read(text.as_bytes(), 100).await, expected);
    }
}
