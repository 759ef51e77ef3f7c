//! When there is a round of sync: what happened in, what to do out.
//!
//! Of all tabs of a profile one has the role and runs a driver; the others only write. A round follows when something was written here, when the server
//! says that something came, and now and then without either, in case a notice was lost. After a failure the next round waits, each
//! time longer; what a user has to see to is not tried again until they have. The driver knows neither time nor network: it is told.

use serde::{Deserialize, Serialize};

use super::error::{SyncError, WayOn};
use super::round::{Progress, Synced};
use crate::time::Timestamp;

/// How long writes are gathered before they are sent, in milliseconds.
const GATHER: u64 = 400;
/// The first wait after a failure.
const FIRST_WAIT: u64 = 1_000;
/// The longest.
const LONGEST_WAIT: u64 = 5 * 60_000;
/// A round without any reason, in case a notice was lost.
const NOW_AND_THEN: u64 = 10 * 60_000;

/// Which round it is, of all that a driver has asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundNumber(u64);

/// What happened.
#[derive(Debug)]
pub enum DriverEvent {
    /// This tab has the role, and the keys.
    Started,
    /// It has it no longer, or the user has left the account.
    Stopped,
    /// Rows were written here, in whichever tab.
    Written,
    /// The server says that the log has grown.
    Noticed,
    /// The stream of notices is there again after it was not.
    Listening,
    /// The device has a network again.
    Online,
    /// The time that was asked for has come.
    Woken,
    /// The user wants no sync for now.
    Paused,
    /// The user wants sync again, or has done what was asked for.
    Resumed,
    /// A round is somewhere.
    Progressed(RoundNumber, Progress),
    /// A round has ended. One that was let go may say so late, when the next one runs.
    Ended(RoundNumber, RoundOutcome),
}

/// How a round has ended.
#[derive(Debug)]
pub enum RoundOutcome {
    /// Everything is sent and here.
    Done(Synced),
    /// It was stopped by [`DriverEffect::StopRound`].
    Stopped,
    /// It failed.
    Failed(SyncError),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverEffect {
    /// Run a round; what is said of it comes with its number.
    RunRound(RoundNumber),
    /// Let the round that runs go, wherever it is.
    StopRound,
    /// Say [`DriverEvent::Woken`] at this time; it replaces an earlier one.
    WakeAt(Timestamp),
    /// Show this.
    Show(DriverView),
}

/// How sync is doing, for the user's eyes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverView {
    /// It is not on, or another tab has the role.
    #[default]
    Off,
    /// Everything is sent and here.
    UpToDate {
        /// As of this time.
        at: Timestamp,
        /// But for so many rows, whose files are missing or damaged on this device.
        held_back: usize,
    },
    /// Everything is here, but the server has no room for what this device has to send.
    Full {
        /// As of this time.
        at: Timestamp,
        /// So much the server keeps for the account.
        quota_bytes: u64,
    },
    /// Something is on its way.
    Running(Option<Progress>),
    /// The user wants none.
    Paused,
    /// It failed and tries again by itself at this time.
    Waiting {
        /// What happened.
        why: String,
        /// When it tries again.
        until: Timestamp,
    },
    /// It failed, and somebody has to do something first.
    Stuck {
        /// What happened.
        why: String,
        /// What can be done.
        way_on: WayOn,
    },
}

/// Says when there is a round.
#[derive(Debug, Default)]
pub struct Driver {
    phase: Phase,
    /// Something happened during the round that another one has to look at.
    again: bool,
    failures: u32,
    /// The last round that was asked for.
    round: RoundNumber,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Off,
    /// Nothing to do until then.
    Idle(Timestamp),
    Running,
    Paused,
    Stuck,
}

impl Driver {
    /// Takes what happened, and says what to do. `jitter` is any number: devices that failed together do not all come back at once.
    pub fn handle(&mut self, event: DriverEvent, now: Timestamp, jitter: u32) -> Vec<DriverEffect> {
        match event {
            DriverEvent::Started | DriverEvent::Resumed => match self.phase {
                Phase::Off if matches!(event, DriverEvent::Resumed) => Vec::new(),
                Phase::Running => Vec::new(),
                Phase::Off | Phase::Idle(_) | Phase::Paused | Phase::Stuck => {
                    self.failures = 0;
                    self.run()
                }
            },
            DriverEvent::Stopped => self.leave(Phase::Off, DriverView::Off),
            DriverEvent::Paused if self.phase == Phase::Off => Vec::new(),
            DriverEvent::Paused => self.leave(Phase::Paused, DriverView::Paused),
            DriverEvent::Written => self.soon(later(now, GATHER)),
            DriverEvent::Noticed => self.soon(now),
            // Either says that the server can be reached, which the wait was for.
            DriverEvent::Listening | DriverEvent::Online => {
                self.failures = 0;
                self.soon(now)
            }
            DriverEvent::Woken => match self.phase {
                Phase::Idle(until) if until <= now => self.run(),
                Phase::Idle(until) => vec![DriverEffect::WakeAt(until)],
                Phase::Off | Phase::Running | Phase::Paused | Phase::Stuck => Vec::new(),
            },
            DriverEvent::Progressed(round, progress) if self.phase == Phase::Running && round == self.round => {
                vec![DriverEffect::Show(DriverView::Running(Some(progress)))]
            }
            DriverEvent::Ended(round, outcome) if self.phase == Phase::Running && round == self.round => {
                self.ended(outcome, now, jitter)
            }
            // It was let go before.
            DriverEvent::Progressed(..) | DriverEvent::Ended(..) => Vec::new(),
        }
    }

