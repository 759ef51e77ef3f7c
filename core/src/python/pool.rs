//! Which cage serves whom. Nothing is started here: what is to be done is said, and what happened is told.
//!
//! A cage belongs to one (chat, toolset, package) from the moment it is bound until it ends; what a call leaves in it can therefore
//! meet nobody else. At most a few are alive; the one that was idle longest makes room. Beside them one is kept fresh, because
//! starting Python takes seconds, but not where memory is short or nobody looks.

use std::collections::BTreeMap;

use super::SessionKey;
use crate::ids::ChatId;

/// Names a cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CageId(pub u32);

/// The cages of this tab.
#[derive(Clone, Debug)]
pub struct Pool {
    cages: BTreeMap<CageId, Cage>,
    /// How many may belong to someone.
    most: usize,
    next: u32,
    /// Counts uses, so that the least recent is known without a clock.
    uses: u64,
}

#[derive(Clone, Debug)]
struct Cage {
    owner: Option<SessionKey>,
    ready: bool,
    busy: bool,
    used: u64,
}

/// What to do so that someone is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serve {
    /// Use this one, which is theirs and waits.
    Use(CageId),
    /// Give them the fresh one; it may still be starting.
    Bind {
        /// The cage.
        cage: CageId,
        /// The one to end first.
        end: Option<CageId>,
    },
    /// Start one for them.
    Start {
        /// The cage.
        cage: CageId,
        /// The one to end first.
        end: Option<CageId>,
    },
    /// All are busy: ask again when a call has ended.
    Wait,
}

/// What decides whether a fresh cage is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// The device has little memory.
    pub small_memory: bool,
    /// Nobody sees the tab.
    pub hidden: bool,
}

/// What a cage does, for the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CageState {
    /// Python is being loaded.
    Starting,
    /// It is fresh and belongs to nobody.
    Spare,
    /// It waits for its next call.
    Idle,
    /// It runs a call.
    Running,
}

/// A cage, for the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CageLine {
    /// Which.
    pub cage: CageId,
    /// What it does.
    pub state: CageState,
    /// Whose it is.
    pub owner: Option<SessionKey>,
}

impl Default for Pool {
    /// At most three that belong to someone.
    fn default() -> Self {
        Self::new(3)
    }
}

