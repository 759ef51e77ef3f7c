//! A moment, as milliseconds since 1970 in UTC.
//!
//! There is no `now()` here: whoever needs the time is handed it, and tests hand in the time they like.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A moment in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The moment this many milliseconds after the start of 1970, UTC.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
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

#[cfg(test)]
mod tests {
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
}
