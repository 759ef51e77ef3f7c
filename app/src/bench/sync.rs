//! Sync, as it is measured: rows to send, and the rounds of a device over a server that the page's own host passes requests on to.

use satchel_core::protocol::{SYNC_CONTENT_TYPE, SyncAnswer, SyncAsk, frame_sync, unframe_sync};
use satchel_core::record::{Content, Message, Role};
use satchel_core::store::{Commit, Store as _};
use satchel_core::sync::{AccountKey, Membership, NotReached, Round, SyncKeys, SyncLimits, SyncServer};
use serde_json::Map;

use super::{Opened, content, opened, told};
use crate::browser::outgoing::{self, Outgoing};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::{clock, random};
use crate::work::store::AppStore;

/// Bytes of an answer.
const MOST: u64 = 64 << 20;
/// Bytes of a message.
const SAID: usize = 300;

/// The way to the server.
struct Line {
    href: String,
    token: String,
}

impl SyncServer for Line {
    async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
        let failed = |reason: String| NotReached { reason, can_retry: false };
        let headers = [
            ("authorization".to_owned(), format!("Bearer {}", self.token)),
            ("content-type".to_owned(), SYNC_CONTENT_TYPE.to_owned()),
        ];
        let body = RawBytes::from(frame_sync(&ask, &beside).as_slice());
        let outgoing = Outgoing { method: "POST", href: &self.href, headers: &headers, body: Some(&body) };
        let incoming = outgoing::send(outgoing).await.map_err(|error| failed(format!("{error:?}")))?;
        let answer = incoming.body(MOST, |_, _| {}).await.map_err(|error| failed(format!("{error:?}")))?;
        unframe_sync(&answer.to_vec()).map_err(|error| failed(error.to_string()))
    }
}

/// Says so many things in the chat that is open, one answering the other.
pub(super) async fn talk(rows: u32) -> Result<(), String> {
    const PORTION: u32 = 1_000;
    let Opened { store, chat } = opened()?;
    let mut last = None;
    for first in (0..rows).step_by(PORTION as usize) {
        let mut commit = Commit::relaxed();
        for number in first..rows.min(first + PORTION) {
            let said = String::from_utf8(content(number, 1, SAID)).map_err(told)?;
            let message = Message {
                id: random::message_id(),
                chat_id: chat.chat.id.clone(),
                parent_id: last,
                role: if number % 2 == 0 { Role::User } else { Role::Assistant },
                content: Content::Text(said),
                tool_calls: Vec::new(),
                tool_call_id: None,
                metadata: Map::new(),
                created_at: clock::now(),
            };
            commit = commit.put(&message);
            last = Some(message.id);
        }
        store.apply(commit, clock::now()).await.map_err(told)?;
    }
    Ok(())
}

/// One round of the device whose database is open, in the one account that is measured. It is to send, or to receive, at least so much.
pub(super) async fn round(href: String, token: String, sends: usize, receives: usize) -> Result<(), String> {
    let Opened { store: AppStore::Kept(store), .. } = opened()? else { return Err("nothing is kept".to_owned()) };
    let device = store.device().await.map_err(told)?.ok_or("the device has no id")?;
    let keys = SyncKeys::new(&AccountKey::from_random([7; 16]));
    let server = Line { href, token };
    Membership { server: &server, keys: &keys, device: &device }.begin().await.map_err(told)?;
    let round = Round {
        store: &store,
        server: &server,
        keys: &keys,
        device: &device,
        limits: SyncLimits::default(),
        now: &clock::now,
        told: &|_progress| {},
        came: &|_tables| {},
    };
    let synced = round.run().await.map_err(told)?;
    if synced.sent < sends || synced.received < receives || synced.held_back > 0 {
        return Err(format!("not all of it was synced: {synced:?}"));
    }
    Ok(())
}
