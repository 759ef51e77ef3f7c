//! The way to the account's log on the Satchel server.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use satchel_core::protocol::{SYNC_CONTENT_TYPE, SyncAnswer, SyncAsk, frame_sync, unframe_sync};
use satchel_core::sync::{NotReached, SyncServer};

use crate::browser::clock;
use crate::browser::indexed_db::IndexedDbStore;
use crate::core_worker::mcp::{LineError, ServerLine};

const PATH: &str = "/api/v1/sync";

/// How long the server may take for one answer; megabytes may have to pass.
const PATIENCE: Duration = Duration::from_secs(180);

/// The way to the log.
pub(super) struct SyncLine(ServerLine);

impl SyncLine {
    /// To the server that this device knows.
    pub(super) async fn of(store: &IndexedDbStore) -> Result<Self, NotReached> {
        let none = || NotReached { reason: "none is connected; connect one in Settings".into(), can_retry: false };
        ServerLine::of(store).await.map(Self).ok_or_else(none)
    }
}

impl SyncServer for SyncLine {
    async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
        let body = frame_sync(&ask, &beside);
        drop(beside);
        let answering = pin!(self.0.exchange(PATH, SYNC_CONTENT_TYPE, &body));
        let answer = match select(answering, pin!(clock::wait(PATIENCE))).await {
            Either::Left((answer, _)) => answer.map_err(not_reached)?,
            Either::Right(_) => return Err(NotReached { reason: "it gave no answer in time".into(), can_retry: true }),
        };
        unframe_sync(&answer).map_err(|error| NotReached { reason: error.to_string(), can_retry: false })
    }
}

fn not_reached(error: LineError) -> NotReached {
    let (reason, can_retry) = match error {
        LineError::Unreachable => ("it does not answer".into(), true),
        LineError::Refused { status: 401, .. } => {
            ("it no longer accepts this device's access token; connect it again in Settings".into(), false)
        }
        LineError::Refused { status: 404, .. } => ("it is a server that does not sync".into(), false),
        LineError::Refused { status, message } => (message, status == 429 || status >= 500),
        LineError::TooLarge | LineError::Unreadable => (error.to_string(), false),
    };
    NotReached { reason, can_retry }
}
