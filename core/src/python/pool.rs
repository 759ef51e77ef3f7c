//! Which cage serves whom: at most three that belong to somebody, the one unused for longest goes first, and one fresh spare that takes
//! over at once when another is ended.
//!
//! Pure bookkeeping. Whoever keeps the cages says what became of each, and does what is answered.

use serde::{Deserialize, Serialize};

use super::SessionKey;

/// How many cages may belong to somebody at once.
const LIVE: usize = 3;

/// Names a cage. Numbers are not used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CageNumber(u32);

/// What a cage does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CageState {
    /// Python is being loaded.
    Starting,
    /// It is ready for whoever comes first.
    Spare,
    /// It belongs to somebody and waits.
    Idle,
    /// It runs a tool.
    Running,
}

/// What to do for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Use this cage, which is ready.
    Use(CageNumber),
    /// Start this one, which then is the caller's.
    Start(CageNumber),
    /// Wait until something has changed, and claim again.
    Wait,
}

/// The cages of a tab.
#[derive(Clone, Debug)]
pub struct Pool {
    cages: Vec<Held>,
    last_number: u32,
    /// Counts uses, so that the one unused for longest is known.
    uses: u64,
    has_reserve: bool,
}

#[derive(Clone, Debug)]
struct Held {
    number: CageNumber,
    state: CageState,
    owner: Option<SessionKey>,
    last_use: u64,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// No cages yet, and one in reserve is wanted.
    #[must_use]
    pub const fn new() -> Self {
        Self { cages: Vec::new(), last_number: 0, uses: 0, has_reserve: true }
    }

    /// Says what to do for a call of this session. Afterwards [`Pool::take_surplus`] has what must go.
    pub fn claim(&mut self, key: &SessionKey) -> Claim {
        if let Some(own) = self.cages.iter_mut().find(|held| held.owner.as_ref() == Some(key)) {
            return if own.state == CageState::Idle { Claim::Use(self.bind_at(key)) } else { Claim::Wait };
        }
        if self.owned() >= LIVE && !self.cages.iter().any(|held| held.state == CageState::Idle) {
            return Claim::Wait;
        }
        if let Some(spare) = self.cages.iter_mut().find(|held| held.owner.is_none()) {
            if spare.state == CageState::Starting {
                // Sooner ready than another one that is begun now.
                return Claim::Wait;
            }
            spare.owner = Some(key.clone());
            return Claim::Use(self.bind_at(key));
        }
        let number = self.add(Some(key.clone()));
        Claim::Start(number)
    }

    /// The number of a spare to start, where one is wanted and there is none.
    pub fn take_spare(&mut self) -> Option<CageNumber> {
        let is_there = self.cages.iter().any(|held| held.owner.is_none());
        (self.has_reserve && !is_there).then(|| self.add(None))
    }

    /// Whether a spare is kept: not where memory is small, nor while nobody looks at the tab.
    pub fn keep_spare(&mut self, has_reserve: bool) {
        self.has_reserve = has_reserve;
    }

    /// The cages that must go, which are then no longer known.
    pub fn take_surplus(&mut self) -> Vec<CageNumber> {
        let mut surplus: Vec<CageNumber> = Vec::new();
        if !self.has_reserve {
            let spares = self.cages.iter().filter(|held| held.owner.is_none() && held.state == CageState::Spare);
            surplus.extend(spares.map(|held| held.number));
        }
        let mut idle: Vec<&Held> = self.cages.iter().filter(|held| held.state == CageState::Idle).collect();
        idle.sort_by_key(|held| held.last_use);
        surplus.extend(idle.iter().take(self.owned().saturating_sub(LIVE)).map(|held| held.number));
        self.cages.retain(|held| !surplus.contains(&held.number));
        surplus
    }

    /// Python is loaded in it.
    pub fn started(&mut self, number: CageNumber) {
        if let Some(held) = self.find(number) {
            held.state = if held.owner.is_some() { CageState::Running } else { CageState::Spare };
        }
    }

    /// Its call is over, and it can be used again.
    pub fn rests(&mut self, number: CageNumber) {
        if let Some(held) = self.find(number) {
            held.state = CageState::Idle;
        }
    }

    /// It is no more.
    pub fn ended(&mut self, number: CageNumber) {
        self.cages.retain(|held| held.number != number);
    }

    /// What there is, oldest first.
    pub fn cages(&self) -> impl Iterator<Item = (CageState, Option<&SessionKey>)> {
        self.cages.iter().map(|held| (held.state, held.owner.as_ref()))
    }

    fn owned(&self) -> usize {
        self.cages.iter().filter(|held| held.owner.is_some()).count()
    }

    fn find(&mut self, number: CageNumber) -> Option<&mut Held> {
        self.cages.iter_mut().find(|held| held.number == number)
    }

