//! What is between a device and everything else: a store that lets others come in between, and a network that loses, repeats and delays.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::random::Random;
use super::server::ModelServer;
use crate::digest::BlobId;
use crate::protocol::{SyncAnswer, SyncAsk};
use crate::record::{RowKey, RowRef, Table};
use crate::store::{Commit, Lookup, MemoryStore, OutboxEntry, Rows, Store, StoreError, StoredRow};
use crate::sync::{NotReached, Stamp, SyncServer};
use crate::time::Timestamp;

/// The network and the server behind it.
#[derive(Debug)]
pub(super) struct Network {
    pub(super) server: ModelServer,
    pub(super) random: Random,
    /// Whether it loses and repeats.
    pub(super) is_bad: bool,
    /// Requests that arrive once more, later.
    pub(super) late: Vec<(SyncAsk, Vec<Vec<u8>>)>,
    /// Devices that reach nothing.
    pub(super) cut_off: Vec<bool>,
}

/// One device's end of the network.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) network: Rc<RefCell<Network>>,
    pub(super) device: usize,
}

/// Lets the others go on.
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl SyncServer for Line {
    async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
        let lost = || Err(NotReached { reason: "the simulated network lost it".into(), can_retry: true });
        let delay = self.network.borrow_mut().random.below(3);
        for _ in 0..delay {
            Yield(false).await;
        }
        let (answer, is_heard) = {
            let mut network = self.network.borrow_mut();
            let is_bad = network.is_bad;
            if network.cut_off[self.device] || (is_bad && network.random.one_in(12)) {
                return lost();
            }
            if is_bad && network.random.one_in(8) {
                network.late.push((ask.clone(), beside.clone()));
            }
            let answer = network.server.handle(&ask, &beside);
            (answer, !(is_bad && network.random.one_in(12)))
        };
        Yield(false).await;
        if is_heard { Ok(answer) } else { lost() }
    }
}

/// A device's store, between whose operations anything can happen: other tabs write, and the browser is killed.
#[derive(Clone)]
pub(super) struct Interrupted {
    pub(super) store: MemoryStore,
    pub(super) network: Rc<RefCell<Network>>,
}

impl Interrupted {
    async fn pause(&self) {
        let pauses = self.network.borrow_mut().random.one_in(3);
        if pauses {
            Yield(false).await;
        }
    }
}

impl Store for Interrupted {
    async fn apply(&self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError> {
        self.pause().await;
        let applied = self.store.apply(commit, now).await;
        self.pause().await;
        applied
    }

    async fn look_up<const N: usize>(&self, wanted: [Lookup<'_>; N]) -> Result<[Rows; N], StoreError> {
        self.pause().await;
        self.store.look_up(wanted).await
    }

    async fn stored(&self, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError> {
        self.pause().await;
        self.store.stored(rows).await
    }

    async fn row_keys(&self, table: Table) -> Result<Vec<RowKey>, StoreError> {
        self.store.row_keys(table).await
    }

    async fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.pause().await;
        self.store.blob(id).await
    }

    async fn missing_blobs(&self, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError> {
        self.pause().await;
        self.store.missing_blobs(ids).await
    }

    async fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError> {
        self.store.blob_ids().await
    }

    async fn blobs_touched(&self) -> Result<Option<Stamp>, StoreError> {
        self.store.blobs_touched().await
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        self.pause().await;
        self.store.outbox().await
    }

    async fn mark_sent(&self, sent: &[OutboxEntry]) -> Result<(), StoreError> {
        self.pause().await;
        self.store.mark_sent(sent).await
    }
}
