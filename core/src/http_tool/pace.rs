//! How often a tool may be called: so many times in any minute (R099).

use crate::time::Timestamp;

/// Within this time calls are counted, in milliseconds.
const MINUTE: u64 = 60_000;

/// A call came too soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSoon {
    /// Seconds until the next one is possible.
    pub seconds: u64,
}

/// Counts a call among the recent ones, if there may be one more. What is older than a minute is forgotten.
pub fn count_call(recent: &mut Vec<Timestamp>, most: u32, now: Timestamp) -> Result<(), TooSoon> {
    let age = |at: &Timestamp| now.as_millis().saturating_sub(at.as_millis());
    // What lies in the future was counted by a clock that has been set since.
    recent.retain(|at| *at <= now && age(at) < MINUTE);
    if recent.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
        let oldest = recent.first().map_or(0, age);
        return Err(TooSoon { seconds: MINUTE.saturating_sub(oldest).div_ceil(1_000) });
    }
    recent.push(now);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R099
    #[test]
    fn so_many_in_a_minute() {
        let at = Timestamp::from_millis;
        let mut recent = vec![at(900_000)];
        assert_eq!(count_call(&mut recent, 2, at(100_000)), Ok(()), "a clock that was set back counts anew");
        assert_eq!(count_call(&mut recent, 2, at(130_000)), Ok(()));
        assert_eq!(count_call(&mut recent, 2, at(130_500)), Err(TooSoon { seconds: 30 }));
        assert_eq!(count_call(&mut recent, 2, at(160_000)), Ok(()));
        assert_eq!(recent, [at(130_000), at(160_000)]);
    }
}