    fn run(&mut self) -> Vec<DriverEffect> {
        self.phase = Phase::Running;
        self.again = false;
        self.round = RoundNumber(self.round.0 + 1);
        vec![DriverEffect::RunRound(self.round), DriverEffect::Show(DriverView::Running(None))]
    }

    /// A round no later than that, unless failures ask for patience.
    fn soon(&mut self, at: Timestamp) -> Vec<DriverEffect> {
        match self.phase {
            Phase::Running => {
                self.again = true;
                Vec::new()
            }
            Phase::Idle(until) if self.failures == 0 && at < until => {
                self.phase = Phase::Idle(at);
                vec![DriverEffect::WakeAt(at)]
            }
            Phase::Off | Phase::Idle(_) | Phase::Paused | Phase::Stuck => Vec::new(),
        }
    }

    fn leave(&mut self, phase: Phase, view: DriverView) -> Vec<DriverEffect> {
        let was_running = std::mem::replace(&mut self.phase, phase) == Phase::Running;
        let stop = was_running.then_some(DriverEffect::StopRound);
        stop.into_iter().chain([DriverEffect::Show(view)]).collect()
    }

    fn ended(&mut self, outcome: RoundOutcome, now: Timestamp, jitter: u32) -> Vec<DriverEffect> {
        let (until, view) = match outcome {
            RoundOutcome::Done(Synced { held_back, full, .. }) => {
                self.failures = 0;
                let until = if self.again { now } else { later(now, NOW_AND_THEN) };
                // It goes on receiving, and tries to send with every round.
                let view = match full {
                    Some(quota_bytes) => DriverView::Full { at: now, quota_bytes },
                    None => DriverView::UpToDate { at: now, held_back },
                };
                (until, view)
            }
            RoundOutcome::Stopped => (later(now, FIRST_WAIT), DriverView::Running(None)),
            RoundOutcome::Failed(error) => {
                let (why, way_on) = (error.to_string(), error.way_on());
                if way_on != WayOn::Again {
                    self.phase = Phase::Stuck;
                    return vec![DriverEffect::Show(DriverView::Stuck { why, way_on })];
                }
                let wait = FIRST_WAIT.saturating_mul(1 << self.failures.min(16)).min(LONGEST_WAIT);
                self.failures += 1;
                // Between three quarters of it and all of it.
                let until = later(now, wait - wait / 4 * u64::from(jitter % 1024) / 1024);
                (until, DriverView::Waiting { why, until })
            }
        };
        self.phase = Phase::Idle(until);
        vec![DriverEffect::WakeAt(until), DriverEffect::Show(view)]
    }
}

fn later(now: Timestamp, millis: u64) -> Timestamp {
    Timestamp::from_millis(now.as_millis().saturating_add(millis))
}

#[cfg(test)]
mod tests {
    use super::super::error::NotReached;
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    /// The last round has ended.
    fn ended(driver: &Driver, outcome: RoundOutcome) -> DriverEvent {
        DriverEvent::Ended(driver.round, outcome)
    }

    fn failed(driver: &Driver) -> DriverEvent {
        let error = NotReached { reason: "no network".into(), can_retry: true };
        ended(driver, RoundOutcome::Failed(error.into()))
    }

    fn done(driver: &Driver) -> DriverEvent {
        ended(driver, RoundOutcome::Done(Synced::default()))
    }

    /// Tells a driver something of its last round.
    fn told(driver: &mut Driver, of: fn(&Driver) -> DriverEvent, now: Timestamp, jitter: u32) -> Vec<DriverEffect> {
        let event = of(driver);
        driver.handle(event, now, jitter)
    }

    fn runs(effects: &[DriverEffect]) -> bool {
        effects.iter().any(|effect| matches!(effect, DriverEffect::RunRound(_)))
    }

    fn wakes(effects: &[DriverEffect]) -> Option<u64> {
        effects.iter().find_map(|effect| match effect {
            DriverEffect::WakeAt(at) => Some(at.as_millis()),
            _ => None,
        })
    }

