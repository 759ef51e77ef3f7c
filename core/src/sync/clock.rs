//! A hybrid logical clock: time as people know it, made strictly increasing.
//!
//! A stamp is the device's wall clock in milliseconds, a counter for stamps within one millisecond, and the device, which
//! breaks ties between devices. A clock that was set back does not make a device write into its own past: the next
//! stamp is always greater than the last one the device made or saw.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::DeviceId;
use crate::time::Timestamp;

/// When, and where, a field was last written. Greater is newer.
///
/// Spelled `{wall:012x}-{counter:08x}-{device}`, so that the order of the texts is the order of the stamps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stamp {
    wall: u64,
    counter: u32,
    device: DeviceId,
}

/// A text that should have been a [`Stamp`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a stamp: {text:?}")]
pub struct StampError {
    text: String,
}

/// The largest wall time a stamp can hold: twelve hexadecimal digits, which last for some thousand years.
const MAX_WALL: u64 = (1 << 48) - 1;

impl Stamp {
    /// The first stamp of a device that has never made or seen one.
    #[must_use]
    pub fn first(now: Timestamp, device: DeviceId) -> Self {
        Self { wall: now.as_millis().min(MAX_WALL), counter: 0, device }
    }

    /// The stamp that `device` makes next, after having made or seen this one: greater than it, and as near to `now` as that
    /// allows.
    #[must_use]
    pub fn next(&self, now: Timestamp, device: DeviceId) -> Self {
        let now = now.as_millis().min(MAX_WALL);
        if now > self.wall {
            Self { wall: now, counter: 0, device }
        } else {
            match self.counter.checked_add(1) {
                Some(counter) => Self { wall: self.wall, counter, device },
                None => Self { wall: self.wall + 1, counter: 0, device },
            }
        }
    }

    /// The device that wrote.
    #[must_use]
    pub fn device(&self) -> &DeviceId {
        &self.device
    }

    /// The wall clock of that device, as far as it can be trusted.
    #[must_use]
    pub fn wall(&self) -> Timestamp {
        Timestamp::from_millis(self.wall)
    }

    /// Reads a stamp from outside.
    pub fn parse(text: &str) -> Result<Self, StampError> {
        let refused = || StampError { text: text.chars().take(80).collect() };
        let mut parts = text.splitn(3, '-');
        let mut part = |digits: Option<usize>| {
            parts.next().filter(|part| digits.is_none_or(|digits| part.len() == digits)).ok_or_else(refused)
        };
        let (wall, counter, device) = (part(Some(12))?, part(Some(8))?, part(None)?);
        let number = |digits: &str| {
            let canonical = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
            canonical.then(|| u64::from_str_radix(digits, 16).ok()).flatten().ok_or_else(refused)
        };
        Ok(Self {
            wall: number(wall)?,
            counter: number(counter)?.try_into().map_err(|_too_large| refused())?,
            device: DeviceId::parse(device).map_err(|_not_a_device| refused())?,
        })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:012x}-{:08x}-{}", self.wall, self.counter, self.device)
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stamp({self})")
    }
}

impl TryFrom<String> for Stamp {
    type Error = StampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Stamp> for String {
    fn from(stamp: Stamp) -> Self {
        stamp.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    fn device(number: u8) -> DeviceId {
        DeviceId::parse(format!("0198c5a4-7c1e-7000-8000-0000000000{number:02x}")).expect("is a UUID")
    }

    #[test]
    fn spelling() {
        let stamp = Stamp::first(Timestamp::from_millis(0x0198_c5a4_7c1e), device(1));
        assert_eq!(stamp.to_string(), "0198c5a47c1e-00000000-0198c5a4-7c1e-7000-8000-000000000001");
        for wrong in [
            "",
            "0198c5a47c1e",
            "0198C5A47C1E-00000000-x",
            "+198c5a47c1e-00000000-0198c5a4-7c1e-7000-8000-000000000001",
        ] {
            assert!(Stamp::parse(wrong).is_err(), "{wrong:?} was read");
        }
    }

    #[test]
    fn a_full_counter_moves_the_wall() {
        let full = Stamp { wall: 7, counter: u32::MAX, device: device(1) };
        assert_eq!(full.next(Timestamp::from_millis(0), device(1)), Stamp { wall: 8, counter: 0, device: device(1) });
    }

    proptest! {
        /// However the wall clock jumps, stamps only grow.
        #[test]
        fn next_is_greater(walls in proptest::collection::vec(0..1u64 << 44, 1..50)) {
            let mut last = Stamp::first(Timestamp::from_millis(1 << 43), device(9));
            for wall in walls {
                let next = last.next(Timestamp::from_millis(wall), device(1));
                prop_assert!(next > last);
                last = next;
            }
        }

        /// The texts sort as the stamps do, and read back as they were.
        #[test]
        fn texts_keep_the_order(a in (0..MAX_WALL, 0..u32::MAX, 0..9u8), b in (0..MAX_WALL, 0..u32::MAX, 0..9u8)) {
            let stamp = |(wall, counter, number)| Stamp { wall, counter, device: device(number) };
            let (a, b) = (stamp(a), stamp(b));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
            prop_assert_eq!(Stamp::parse(&a.to_string()), Ok(a));
        }
    }
}
