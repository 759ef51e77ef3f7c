//! One type for each kind of id, so that a chat's id is never taken for a message's.
//!
//! Ids are made outside, where the clock and the randomness are; core checks their spelling when they come in.

use crate::text_id::text_id;
use crate::time::Timestamp;

/// A text that should have been an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a {kind}, which is a UUID in lower case: {text:?}")]
pub struct IdError {
    kind: &'static str,
    text: String,
}

/// Defines the newtype of an id that is a UUID, with the doc comment it is given.
macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        text_id! {
            $(#[$doc])*
            $name, IdError
        }

        impl $name {
            /// Reads an id: a UUID of any version, hyphenated, in lower case.
            pub fn parse(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                if is_uuid(&text) { Ok(Self(text)) } else { Err(IdError { kind: $kind, text: text.chars().take(80).collect() }) }
            }
        }
    };
}

uuid_id! {
    /// One browser profile. Made at the first start, kept for good, never shared between profiles.
    DeviceId, "device id"
}

uuid_id! {
    /// One conversation with its tree of messages.
    ChatId, "chat id"
}

uuid_id! {
    /// One message, a node of a chat's tree.
    MessageId, "message id"
}

uuid_id! {
    /// One state of a chat's workspace.
    ManifestId, "manifest id"
}

uuid_id! {
    /// One call of a tool. Ours: the model's own id of a call may repeat.
    ToolCallId, "tool call id"
}

uuid_id! {
    /// The second name of a toolset or a tool, for interfaces that know only UUIDs (C02).
    Uid, "uid"
}

/// Spells a fresh UUID of version 7, which sorts by the time it was made.
#[must_use]
pub fn uuid_v7(now: Timestamp, random: [u8; 10]) -> String {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&now.as_millis().to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&random);
    bytes[6] = bytes[6] & 0x0f | 0x70;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R020
    #[test]
    fn fresh_ids_are_uuids_of_version_7() {
        let made = uuid_v7(Timestamp::from_millis(0x0198_c5a4_7c1e), [0xff; 10]);
        assert_eq!(made, "0198c5a4-7c1e-7fff-bfff-ffffffffffff");
        assert!(ChatId::parse(made.clone()).is_ok());
        assert!(uuid_v7(Timestamp::from_millis(0x0198_c5a4_7c1f), [0; 10]) > made);
    }

    #[test]
    fn reads_uuids_only() {
        let good = "0198c5a4-7c1e-7000-8000-00000000000a";
        assert_eq!(DeviceId::parse(good).expect("is a UUID").as_str(), good);
        for wrong in ["", "device", "0198C5A4-7C1E-7000-8000-00000000000A", "0198c5a47c1e70008000000000000000000a"] {
            assert!(DeviceId::parse(wrong).is_err(), "{wrong:?} was read");
        }
    }
}
