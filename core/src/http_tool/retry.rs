//! What is worth another try, and how long to wait before it (R093).
//!
//! Only what may pass by itself is tried again. What may have been done already is not: a request that changes something is tried again
//! only if it surely was not carried out, because no connection was made or because the host says so.

use std::time::Duration;

use super::limits::HttpLimits;
use crate::time::Timestamp;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What happened, as a sentence with no value of the request in it.
    pub message: String,
    /// What that means.
    pub kind: TroubleKind,
}

/// What the lack of an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// It may not be asked for; the same again would be refused again.
    Refused,
    /// Nothing was sent.
    NotSent,
    /// It was sent, perhaps in part, and nobody knows what came of it.
    Lost,
    /// It was sent, and no answer came in time.
    TimedOut,
    /// The answer is larger than it may be.
    TooLarge,
}

/// The wait before the first other try, which doubles with each.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// The longest that this grows to.
const LONGEST_BACKOFF: Duration = Duration::from_secs(8);

/// Whether a request that was not answered may be tried again.
pub(super) fn may_pass(kind: TroubleKind, only_asks: bool) -> bool {
    match kind {
        TroubleKind::NotSent => true,
        TroubleKind::Lost | TroubleKind::TimedOut => only_asks,
        TroubleKind::Refused | TroubleKind::TooLarge => false,
    }
}

/// Whether a request that was answered by this status may be tried again.
pub(super) fn may_change(status: u16, only_asks: bool) -> bool {
    match status {
        // Too many requests, or not now: it was not carried out.
        429 | 503 => true,
        408 | 425 | 500 | 502 | 504 => only_asks,
        _ => false,
    }
}

/// How long to wait before the try after `tries`, by growing steps, of which chance takes up to a half away so that not all come at once.
pub(super) fn back_off(tries: u32, chance: u32) -> Duration {
    let longest = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1))).min(LONGEST_BACKOFF);
    let half = longest / 2;
    half + half.mul_f64(f64::from(chance) / f64::from(u32::MAX))
}

/// What the host asks to wait: seconds, or a date. None where it says nothing that can be read.
pub(super) fn retry_after(headers: &[(String, String)], now: Timestamp) -> Option<Duration> {
    let (_, text) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"))?;
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let at = http_date(text)?;
    Some(Duration::from_millis(at.as_millis().saturating_sub(now.as_millis())))
}

/// How long to wait before another try of a request that was answered by a status that may change; none where the host asks for more than
/// anybody waits.
pub(super) fn wait_after(
    headers: &[(String, String)],
    tries: u32,
    chance: u32,
    now: Timestamp,
    limits: &HttpLimits,
) -> Result<Duration, Duration> {
    match retry_after(headers, now) {
        Some(asked) if asked > limits.longest_wait => Err(asked),
        Some(asked) => Ok(asked.max(back_off(tries, chance) / 4)),
        None => Ok(back_off(tries, chance)),
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
fn http_date(text: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.split_once(", ")?;
    let mut parts = date.split(' ');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let (time, zone) = (parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    if zone != "GMT" || day.len() != 2 {
        return None;
    }
    Timestamp::parse(&format!("{year}-{month:02}-{day}T{time}Z")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R093
    #[test]
    fn waits_grow_and_chance_shortens_them() {
        let millis = |tries, chance| back_off(tries, chance).as_millis();
        assert_eq!((millis(1, u32::MAX), millis(2, u32::MAX), millis(3, u32::MAX)), (250, 500, 1_000));
        assert_eq!((millis(1, 0), millis(40, u32::MAX)), (125, 8_000));
    }

    /// R093: what the host asks for is waited, if it is not too much.
    #[test]
    fn the_host_says_how_long() {
        let now = Timestamp::parse("1994-11-06T08:49:30Z").expect("is a moment");
        let limits = HttpLimits::default();
        let check = |text: &str, expected: Result<u64, u64>| {
            let headers = [("Retry-After".to_owned(), text.to_owned())];
            let waited = wait_after(&headers, 1, u32::MAX, now, &limits);
            assert_eq!(
                waited.map(|one| one.as_millis() as u64).map_err(|one| one.as_millis() as u64),
                expected,
                "{text}"
            );
        };
        check("7", Ok(7_000));
        check("0", Ok(62));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Ok(7_000));
        check("Sun, 06 Nov 1994 08:49:00 GMT", Ok(62));
        check("3600", Err(3_600_000));
        check("soon", Ok(250));
    }

    #[test]
    fn what_may_have_been_done_is_not_done_again() {
        for kind in [TroubleKind::Lost, TroubleKind::TimedOut] {
            assert!(may_pass(kind, true) && !may_pass(kind, false));
        }
        assert!(may_pass(TroubleKind::NotSent, false) && !may_pass(TroubleKind::Refused, true));
        assert!(may_change(503, false) && may_change(429, false) && may_change(502, true) && !may_change(502, false));
        for status in [200, 301, 400, 401, 403, 404, 409, 501] {
            assert!(!may_change(status, true), "{status}");
        }
    }
}
