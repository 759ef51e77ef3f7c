//! Server-sent events, from bytes that are cut anywhere.
//!
//! As the standard has it, but for the end: an event that the stream ends in the middle of is given out too, because many servers leave
//! out the last blank line. Lines are kept as bytes until they are whole, so that no character is ever cut.

use super::ModelLimits;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerEvent {
    /// Its type; empty where none is said.
    pub(crate) name: String,
    /// Its data, the lines joined.
    pub(crate) data: String,
}

/// More than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Reads events piece by piece.
#[derive(Clone, Debug)]
pub(crate) struct EventParser {
    line: Vec<u8>,
    /// The last byte ended a line and was a CR: a LF now belongs to it.
    after_cr: bool,
    first_line: bool,
    event: ServerEvent,
    has_data: bool,
    line_limit: usize,
    event_limit: usize,
}

impl EventParser {
    /// A parser at the beginning of a stream.
    #[must_use]
    pub(crate) fn new(limits: &ModelLimits) -> Self {
        Self {
            line: Vec::new(),
            after_cr: false,
            first_line: true,
            event: ServerEvent::default(),
            has_data: false,
            line_limit: limits.line_bytes,
            event_limit: limits.event_bytes,
        }
    }

    /// Takes the next bytes and gives the events that are whole with them.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) -> Result<Vec<ServerEvent>, TooLarge> {
        let mut events = Vec::new();
        loop {
            if self.after_cr && !bytes.is_empty() {
                self.after_cr = false;
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else { break };
            self.keep(&bytes[..end])?;
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.line_ends()?);
        }
        self.keep(bytes)?;
        Ok(events)
    }

    /// Ends the stream.
    pub(crate) fn end(mut self) -> Result<Option<ServerEvent>, TooLarge> {
        if !self.line.is_empty()
            && let Some(event) = self.line_ends()?
        {
            return Ok(Some(event));
        }
        Ok(self.dispatch())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + bytes.len() > self.line_limit {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line_ends(&mut self) -> Result<Option<ServerEvent>, TooLarge> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let marked = if std::mem::take(&mut self.first_line) { text.strip_prefix('\u{feff}') } else { None };
        let line = marked.unwrap_or(&text);
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.event.data.len() + value.len() >= self.event_limit {
                    return Err(TooLarge);
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // llama.cpp tells an error under a field of its own.
            "error" => {
                self.has_data = true;
                "error".clone_into(&mut self.event.name);
                value.clone_into(&mut self.event.data);
            }
            "event" => value.clone_into(&mut self.event.name),
            // `id`, `retry`, comments, and fields nobody knows.
            _ => {}
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<ServerEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert_eq, proptest};

    use super::*;

    fn parser() -> EventParser {
        EventParser::new(&ModelLimits { line_bytes: 40, event_bytes: 60, ..ModelLimits::default() })
    }

    fn read(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, TooLarge> {
        let (mut parser, mut events) = (parser(), Vec::new());
        for piece in pieces {
            events.extend(parser.read(piece)?);
        }
        events.extend(parser.end()?);
        Ok(events.into_iter().map(|event| (event.name, event.data)).collect())
    }

    fn check(stream: &str, expected: &[(&str, &str)]) {
        let found = read(&[stream.as_bytes()]).expect("is small");
        let found: Vec<(&str, &str)> = found.iter().map(|(name, data)| (name.as_str(), data.as_str())).collect();
        assert_eq!(found, expected, "{stream:?}");
    }

    #[test]
    fn events_are_read_as_the_standard_has_it() {
        check("data: a\n\ndata:b\n\n", &[("", "a"), ("", "b")]);
        check("data:  a\r\n\r\ndata: b\r\rdata: c\n\n", &[("", " a"), ("", "b"), ("", "c")]);
        check("data: a\ndata: b\ndata\n\n", &[("", "a\nb\n")]);
        check(": a comment\n\n:\n\ndata: a\n: another\n\n", &[("", "a")]);
        check("event: ping\nid: 7\nretry: 10\nfoo: bar\ndata: {}\n\n", &[("ping", "{}")]);
        check("event: lonely\n\ndata: a\n\n", &[("", "a")]);
        check("\u{feff}data: a\n\n", &[("", "a")]);
        check("data:\n\n", &[("", "")]);
        check("", &[]);
    }

    #[test]
    fn a_stream_may_end_without_its_last_blank_line() {
        check("data: a\n", &[("", "a")]);
        check("data: a", &[("", "a")]);
        check("data: a\r", &[("", "a")]);
        check("event: x\n", &[]);
    }

    #[test]
    fn an_error_may_come_as_a_field_of_its_own() {
        check("error: {\"message\":\"x\"}\n\n", &[("error", "{\"message\":\"x\"}")]);
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(read(&[b"data: a\xffb\n\n"]), Ok(vec![(String::new(), "a\u{fffd}b".into())]));
    }

    #[test]
    fn lines_and_events_are_bounded() {
        let long = format!("data: {}", "x".repeat(40));
        assert_eq!(read(&[long.as_bytes()]), Err(TooLarge));
        let many = format!("data: {0}\ndata: {0}\n\n", "x".repeat(30));
        assert_eq!(read(&[many.as_bytes()]), Err(TooLarge));
    }

    proptest! {
        /// Cut anywhere, inside characters and line ends too, it is the same stream.
        #[test]
        fn cuts_change_nothing(cuts in prop::collection::vec(0..200_usize, 0..20)) {
            let stream = "\u{feff}: hi\r\nevent: é\r\ndata: ü😀\rdata: b\r\n\r\ndata: [DONE]\n\nerror: x\r\rdata: end".as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % stream.len()).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[stream]));
        }
    }
}