    fn bind_at(&mut self, key: &SessionKey) -> CageNumber {
        self.uses += 1;
        let uses = self.uses;
        let held = self.cages.iter_mut().find(|held| held.owner.as_ref() == Some(key)).expect("it was just found");
        held.state = CageState::Running;
        held.last_use = uses;
        held.number
    }

    fn add(&mut self, owner: Option<SessionKey>) -> CageNumber {
        self.last_number += 1;
        self.uses += 1;
        let number = CageNumber(self.last_number);
        self.cages.push(Held { number, state: CageState::Starting, owner, last_use: self.uses });
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ToolsetId;
    use crate::ids::ChatId;
    use crate::record::PackageId;

    fn key(name: &str) -> SessionKey {
        SessionKey {
            chat: ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"),
            toolset: ToolsetId::parse(name).expect("is a name"),
            package: PackageId::of(name.as_bytes()),
        }
    }

    /// A pool in which these sessions have called and rest now, the first unused for longest.
    fn used_by(names: &[&str]) -> Pool {
        let mut pool = Pool::default();
        for name in names {
            let Claim::Start(number) = pool.claim(&key(name)) else { panic!("{name} has to start one") };
            pool.started(number);
            pool.rests(number);
        }
        pool
    }

    fn states(pool: &Pool) -> Vec<(CageState, Option<String>)> {
        pool.cages().map(|(state, key)| (state, key.map(|key| key.toolset.to_string()))).collect()
    }

    #[test]
    fn a_session_gets_its_own_cage_again() {
        let mut pool = used_by(&["one", "two"]);
        let Claim::Use(first) = pool.claim(&key("one")) else { panic!("its cage rests") };
        assert_eq!(pool.claim(&key("one")), Claim::Wait, "it runs already");
        pool.rests(first);
        assert_eq!(pool.claim(&key("one")), Claim::Use(first));
    }

    #[test]
    fn the_spare_is_bound_for_good_and_another_is_wanted() {
        let mut pool = Pool::default();
        let spare = pool.take_spare().expect("one is wanted");
        assert_eq!(pool.take_spare(), None, "one is enough");
        assert_eq!(pool.claim(&key("one")), Claim::Wait, "it is ready sooner than another would be");
        pool.started(spare);
        assert_eq!(pool.claim(&key("one")), Claim::Use(spare));
        assert_eq!(states(&pool), [(CageState::Running, Some("one".to_owned()))]);
        assert!(pool.take_spare().is_some());
    }

    #[test]
    fn of_more_than_three_the_one_unused_for_longest_goes() {
        let mut pool = used_by(&["one", "two", "three"]);
        let Claim::Use(first) = pool.claim(&key("one")) else { panic!("its cage rests") };
        pool.rests(first);
        assert_eq!(pool.take_surplus(), []);
        let Claim::Start(fourth) = pool.claim(&key("four")) else { panic!("it has none") };
        let gone = pool.take_surplus();
        assert_eq!(gone.len(), 1);
        pool.started(fourth);
        let left: Vec<_> = states(&pool).into_iter().filter_map(|(_, name)| name).collect();
        assert_eq!(left, ["one", "three", "four"]);
    }

    #[test]
    fn a_running_cage_is_never_taken_away() {
        let mut pool = used_by(&["one", "two", "three"]);
        let running: Vec<_> = ["one", "two", "three"].iter().map(|name| pool.claim(&key(name))).collect();
        assert!(running.iter().all(|claim| matches!(claim, Claim::Use(_))));
        assert_eq!(pool.claim(&key("four")), Claim::Wait);
        assert_eq!(pool.take_surplus(), []);
        let Claim::Use(second) = running[1] else { panic!("it was used") };
        pool.rests(second);
        assert!(matches!(pool.claim(&key("four")), Claim::Start(_)));
        assert_eq!(pool.take_surplus(), [second]);
    }

    #[test]
    fn what_ended_is_started_anew() {
        let mut pool = used_by(&["one"]);
        let Claim::Use(number) = pool.claim(&key("one")) else { panic!("its cage rests") };
        pool.ended(number);
        let again = pool.claim(&key("one"));
        assert!(matches!(again, Claim::Start(fresh) if fresh != number), "{again:?}");
    }

    #[test]
    fn no_spare_is_kept_where_there_is_no_room_for_one() {
        let mut pool = Pool::default();
        let spare = pool.take_spare().expect("one is wanted");
        pool.started(spare);
        pool.keep_spare(false);
        assert_eq!(pool.take_surplus(), [spare]);
        assert_eq!(pool.take_spare(), None);
        pool.keep_spare(true);
        assert!(pool.take_spare().is_some());
    }
}