impl Pool {
    /// No cages yet; at most this many will belong to someone.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { cages: BTreeMap::new(), most: most.max(1), next: 1, uses: 0 }
    }

    /// Finds a cage for a call, and marks it as busy with that. A second call of the same owner waits for the first.
    pub fn serve(&mut self, key: &SessionKey) -> Serve {
        if let Some((id, cage)) = self.cages.iter().find(|(_, cage)| cage.owner.as_ref() == Some(key)) {
            if cage.busy {
                return Serve::Wait;
            }
            let id = *id;
            self.take(id, key);
            return Serve::Use(id);
        }
        let end = match self.room_for(key) {
            Room::Full => return Serve::Wait,
            Room::Free => None,
            Room::After(id) => Some(id),
        };
        if let Some(id) = end {
            self.cages.remove(&id);
        }
        let spare = self.cages.iter().find(|(_, cage)| cage.owner.is_none()).map(|(id, _)| *id);
        let cage = spare.unwrap_or_else(|| self.add());
        self.take(cage, key);
        if spare.is_some() { Serve::Bind { cage, end } } else { Serve::Start { cage, end } }
    }

    /// The cage to start as the fresh one, if one is wanted and there is none.
    pub fn start_spare(&mut self, conditions: Conditions) -> Option<CageId> {
        let there = self.cages.values().any(|cage| cage.owner.is_none());
        (!there && conditions.allow_spare()).then(|| self.add())
    }

    /// The fresh cage, if it has to end under these conditions. It is gone from here.
    pub fn drop_spare(&mut self, conditions: Conditions) -> Option<CageId> {
        let spare = self.cages.iter().find(|(_, cage)| cage.owner.is_none()).map(|(id, _)| *id);
        let dropped = spare.filter(|_| !conditions.allow_spare())?;
        self.cages.remove(&dropped);
        Some(dropped)
    }

    /// Python is loaded in it.
    pub fn is_ready(&mut self, cage: CageId) {
        if let Some(cage) = self.cages.get_mut(&cage) {
            cage.ready = true;
        }
    }

    /// Its call is over, and it waits for the next.
    pub fn is_done(&mut self, cage: CageId) {
        if let Some(cage) = self.cages.get_mut(&cage) {
            cage.busy = false;
        }
    }

    /// It is gone: stopped, dead, or ended on purpose. Its owner gets another one with the next call.
    pub fn is_gone(&mut self, cage: CageId) {
        self.cages.remove(&cage);
    }

    /// The idle cages of a chat that is deleted or left for good; they are to be ended, and gone from here.
    pub fn leave_chat(&mut self, chat: &ChatId) -> Vec<CageId> {
        let idle = |cage: &Cage| !cage.busy && cage.owner.as_ref().is_some_and(|owner| owner.chat == *chat);
        let left: Vec<CageId> = self.cages.iter().filter(|(_, cage)| idle(cage)).map(|(id, _)| *id).collect();
        left.iter().for_each(|id| {
            self.cages.remove(id);
        });
        left
    }

    /// Every cage, for the screen.
    #[must_use]
    pub fn lines(&self) -> Vec<CageLine> {
        let state = |cage: &Cage| match (cage.ready, &cage.owner, cage.busy) {
            (false, _, _) => CageState::Starting,
            (true, None, _) => CageState::Spare,
            (true, Some(_), false) => CageState::Idle,
            (true, Some(_), true) => CageState::Running,
        };
        let line = |(id, cage): (&CageId, &Cage)| CageLine { cage: *id, state: state(cage), owner: cage.owner.clone() };
        self.cages.iter().map(line).collect()
    }

    /// Whether one more can belong to someone. One of an older package of the same toolset in the same chat will never be used again
    /// and goes first; else the one that was idle longest does, if there are too many.
    fn room_for(&self, key: &SessionKey) -> Room {
        let owned = || self.cages.iter().filter_map(|(id, cage)| Some((*id, cage, cage.owner.as_ref()?)));
        let outdated = owned()
            .find(|(_, cage, owner)| !cage.busy && owner.chat == key.chat && owner.toolset == key.toolset)
            .map(|(id, ..)| id);
        if let Some(id) = outdated {
            return Room::After(id);
        }
        if owned().count() < self.most {
            return Room::Free;
        }
        let oldest = owned().filter(|(_, cage, _)| !cage.busy).min_by_key(|(_, cage, _)| cage.used);
        oldest.map_or(Room::Full, |(id, ..)| Room::After(id))
    }

    fn add(&mut self) -> CageId {
        let id = CageId(self.next);
        self.next += 1;
        self.cages.insert(id, Cage { owner: None, ready: false, busy: false, used: 0 });
        id
    }

    fn take(&mut self, id: CageId, key: &SessionKey) {
        self.uses += 1;
        if let Some(cage) = self.cages.get_mut(&id) {
            cage.owner = Some(key.clone());
            cage.busy = true;
            cage.used = self.uses;
        }
    }
}

enum Room {
    Free,
    After(CageId),
    Full,
}

