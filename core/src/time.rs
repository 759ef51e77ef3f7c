//! A moment, as milliseconds since 1970 in UTC.
//!
//! There is no `now()` here: whoever needs the time is handed it, and tests hand in the time they like.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A moment in time. Stored and sent as ISO 8601 text, such as `2026-01-31T12:00:00.000Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(u64);

/// A text that should have been a moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a moment, which is written like 2026-01-31T12:00:00.000Z: {text:?}")]
pub struct TimestampError {
    text: String,
}

impl Timestamp {
    /// The moment this many milliseconds after the start of 1970, UTC.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Reads the spelling that [`Display`](fmt::Display) writes; the milliseconds may be left out.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let refused = || TimestampError { text: text.chars().take(80).collect() };
        let bytes = text.as_bytes();
        let number = |from: usize, to: usize| -> Option<u64> {
            let digits = bytes.get(from..to)?;
            digits
                .iter()
                .all(u8::is_ascii_digit)
                .then(|| digits.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
        };
        let parts = || {
            let whole = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
            whole.into_iter().all(|(at, mark)| bytes.get(at) == Some(&mark)).then_some(())?;
            let millis = match bytes.get(19..)? {
                b"Z" => 0,
                [b'.', _, _, _, b'Z'] => number(20, 23)?,
                _ => return None,
            };
            let days = days_from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
            let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
            (hour < 24 && minute < 60 && second < 60)
                .then_some(days * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1_000 + millis)
        };
        parts().map(Self).ok_or_else(refused)
    }

    /// The moment that is so many milliseconds after this one.
    #[must_use]
    pub const fn later_by(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds since the start of 1970, UTC.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }
}

/// ISO 8601 in UTC with milliseconds, the spelling of every date that leaves the store.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, in_day) = (self.0 / 86_400_000, self.0 % 86_400_000);
        let (year, month, day) = civil_from_days(days);
        let (hour, minute, second, milli) =
            (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1_000 % 60, in_day % 1_000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

/// The Gregorian date of a day counted from 1970-01-01. Years are counted from March, so that the leap day comes last.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let from_year_zero = days + 719_468;
    let (era, day_of_era) = (from_year_zero / 146_097, from_year_zero % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// The day counted from 1970-01-01 of a Gregorian date, if there is such a date and it is not before 1970.
fn days_from_civil(year: u64, month: u64, day: u64) -> Option<u64> {
    let from_march = (month + 9) % 12;
    let year_from_march = year.checked_sub(u64::from(month <= 2))?;
    let before_year = 365 * year_from_march + year_from_march / 4 - year_from_march / 100 + year_from_march / 400;
    let days = (before_year + (153 * from_march + 2) / 5 + day).checked_sub(1 + 719_468)?;
    ((1..=12).contains(&month) && civil_from_days(days) == (year, month, day)).then_some(days)
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn spelled_as_iso_8601() {
        let check = |millis, expected: &str| assert_eq!(Timestamp::from_millis(millis).to_string(), expected);
        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_399_999, "2000-02-28T23:59:59.999Z");
        check(951_782_400_000, "2000-02-29T00:00:00.000Z");
        check(1_709_164_800_000, "2024-02-29T00:00:00.000Z");
        check(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
    }

    #[test]
    fn only_real_moments_are_read() {
        assert_eq!(Timestamp::parse("1970-01-01T00:00:01Z"), Ok(Timestamp::from_millis(1_000)));
        for wrong in [
            "",
            "2026-01-31",
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-00-10T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-01T00:00:00.000+01:00",
            "1969-12-31T23:59:59.999Z",
            "2026-01-01T00:00:0é.000Z",
        ] {
            assert!(Timestamp::parse(wrong).is_err(), "{wrong:?} was read");
        }
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(millis in 0..253_402_300_800_000_u64) {
            let moment = Timestamp::from_millis(millis);
            prop_assert_eq!(Timestamp::parse(&moment.to_string()), Ok(moment));
        }
    }
}
