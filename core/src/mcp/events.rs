//! What the Satchel server tells by itself, read piece by piece as it comes.

use crate::model::ModelLimits;
use crate::model::events::EventParser;
use crate::protocol::ServerEvent;

/// Reads the stream of events.
pub struct EventReader(EventParser);

/// The stream says more in one event than is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server sent an event that is too large")]
pub struct EventTooLarge;

impl Default for EventReader {
    fn default() -> Self {
        Self(EventParser::new(&ModelLimits::default()))
    }
}

impl EventReader {
    /// The events that are whole with these bytes. What cannot be read is of a newer server, and nobody's.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Vec<ServerEvent>, EventTooLarge> {
        let events = self.0.read(bytes).map_err(|_| EventTooLarge)?;
        Ok(events.into_iter().filter_map(|event| serde_json::from_str(&event.data).ok()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let stream = b": heartbeat\n\ndata: {\"type\":\"ready\"}\n\ndata: nonsense\n\ndata: {\"type\":\"new\"}\n\n";
        for cut in 0..stream.len() {
            let mut reader = EventReader::default();
            let mut read = reader.read(&stream[..cut]).expect("is small");
            read.extend(reader.read(&stream[cut..]).expect("is small"));
            assert_eq!(read, [ServerEvent::Ready, ServerEvent::Unknown], "cut at {cut}");
        }
    }
}