impl Conditions {
    const fn allow_spare(self) -> bool {
        !self.small_memory && !self.hidden
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ToolsetId;
    use crate::record::PackageId;

    const FINE: Conditions = Conditions { small_memory: false, hidden: false };

    fn key(chat: u32, package: &str) -> SessionKey {
        SessionKey {
            chat: ChatId::parse(format!("0198c5a4-7c1e-7000-8000-{chat:012}")).expect("is a UUID"),
            toolset: ToolsetId::parse("mine").expect("is a name"),
            package: PackageId::of(package.as_bytes()),
        }
    }

    /// Serves a call to its end.
    fn served(pool: &mut Pool, chat: u32) -> Serve {
        let serve = pool.serve(&key(chat, "one"));
        let cage = match &serve {
            Serve::Use(cage) | Serve::Bind { cage, .. } | Serve::Start { cage, .. } => *cage,
            Serve::Wait => return serve,
        };
        pool.is_ready(cage);
        pool.is_done(cage);
        serve
    }

    fn states(pool: &Pool) -> Vec<(u32, CageState)> {
        pool.lines().into_iter().map(|line| (line.cage.0, line.state)).collect()
    }

    /// R303: one owner, for good.
    #[test]
    fn a_cage_serves_one_owner() {
        let mut pool = Pool::default();
        assert_eq!(served(&mut pool, 1), Serve::Start { cage: CageId(1), end: None });
        assert_eq!(served(&mut pool, 1), Serve::Use(CageId(1)));
        assert_eq!(served(&mut pool, 2), Serve::Start { cage: CageId(2), end: None });
        assert_eq!(served(&mut pool, 1), Serve::Use(CageId(1)));
    }

    #[test]
    fn the_spare_is_given_away_once() {
        let mut pool = Pool::default();
        assert_eq!(pool.start_spare(FINE), Some(CageId(1)));
        assert_eq!(pool.start_spare(FINE), None);
        assert_eq!(states(&pool), [(1, CageState::Starting)]);
        pool.is_ready(CageId(1));
        assert_eq!(states(&pool), [(1, CageState::Spare)]);
        assert_eq!(pool.serve(&key(1, "one")), Serve::Bind { cage: CageId(1), end: None });
        assert_eq!(states(&pool), [(1, CageState::Running)]);
        assert_eq!(pool.start_spare(FINE), Some(CageId(2)));
        // One that is still starting is taken too: it is ready before another would be.
        assert_eq!(pool.serve(&key(2, "one")), Serve::Bind { cage: CageId(2), end: None });
        assert_eq!(states(&pool), [(1, CageState::Running), (2, CageState::Starting)]);
        pool.is_done(CageId(1));
        assert_eq!(states(&pool)[0], (1, CageState::Idle));
    }

    #[test]
    fn no_spare_where_memory_is_short_or_nobody_looks() {
        let mut pool = Pool::default();
        let (small, hidden) = (Conditions { small_memory: true, ..FINE }, Conditions { hidden: true, ..FINE });
        assert_eq!((pool.start_spare(small), pool.start_spare(hidden)), (None, None));
        pool.start_spare(FINE);
        assert_eq!((pool.drop_spare(FINE), pool.drop_spare(hidden)), (None, Some(CageId(1))));
        assert_eq!(pool.lines(), []);
    }

    #[test]
    fn at_most_three_and_the_least_recent_goes() {
        let mut pool = Pool::default();
        for chat in [1, 2, 3, 1] {
            served(&mut pool, chat);
        }
        assert_eq!(served(&mut pool, 4), Serve::Start { cage: CageId(4), end: Some(CageId(2)) });
        assert_eq!(served(&mut pool, 3), Serve::Use(CageId(3)));
        pool.start_spare(FINE);
        assert_eq!(served(&mut pool, 5), Serve::Bind { cage: CageId(5), end: Some(CageId(1)) });
    }

    #[test]
    fn a_busy_cage_is_never_ended_for_another() {
        let mut pool = Pool::default();
        for chat in 1..=3 {
            pool.serve(&key(chat, "one"));
        }
        assert_eq!(pool.serve(&key(4, "one")), Serve::Wait);
        assert_eq!(pool.serve(&key(1, "one")), Serve::Wait);
        pool.is_done(CageId(2));
        assert_eq!(pool.serve(&key(4, "one")), Serve::Start { cage: CageId(4), end: Some(CageId(2)) });
    }

    /// R304: after a stop or a death the same owner is served at once.
    #[test]
    fn what_is_gone_is_replaced() {
        let mut pool = Pool::default();
        pool.serve(&key(1, "one"));
        pool.start_spare(FINE);
        pool.is_gone(CageId(1));
        assert_eq!(pool.serve(&key(1, "one")), Serve::Bind { cage: CageId(2), end: None });
    }

    /// An upgrade never meets modules of the version before, and does not keep its cage alive either.
    #[test]
    fn another_package_is_another_owner() {
        let mut pool = Pool::default();
        served(&mut pool, 1);
        assert_eq!(pool.serve(&key(1, "two")), Serve::Start { cage: CageId(2), end: Some(CageId(1)) });
    }

    #[test]
    fn a_chat_that_is_left_frees_its_cages() {
        let mut pool = Pool::default();
        served(&mut pool, 1);
        served(&mut pool, 2);
        assert_eq!(pool.leave_chat(&key(1, "one").chat), [CageId(1)]);
        pool.serve(&key(2, "one"));
        assert_eq!(pool.leave_chat(&key(2, "one").chat), []);
    }

    #[test]
    fn every_state_has_its_word() {
        let states = [CageState::Starting, CageState::Spare, CageState::Idle, CageState::Running];
        let words = serde_json::to_value(states).expect("serialises");
        assert_eq!(words, serde_json::json!(["starting", "spare", "idle", "running"]));
    }
}
