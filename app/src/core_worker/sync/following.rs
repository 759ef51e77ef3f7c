//! Who has the role: one worker over all tabs drives the rounds of sync, as `core::sync::Driver` says.

use std::cell::Cell;
use std::time::Duration;

use futures_channel::mpsc;
use futures_util::StreamExt as _;
use futures_util::future::{AbortHandle, abortable};
use satchel_core::sync::{
    Driver, DriverEffect, DriverEvent, DriverView, Progress, Round, RoundNumber, RoundOutcome, SyncError, SyncKeys,
    SyncLimits, Synced,
};
use satchel_core::time::Timestamp;

use super::line::SyncLine;
use super::{SyncWord, kept, news, say};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::SyncTurn;
use crate::browser::{clock, random};
use crate::work::store::AppStore;
use crate::work::sync::{self, SyncChoice};

thread_local! {
    /// Whether this worker has the role, or waits for it.
    static FOLLOWS: Cell<bool> = const { Cell::new(false) };
}

/// What whoever has the role hears.
enum Heard {
    /// Something for the driver.
    Event(DriverEvent),
    /// A word of another tab or worker.
    Word(SyncWord),
}

/// The one who has the role.
struct Keeper {
    store: IndexedDbStore,
    sender: mpsc::UnboundedSender<Heard>,
    driver: Driver,
    view: DriverView,
    round: Option<AbortHandle>,
    wake: Option<AbortHandle>,
}

/// Takes the role once it is free, for the rest of this worker's life. Where somebody has it, they are told to try again.
pub(super) fn follow(store: &IndexedDbStore) {
    if FOLLOWS.replace(true) {
        say(&SyncWord::Again);
        return;
    }
    let store = store.clone();
    spawn(async move {
        let _turn = SyncTurn::wait().await;
        let (sender, mut heard) = mpsc::unbounded();
        let of_words = sender.clone();
        tab_news::on_words_of_sync(move |words| {
            if let Ok(word) = serde_json::from_str(&words) {
                of_words.unbounded_send(Heard::Word(word)).ok();
            }
        });
        let of_writes = sender.clone();
        tab_news::on_here_too(Topic::Outbox, move || {
            of_writes.unbounded_send(Heard::Event(DriverEvent::Written)).ok();
        });
        let (driver, view) = (Driver::default(), DriverView::Off);
        let mut keeper = Keeper { store, sender, driver, view, round: None, wake: None };
        keeper.read_choice().await;
        while let Some(heard) = heard.next().await {
            keeper.hear(heard).await;
        }
    });
}

impl Keeper {
    async fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Event(event) => self.handle(event),
            Heard::Word(SyncWord::Look) => say(&SyncWord::Shown(self.view.clone())),
            Heard::Word(SyncWord::Changed) => self.read_choice().await,
            Heard::Word(SyncWord::Again) if self.view == DriverView::Paused => {}
            Heard::Word(SyncWord::Again) => self.handle(DriverEvent::Resumed),
            Heard::Word(SyncWord::Noticed) => self.handle(DriverEvent::Noticed),
            Heard::Word(SyncWord::Listening) => self.handle(DriverEvent::Listening),
            // Its own.
            Heard::Word(SyncWord::Shown(_)) => {}
        }
    }

    /// Does as the user wants now. A round under the key of before is let go.
    async fn read_choice(&mut self) {
        let choice = sync::choice(AppStore::Kept(self.store.clone())).await;
        let stopped = self.driver.handle(DriverEvent::Stopped, clock::now(), 0);
        self.carry_out(stopped.into_iter().filter(|effect| !matches!(effect, DriverEffect::Show(_))).collect());
        match choice {
            SyncChoice { is_on: false, .. } => self.show(DriverView::Off),
            SyncChoice { is_paused: false, .. } => self.handle(DriverEvent::Started),
            SyncChoice { .. } => {
                // It rests from the start: what would be done at one is not.
                drop(self.driver.handle(DriverEvent::Started, clock::now(), 0));
                self.handle(DriverEvent::Paused);
            }
        }
    }

    fn handle(&mut self, event: DriverEvent) {
        let effects = self.driver.handle(event, clock::now(), random::chance());
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<DriverEffect>) {
        for effect in effects {
            match effect {
                DriverEffect::RunRound(number) => self.run_round(number),
                DriverEffect::StopRound => {
                    if let Some(round) = self.round.take() {
                        round.abort();
                    }
                }
                DriverEffect::WakeAt(at) => self.wake_at(at),
                DriverEffect::Show(view) => self.show(view),
            }
        }
    }

    fn show(&mut self, view: DriverView) {
        if self.view != view {
            self.view = view;
            say(&SyncWord::Shown(self.view.clone()));
        }
    }

    fn run_round(&mut self, number: RoundNumber) {
        let (store, sender) = (self.store.clone(), self.sender.clone());
        let (round, handle) = abortable(async move {
            let outcome = match round(&store, number, &sender).await {
                Ok(synced) => RoundOutcome::Done(synced),
                Err(error) => RoundOutcome::Failed(error),
            };
            sender.unbounded_send(Heard::Event(DriverEvent::Ended(number, outcome))).ok();
        });
        self.round = Some(handle);
        spawn(async move {
            // Who stopped it knows.
            round.await.ok();
        });
    }

    fn wake_at(&mut self, at: Timestamp) {
        if let Some(earlier) = self.wake.take() {
            earlier.abort();
        }
        let sender = self.sender.clone();
        let wait = Duration::from_millis(at.as_millis().saturating_sub(clock::now().as_millis()));
        let (waiting, handle) = abortable(async move {
            clock::wait(wait).await;
            sender.unbounded_send(Heard::Event(DriverEvent::Woken)).ok();
        });
        self.wake = Some(handle);
        spawn(async move {
            waiting.await.ok();
        });
    }
}

/// One round with the key that is kept, over the server that is known.
async fn round(
    store: &IndexedDbStore,
    number: RoundNumber,
    sender: &mpsc::UnboundedSender<Heard>,
) -> Result<Synced, SyncError> {
    let (server, device) = (SyncLine::of(store).await?, kept::device(store).await?);
    let keys = SyncKeys::new(&kept::settled(store, &server, &device).await?.key);
    let told = |progress: Progress| {
        // Who has the role lives longer than any round of it.
        sender.unbounded_send(Heard::Event(DriverEvent::Progressed(number, progress))).ok();
    };
    let (server, keys, device) = (&server, &keys, &device);
    let limits = SyncLimits::default();
    Round { store, server, keys, device, limits, now: &clock::now, told: &told, came: &news::tell }.run().await
}