    #[test]
    fn writes_are_gathered_and_notices_are_not() {
        let mut driver = Driver::default();
        assert_eq!(driver.handle(DriverEvent::Written, at(0), 0), [], "another tab has the role");
        assert!(runs(&driver.handle(DriverEvent::Started, at(0), 0)));
        assert_eq!(wakes(&told(&mut driver, done, at(100), 0)), Some(100 + NOW_AND_THEN));
        assert_eq!(wakes(&driver.handle(DriverEvent::Written, at(200), 0)), Some(200 + GATHER));
        assert_eq!(driver.handle(DriverEvent::Written, at(300), 0), [], "the first of them counts");
        assert_eq!(wakes(&driver.handle(DriverEvent::Woken, at(500), 0)), Some(600), "not yet");
        assert!(runs(&driver.handle(DriverEvent::Woken, at(600), 0)));
        // What comes during a round is looked at after it, at once.
        assert_eq!(driver.handle(DriverEvent::Noticed, at(650), 0), []);
        assert_eq!(wakes(&told(&mut driver, done, at(700), 0)), Some(700));
        assert!(runs(&driver.handle(DriverEvent::Woken, at(700), 0)));
    }

    #[test]
    fn each_failure_waits_longer_and_a_network_ends_the_wait() {
        let mut driver = Driver::default();
        driver.handle(DriverEvent::Started, at(0), 0);
        let mut now = 0;
        for expected in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000] {
            let until = wakes(&told(&mut driver, failed, at(now), 0)).expect("waits");
            assert_eq!(until - now, expected);
            assert_eq!(driver.handle(DriverEvent::Written, at(now), 0), [], "a write does not end the wait");
            now = until;
            assert!(runs(&driver.handle(DriverEvent::Woken, at(now), 0)));
        }
        let waits = wakes(&told(&mut driver, failed, at(now), 1023)).expect("waits") - now;
        assert!((225_000..226_000).contains(&waits), "{waits}");
        assert_eq!(wakes(&driver.handle(DriverEvent::Online, at(now), 0)), Some(now));
        assert!(runs(&driver.handle(DriverEvent::Woken, at(now), 0)));
        told(&mut driver, failed, at(now), 0);
        assert_eq!(wakes(&driver.handle(DriverEvent::Listening, at(now), 0)), Some(now));
    }

    #[test]
    fn what_somebody_has_to_see_to_is_not_tried_again() {
        let mut driver = Driver::default();
        driver.handle(DriverEvent::Started, at(0), 0);
        let refused = ended(&driver, RoundOutcome::Failed(SyncError::WrongKey));
        let effects = driver.handle(refused, at(1), 0);
        let [DriverEffect::Show(DriverView::Stuck { way_on: WayOn::EnterCode, why })] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        assert!(why.contains("enter the code"), "{why}");
        for event in [DriverEvent::Written, DriverEvent::Noticed, DriverEvent::Online, DriverEvent::Woken] {
            assert_eq!(driver.handle(event, at(2), 0), []);
        }
        assert!(runs(&driver.handle(DriverEvent::Resumed, at(3), 0)));
    }

    #[test]
    fn a_pause_lets_the_round_go() {
        let mut driver = Driver::default();
        driver.handle(DriverEvent::Started, at(0), 0);
        let paused = driver.handle(DriverEvent::Paused, at(1), 0);
        assert_eq!(paused, [DriverEffect::StopRound, DriverEffect::Show(DriverView::Paused)]);
        let stopped = ended(&driver, RoundOutcome::Stopped);
        assert_eq!(driver.handle(stopped, at(2), 0), []);
        assert_eq!(driver.handle(DriverEvent::Written, at(3), 0), []);
        assert!(runs(&driver.handle(DriverEvent::Resumed, at(4), 0)));
        assert_eq!(driver.handle(DriverEvent::Stopped, at(5), 0)[0], DriverEffect::StopRound);
        assert_eq!(driver.handle(DriverEvent::Resumed, at(6), 0), [], "who left the account resumes nothing");
    }
    /// A round that was let go may have said that it ended before it heard so; the next one goes on.
    #[test]
    fn the_late_word_of_an_old_round_ends_no_new_one() {
        let mut driver = Driver::default();
        driver.handle(DriverEvent::Started, at(0), 0);
        let late = [failed(&driver), DriverEvent::Progressed(driver.round, Progress::Compacting)];
        driver.handle(DriverEvent::Stopped, at(1), 0);
        assert!(runs(&driver.handle(DriverEvent::Started, at(2), 0)));
        for late in late {
            assert_eq!(driver.handle(late, at(3), 0), []);
        }
        assert_eq!(wakes(&told(&mut driver, done, at(4), 0)), Some(4 + NOW_AND_THEN));
    }

    /// R316: a full server stops nothing but what has to be sent; notices are followed as ever.
    #[test]
    fn a_full_server_is_told_and_rounds_go_on() {
        let mut driver = Driver::default();
        driver.handle(DriverEvent::Started, at(0), 0);
        let full = ended(&driver, RoundOutcome::Done(Synced { full: Some(10), ..Synced::default() }));
        let effects = driver.handle(full, at(1), 0);
        assert!(effects.contains(&DriverEffect::Show(DriverView::Full { at: at(1), quota_bytes: 10 })), "{effects:?}");
        assert_eq!(wakes(&driver.handle(DriverEvent::Noticed, at(2), 0)), Some(2));
        assert!(runs(&driver.handle(DriverEvent::Woken, at(2), 0)));
    }
}
