//! One round of sync: what this device has to send goes, what others have sent comes.
//!
//! A round is a future over two things: the device's [`Store`] and the [`SyncServer`]. It may be dropped at any moment, as when the browser is
//! killed: whatever it has done by then stands, and the next round goes on from there. It keeps nothing itself. What was sent is noted when the
//! server has acknowledged it, what came is noted in the commit that takes it over; so anything may happen twice, and a merge makes nothing
//! of the second time.

mod blobs;
mod compact;
mod pull;
mod push;

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::error::{NotReached, SyncError};
use super::seal::SyncKeys;
use super::state::SyncState;
use crate::digest::BlobId;
use crate::ids::DeviceId;
use crate::protocol::{SYNC_BATCH_BYTES, SYNC_PART_BYTES, SyncAnswer, SyncAsk, SyncEpoch, SyncRequest, SyncStatus};
use crate::record::{RowRef, Scope, Table};
use crate::store::{Commit, Durability, Store};
use crate::time::Timestamp;

/// The way to the server. There are two: a browser's, and the simulator's.
#[expect(async_fn_in_trait, reason = "all implementers are ours, and none of their futures crosses a thread")]
pub trait SyncServer {
    /// Asks, with bytes beside the head; the answer likewise.
    async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached>;
}

/// How much goes at once, and when the log is long enough to be made into a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct SyncLimits {
    /// Most rows of one change.
    pub change_rows: usize,
    /// About as many bytes of rows in one change.
    pub change_bytes: usize,
    /// Most bytes of a blob in one part.
    pub part_bytes: usize,
    /// About as many bytes of parts in one request.
    pub batch_bytes: usize,
    /// Parts of blobs that one request asks for; the server gives as many as fit.
    pub wanted_parts: usize,
    /// Most blobs that one request names; more only where one row needs more.
    pub names: usize,
    /// So many changes make a snapshot worth its while.
    pub compact_changes: u64,
    /// So do so many bytes of changes.
    pub compact_bytes: u64,
}

impl Default for SyncLimits {
    fn default() -> Self {
        Self {
            change_rows: 2_000,
            change_bytes: 2 << 20,
            part_bytes: SYNC_PART_BYTES,
            batch_bytes: SYNC_BATCH_BYTES,
            wanted_parts: 256,
            names: 50_000,
            compact_changes: 400,
            compact_bytes: 16 << 20,
        }
    }
}

/// How far a round is, for the user's eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Rows are being sent.
    Sending {
        /// So many were.
        sent: usize,
        /// Of so many.
        of: usize,
    },
    /// So many bytes of files were sent.
    SentBytes(u64),
    /// So many changes are still to come.
    Receiving(u64),
    /// So many bytes of files have come.
    ReceivedBytes(u64),
    /// The log is made into a snapshot.
    Compacting,
}

/// What a round has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Rows that were sent.
    pub sent: usize,
    /// Changes that came, of other devices or of this one.
    pub received: usize,
    /// Rows that cannot be sent, because files that they need are missing or damaged on this device; the check of the storage tells which.
    pub held_back: usize,
    /// The server was found to have lost something, as after a restored backup, and everything was sent again.
    pub sent_again: bool,
    /// The log was made into a snapshot.
    pub compacted: bool,
    /// The server has no room for some of what this device has to send; so much it keeps for the account.
    pub full: Option<u64>,
}

/// One round of one device.
pub struct Round<'a, S, R> {
    /// The device's data.
    pub store: &'a S,
    /// The way to the server.
    pub server: &'a R,
    /// The account's keys.
    pub keys: &'a SyncKeys,
    /// This device.
    pub device: &'a DeviceId,
    /// How much at once.
    pub limits: SyncLimits,
    /// The time, asked for whenever something is committed.
    pub now: &'a dyn Fn() -> Timestamp,
    /// Told how far it is.
    pub told: &'a dyn Fn(Progress),
    /// Told which tables have rows that other devices have sent, once those are stored.
    pub came: &'a dyn Fn(&BTreeSet<Table>),
}

/// What a round carries along.
struct Course {
    state: SyncState,
    status: SyncStatus,
    synced: Synced,
    /// Rows that cannot be sent.
    held: BTreeSet<RowRef>,
    /// Rows that the server has no room for.
    waiting: BTreeSet<RowRef>,
}

impl Course {
    /// What is left of the room that the server had when it was asked; it has the last word.
    fn room(&self) -> u64 {
        self.status.quota_bytes.saturating_sub(self.status.used_bytes)
    }
}

/// The server has begun another life of the log in the middle of a round.
pub(super) enum Turn {
    Fault(SyncError),
    OtherEpoch,
}

impl<E: Into<SyncError>> From<E> for Turn {
    fn from(error: E) -> Self {
        Self::Fault(error.into())
    }
}

/// How often a round begins again because the log is another one by now.
const BEGINNINGS: usize = 3;
/// Rows that are put into the outbox again at once.
const RESENT_AT_ONCE: usize = 1000;

