//! Server-sent events as they come from an MCP server, none longer than a limit.

use axum::body::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use http_body_util::BodyExt as _;
use sse_stream::{Error as SseError, Sse};

use crate::outbound::Streamed;

/// Why events end before their end.
#[derive(Debug, thiserror::Error)]
pub(super) enum EventStreamError {
    /// One is too large.
    #[error("an event is larger than {0} bytes, the limit of this server")]
    TooLarge(usize),
    /// It is no text.
    #[error("an event is not UTF-8")]
    NotText,
    /// The connection.
    #[error(transparent)]
    Connection(#[from] crate::outbound::StreamedError),
}

/// Reads the lines of a stream into events.
#[derive(Debug)]
struct Parser {
    limit: usize,
    line: Vec<u8>,
    after_return: bool,
    size: usize,
    event: Sse,
    has_field: bool,
}

/// The events of a body.
pub(super) fn events(body: Streamed, limit: usize) -> BoxStream<'static, Result<Sse, SseError>> {
    let parser = Parser::new(limit);
    let read =
        stream::unfold((Some(body), parser, Vec::new().into_iter()), |(mut body, mut parser, mut ready)| async move {
            loop {
                if let Some(event) = ready.next() {
                    return Some((Ok(event), (body, parser, ready)));
                }
                let frame = match body.as_mut()?.frame().await? {
                    Ok(frame) => frame,
                    Err(error) => return Some((Err(boxed(error.into())), (None, parser, ready))),
                };
                let Ok(piece) = frame.into_data() else { continue };
                match parser.feed(&piece) {
                    Ok(events) => ready = events.into_iter(),
                    Err(error) => return Some((Err(boxed(error)), (None, parser, ready))),
                }
            }
        });
    read.boxed()
}

fn boxed(error: EventStreamError) -> SseError {
    SseError::Body(Box::new(error))
}

impl Parser {
    fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), after_return: false, size: 0, event: Sse::default(), has_field: false }
    }

    /// The events that end in a piece.
    fn feed(&mut self, piece: &Bytes) -> Result<Vec<Sse>, EventStreamError> {
        let mut events = Vec::new();
        for byte in piece {
            let after_return = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()?),
                _ => {
                    self.size += 1;
                    if self.size > self.limit {
                        return Err(EventStreamError::TooLarge(self.limit));
                    }
                    self.line.push(*byte);
                }
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Result<Option<Sse>, EventStreamError> {
        let line = String::from_utf8(std::mem::take(&mut self.line)).map_err(|_| EventStreamError::NotText)?;
        if line.is_empty() {
            self.size = 0;
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_field).then_some(event));
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => {
                // A comment; it does not count.
                self.size = self.size.saturating_sub(line.len());
                return Ok(None);
            }
            "event" => self.event.event = Some(value.to_owned()),
            "data" => match &mut self.event.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                none => *none = Some(value.to_owned()),
            },
            "id" => self.event.id = Some(value.to_owned()),
            "retry" => self.event.retry = value.parse().ok(),
            _ => return Ok(None),
        }
        self.has_field = true;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names and the data of events.
    type Read = Vec<(Option<String>, Option<String>)>;

    fn read(pieces: &[&str], limit: usize) -> Result<Read, EventStreamError> {
        let mut parser = Parser::new(limit);
        let mut events = Vec::new();
        for piece in pieces {
            events.extend(parser.feed(&Bytes::copy_from_slice(piece.as_bytes()))?);
        }
        Ok(events.into_iter().map(|event| (event.event, event.data)).collect())
    }

    #[test]
    fn events_are_read_wherever_the_pieces_end() {
        let text = ": hello\r\nevent: endpoint\r\ndata: /a\r\n\r\n:\n\ndata:b\ndata: c\n\nid: 1\r\rdata: left over";
        let some = |text: &str| Some(text.to_owned());
        let expected = vec![(some("endpoint"), some("/a")), (None, some("b\nc")), (None, None)];
        assert_eq!(read(&[text], 100).expect("reads"), expected);
        let bytes: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(read(&bytes.iter().map(String::as_str).collect::<Vec<_>>(), 100).expect("reads"), expected);
    }

    #[test]
    fn an_event_over_the_limit_ends_the_stream() {
        let comments = ": a comment that keeps the line\n".repeat(10);
        assert!(read(&[&comments, "data: small\n\n"], 40).is_ok(), "comments do not count");
        let long = format!("data: {}\n", "x".repeat(30)).repeat(2);
        assert!(matches!(read(&[&long], 40), Err(EventStreamError::TooLarge(40))));
    }
}
