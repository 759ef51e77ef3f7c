//! The cages of this tab: who may use which, and a fresh one in reserve. What is decided is core's ([`Pool`]); here it is done.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_channel::oneshot;
use satchel_core::python::{CageNumber, CageState, Claim, Pool, SessionKey};

use super::cage::{Cage, CageError};
use crate::browser::clock;
use crate::browser::core_worker::scope;
use crate::browser::spawn::spawn;
use crate::core_worker::wish::{CageNews, Wish};

/// How long a call that has just got its cage has the computer to itself before the next spare is started: that costs as much as the call.
const HEAD_START: Duration = Duration::from_secs(1);

thread_local! {
    static CAGES: RefCell<Cages> = const { RefCell::new(Cages::new()) };
}

struct Cages {
    pool: Pool,
    /// Those that nobody uses now.
    resting: BTreeMap<CageNumber, Cage>,
    /// Those who wait until something changes.
    waiting: Vec<oneshot::Sender<()>>,
    /// Whether Python is wanted at all; a spare for nobody would only cost memory.
    is_wanted: bool,
    is_small: bool,
    is_seen: bool,
    /// No spare is started before, while a call runs.
    spare_from: Duration,
    /// Whether that is waited for.
    is_spare_awaited: bool,
}

impl Cages {
    const fn new() -> Self {
        Self {
            pool: Pool::new(),
            resting: BTreeMap::new(),
            waiting: Vec::new(),
            is_wanted: false,
            is_small: false,
            is_seen: true,
            spare_from: Duration::ZERO,
            is_spare_awaited: false,
        }
    }

    /// The number of a spare to start now.
    fn take_spare(&mut self) -> Option<CageNumber> {
        let is_busy = self.pool.cages().any(|(state, owner)| owner.is_some() && state != CageState::Idle);
        if !is_busy || clock::monotonic() >= self.spare_from {
            return self.pool.take_spare();
        }
        if !std::mem::replace(&mut self.is_spare_awaited, true) {
            spawn(async {
                clock::wait(HEAD_START).await;
                CAGES.with_borrow_mut(|cages| cages.is_spare_awaited = false);
                settle();
            });
        }
        None
    }
}

/// A cage in somebody's hands. Dropping it ends the cage, unless it was put back.
pub(super) struct Taken {
    number: CageNumber,
    cage: Option<Cage>,
}

impl Taken {
    /// The cage.
    pub(super) fn cage(&mut self) -> &mut Cage {
        self.cage.as_mut().expect("it is taken out only when this is put back")
    }

    /// Puts it back, for the same session to be used again.
    pub(super) fn put_back(mut self) {
        if let Some(cage) = self.cage.take() {
            CAGES.with_borrow_mut(|cages| {
                cages.pool.rests(self.number);
                cages.resting.insert(self.number, cage);
            });
        }
        settle();
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(cage) = self.cage.take() {
            CAGES.with_borrow_mut(|cages| cages.pool.ended(self.number));
            drop(cage);
            settle();
        }
    }
}

/// Whether a cage of this session waits for its next call.
pub(super) fn rests(key: &SessionKey) -> bool {
    CAGES.with_borrow(|cages| cages.resting.values().any(|cage| cage.serves(key)))
}

/// The cage of a session, once it is free or started.
pub(super) async fn take(key: &SessionKey) -> Result<Taken, CageError> {
    loop {
        let claim = CAGES.with_borrow_mut(|cages| {
            cages.spare_from = clock::monotonic() + HEAD_START;
            cages.pool.claim(key)
        });
        match claim {
            Claim::Use(number) => {
                let cage = CAGES.with_borrow_mut(|cages| cages.resting.remove(&number));
                let taken = Taken { number, cage: Some(cage.expect("a cage that can be used rests here")) };
                settle();
                return Ok(taken);
            }
            Claim::Start(number) => {
                settle();
                let taken = Taken { number, cage: Some(start(number).await?) };
                settle();
                return Ok(taken);
            }
            Claim::Wait => until_changed().await,
        }
    }
}

/// Starts a cage that the pool has counted already; should nobody wait for it any more, it is not counted any longer.
async fn start(number: CageNumber) -> Result<Cage, CageError> {
    struct Counted(Option<CageNumber>);
    impl Drop for Counted {
        fn drop(&mut self) {
            if let Some(number) = self.0 {
                CAGES.with_borrow_mut(|cages| cages.pool.ended(number));
                settle();
            }
        }
    }
    let mut counted = Counted(Some(number));
    let cage = Cage::start().await?;
    counted.0 = None;
    CAGES.with_borrow_mut(|cages| cages.pool.started(number));
    Ok(cage)
}

async fn until_changed() {
    let (sender, changed) = oneshot::channel();
    CAGES.with_borrow_mut(|cages| cages.waiting.push(sender));
    // The sender is dropped only by being heard.
    changed.await.ok();
}

/// Says that Python will be wanted, so that a cage is kept in reserve from now on.
pub(super) fn want() {
    CAGES.with_borrow_mut(|cages| cages.is_wanted = true);
    settle();
}

/// Whether the device has little memory.
pub(super) fn set_small(is_small: bool) {
    CAGES.with_borrow_mut(|cages| cages.is_small = is_small);
}

/// Whether somebody can see the tab.
pub(super) fn set_seen(is_seen: bool) {
    CAGES.with_borrow_mut(|cages| cages.is_seen = is_seen);
    settle();
}

/// Does what follows from a change: ends what is too much, starts a spare, wakes those who wait, and tells the page.
fn settle() {
    let (surplus, spare, waiting) = CAGES.with_borrow_mut(|cages| {
        cages.pool.keep_spare(cages.is_wanted && cages.is_seen && !cages.is_small);
        let surplus: Vec<_> =
            cages.pool.take_surplus().into_iter().filter_map(|number| cages.resting.remove(&number)).collect();
        (surplus, cages.take_spare(), std::mem::take(&mut cages.waiting))
    });
    drop(surplus);
    if let Some(number) = spare {
        spawn(async move {
            // A spare that cannot be started is started again by the call that needs it, which then says why not.
            if let Ok(cage) = start(number).await {
                CAGES.with_borrow_mut(|cages| cages.resting.insert(number, cage));
                settle();
            } else {
                CAGES.with_borrow_mut(|cages| cages.is_wanted = false);
            }
        });
    }
    for waiting in waiting {
        waiting.send(()).ok();
    }
    tell();
}

fn tell() {
    let cages = CAGES.with_borrow(|cages| {
        let news = |(state, owner): (CageState, Option<&SessionKey>)| CageNews {
            state,
            toolset_id: owner.map(|key| key.toolset.to_string()),
            chat: owner.map(|key| key.chat.to_string()),
        };
        cages.pool.cages().map(news).collect()
    });
    scope::wish(&Wish::Cages { cages });
}
