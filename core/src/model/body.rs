//! The bytes of an answer: a stream of events, or, where a server does not stream or refuses, one piece of JSON.

use serde_json::Value;

use super::events::{EventParser, ServerEvent, TooLarge};
use super::{Delta, Finish, ModelError, ModelLimits, Said, anthropic, openai};
use crate::protocol::ProviderFormat;

/// Reads an answer piece by piece, whatever its format.
#[derive(Clone, Debug)]
pub struct StreamReader {
    body: Body,
    wire: Wire,
    limits: ModelLimits,
    /// Whether anything of an answer came, and whether its end was told.
    told: Told,
}

#[derive(Clone, Debug)]
enum Body {
    /// Nothing but blanks so far.
    Unknown,
    Events(EventParser),
    Whole(Vec<u8>),
}

#[derive(Clone, Debug)]
enum Wire {
    OpenAi(openai::Reader),
    Anthropic(anthropic::Reader),
}

#[derive(Clone, Copy, Debug, Default)]
struct Told {
    finish: bool,
    over: bool,
}

/// Whether more is to come after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    More,
    Over,
}

impl StreamReader {
    /// A reader at the beginning of an answer.
    #[must_use]
    pub fn new(format: ProviderFormat, limits: ModelLimits) -> Self {
        let wire = match format {
            ProviderFormat::OpenAi => Wire::OpenAi(openai::Reader::default()),
            ProviderFormat::Anthropic => Wire::Anthropic(anthropic::Reader::default()),
        };
        Self { body: Body::Unknown, wire, limits, told: Told::default() }
    }

    /// Takes the next bytes. What came before an error is in the draft already; after an error nothing more is read.
    pub fn read(&mut self, mut bytes: &[u8]) -> (Vec<Delta>, Result<(), ModelError>) {
        let mut deltas = Vec::new();
        if let Body::Unknown = self.body {
            bytes = bytes.trim_ascii_start();
            self.body = match bytes.first() {
                None => return (deltas, Ok(())),
                Some(b'{' | b'[') => Body::Whole(Vec::new()),
                Some(b'<') => {
                    return (deltas, Err(ModelError::Malformed(Said::new("it is a web page"))));
                }
                Some(_) => Body::Events(EventParser::new(&self.limits)),
            };
        }
        let result = match &mut self.body {
            Body::Unknown => Ok(()),
            Body::Whole(whole) if whole.len() + bytes.len() > self.limits.body_bytes => {
                Err(ModelError::TooLong { limit: self.limits.body_bytes })
            }
            Body::Whole(whole) => {
                whole.extend_from_slice(bytes);
                Ok(())
            }
            Body::Events(parser) => match parser.read(bytes) {
                Err(TooLarge) => Err(ModelError::TooLong { limit: self.limits.event_bytes }),
                Ok(events) => events.iter().try_for_each(|event| self.event(event, &mut deltas)),
            },
        };
        (deltas, result)
    }

    /// Ends the answer. One that never said why it ends is told to be so ([`Finish::Unsaid`]).
    pub fn end(mut self) -> (Vec<Delta>, Result<(), ModelError>) {
        let mut deltas = Vec::new();
        let result = match std::mem::replace(&mut self.body, Body::Unknown) {
            Body::Unknown => Ok(()),
            Body::Whole(bytes) => self.whole(&bytes, &mut deltas),
            Body::Events(parser) => match parser.end() {
                Err(TooLarge) => Err(ModelError::TooLong { limit: self.limits.event_bytes }),
                Ok(last) => last.iter().try_for_each(|event| self.event(event, &mut deltas)),
            },
        };
        if result.is_ok() && !self.told.finish {
            // `[DONE]` without a reason is how some servers end; it is an end all the same.
            deltas.push(Delta::Finish(if self.told.over { Finish::Stop } else { Finish::Unsaid }));
        }
        (deltas, result)
    }

    fn event(&mut self, event: &ServerEvent, deltas: &mut Vec<Delta>) -> Result<(), ModelError> {
        if self.told.over {
            return Ok(());
        }
        if event.data.trim() == "[DONE]" {
            self.told.over = true;
            return Ok(());
        }
        let Ok(value) = serde_json::from_str::<Value>(&event.data) else {
            // A ping of a gateway may be any text.
            let is_ping = event.name == "ping" || event.data.trim().is_empty();
            return if is_ping { Ok(()) } else { Err(ModelError::Malformed(Said::new(&event.data))) };
        };
        if let Some(error) = ModelError::of_value(&value) {
            return Err(error);
        }
        if event.name == "error" {
            return Err(ModelError::Server(Said::new(&event.data)));
        }
        let before = deltas.len();
        let flow = match &mut self.wire {
            Wire::OpenAi(reader) => reader.chunk(&value, deltas),
            Wire::Anthropic(reader) => reader.event(&value, deltas),
        };
        self.note(&deltas[before..], flow);
        Ok(())
    }

    fn whole(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), ModelError> {
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|_| ModelError::Malformed(Said::new(&String::from_utf8_lossy(bytes))))?;
        if let Some(error) = ModelError::of_value(&value) {
            return Err(error);
        }
        let understood = match &mut self.wire {
            Wire::OpenAi(reader) => reader.whole(&value, deltas),
            Wire::Anthropic(reader) => reader.whole(&value, deltas),
        };
        understood.ok_or_else(|| ModelError::Malformed(Said::new(&value.to_string())))?;
        self.note(&deltas[..], Flow::Over);
        Ok(())
    }

    fn note(&mut self, deltas: &[Delta], flow: Flow) {
        self.told.finish |= deltas.iter().any(|delta| matches!(delta, Delta::Finish(_)));
        self.told.over |= flow == Flow::Over;
    }
}