impl<S: Store, R: SyncServer> Round<'_, S, R> {
    /// Sends and receives everything there is.
    pub async fn run(&self) -> Result<Synced, SyncError> {
        let sent_again = RefCell::new(false);
        for _ in 0..BEGINNINGS {
            match self.attempt(&sent_again).await {
                Ok(synced) => return Ok(Synced { sent_again: *sent_again.borrow(), ..synced }),
                Err(Turn::OtherEpoch) => {}
                Err(Turn::Fault(error)) => return Err(error),
            }
        }
        Err(SyncError::Busy)
    }

    /// Fetches blobs that the check of the storage found missing or damaged here (R311).
    pub async fn repair(&self, blobs: &[BlobId]) -> Result<(), SyncError> {
        let refusal = |turn| match turn {
            Turn::Fault(error) => error,
            Turn::OtherEpoch => SyncError::Busy,
        };
        match self.ask(None, SyncRequest::Status, Vec::new()).await?.0 {
            SyncAnswer::Status(status) => self.fetch(blobs, &status.epoch).await.map_err(refusal),
            other => Err(refusal(refused(other))),
        }
    }

    async fn attempt(&self, sent_again: &RefCell<bool>) -> Result<Synced, Turn> {
        let status = match self.ask(None, SyncRequest::Status, Vec::new()).await?.0 {
            SyncAnswer::Status(status) => status,
            other => return Err(refused(other)),
        };
        let state = self.state(&status, sent_again).await?;
        let mut course =
            Course { state, status, synced: Synced::default(), held: BTreeSet::new(), waiting: BTreeSet::new() };
        self.push(&mut course).await?;
        self.pull(&mut course).await?;
        // What came may have made this device write something again.
        self.push(&mut course).await?;
        let tidied = match self.send_missing(&mut course).await {
            Ok(()) => self.compact_if_due(&mut course).await,
            refused => refused,
        };
        match tidied {
            // Neither is what the user waits for; what could be received is here.
            Err(Turn::Fault(SyncError::Full(quota_bytes))) => course.synced.full = Some(quota_bytes),
            other => other?,
        }
        course.synced.held_back = course.held.len();
        Ok(course.synced)
    }

    /// How far this device is in the log there is. A log that lacks something which it once had, or is another one, is read from its
    /// beginning, and is given everything that is here: nothing is deleted for not being there.
    async fn state(&self, status: &SyncStatus, sent_again: &RefCell<bool>) -> Result<SyncState, SyncError> {
        let known = SyncState::load(self.store).await?;
        let is_the_same = |known: &SyncState| {
            known.key == *self.keys.id()
                && known.epoch == status.epoch
                && known.cursor <= status.head
                && known.sequence <= status.sequence
        };
        let mut state = match known {
            Some(known) if is_the_same(&known) => known,
            None => SyncState::new(*self.keys.id(), status.epoch.clone()),
            Some(_) => {
                let anew = SyncState::new(*self.keys.id(), status.epoch.clone());
                let anew = SyncState { resend: true, ..anew };
                self.keep(&anew, Durability::Strict).await?;
                anew
            }
        };
        if state.resend {
            *sent_again.borrow_mut() = true;
            for table in Table::ALL.into_iter().filter(|table| table.scope() == Scope::Synced) {
                let keys = self.store.row_keys(table).await?;
                for some in keys.chunks(RESENT_AT_ONCE) {
                    let resend = some.iter().map(|key| RowRef { table, key: key.clone() }).collect();
                    self.store.apply(Commit { resend, ..Commit::default() }, (self.now)()).await?;
                }
            }
            state.resend = false;
            self.keep(&state, Durability::Strict).await?;
        }
        // Its own changes that the server has are nothing new to this device, be their answers lost.
        state.sequence = status.sequence;
        Ok(state)
    }

    async fn keep(&self, state: &SyncState, durability: Durability) -> Result<(), SyncError> {
        let commit = state.keep(Commit { durability, ..Commit::default() });
        self.store.apply(commit, (self.now)()).await?;
        Ok(())
    }

    async fn ask(
        &self,
        epoch: Option<&SyncEpoch>,
        request: SyncRequest,
        beside: Vec<Vec<u8>>,
    ) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
        let ask = SyncAsk { device: self.device.clone(), key: *self.keys.id(), epoch: epoch.cloned(), request };
        self.server.ask(ask, beside).await
    }
}

/// What a refusal means that no step has a use for.
pub(super) fn refused(answer: SyncAnswer) -> Turn {
    let error = match answer {
        SyncAnswer::OtherEpoch { .. } => return Turn::OtherEpoch,
        SyncAnswer::NotBegun => SyncError::NotBegun,
        SyncAnswer::WrongKey => SyncError::WrongKey,
        SyncAnswer::Revoked => SyncError::Revoked,
        SyncAnswer::Full { quota_bytes } => SyncError::Full(quota_bytes),
        SyncAnswer::Damaged => SyncError::DamagedOnServer,
        SyncAnswer::NotCurrent => SyncError::Busy,
        SyncAnswer::BadRequest { message } => SyncError::Unexpected(message),
        other => SyncError::Unexpected(format!("status {}", other.status())),
    };
    Turn::Fault(error)
}

#[cfg(test)]
mod tests;
