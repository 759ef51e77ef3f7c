//! Calls that a dead tab has left: they are ended, and never made again (R315).
//!
//! A call that runs has a mark beside its row. The mark stays on the device: a row that says `running` and came from another device is that
//! device's matter.

use std::collections::BTreeSet;

use crate::ids::ChatId;
use crate::record::{CallStatus, ErrorKind, Position, RowKey, RowRef, ToolCall};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// How the marks begin; the call's id follows, and the value is the chat.
const RUNNING: &str = "running/";

/// The mark of a call that begins.
pub(super) fn mark(call: &ToolCall) -> Position {
    Position { place: format!("{RUNNING}{}", call.id), value: call.chat_id.as_str().into() }
}

/// The commit with which a call is over.
pub(super) fn unmark(commit: Commit, call: &ToolCall) -> Commit {
    commit.delete(RowRef::of(&mark(call)))
}

/// The chats in which calls of this device run, or were running when their tab went.
pub async fn chats_left_running(store: &impl Store) -> Result<BTreeSet<ChatId>, StoreError> {
    Ok(marks(store).await?.into_iter().map(|(chat, _)| chat).collect())
}

/// Ends the calls of a chat whose tab is gone, and gives them. To be called by who has the chat's turn to run tools and runs none: nobody
/// else can be running them. The files are those of before, and nothing is run again: what a tool may have done outside is not known.
pub async fn interrupt_left(store: &impl Store, chat: &ChatId, now: Timestamp) -> Result<Vec<ToolCall>, StoreError> {
    let (mut commit, mut ended) = (Commit::default(), Vec::new());
    let mut left = marks(store).await?;
    left.retain(|(of, _)| of == chat);
    if left.is_empty() {
        return Ok(ended);
    }
    for (_, place) in left {
        let row: Option<ToolCall> = store::get(store, RowKey::one(&place[RUNNING.len()..])).await?;
        let is_running = |call: &ToolCall| match call.status {
            CallStatus::Running => true,
            CallStatus::Pending | CallStatus::Success | CallStatus::Error => false,
        };
        if let Some(call) = row.filter(is_running) {
            let over = interrupted(&call, now);
            commit = commit.change(&call, &over);
            ended.push(over);
        }
        commit = commit.delete(RowRef::to::<Position>(RowKey::one(place)));
    }
    store.apply(commit, now).await?;
    Ok(ended)
}

/// A call as it is when its tab is gone.
fn interrupted(call: &ToolCall, now: Timestamp) -> ToolCall {
    let message = format!("interrupted: the tab it ran in was closed; {}", super::ending::DROPPED);
    ToolCall {
        status: CallStatus::Error,
        render_plan: Some(super::ending::error_plan(&message)),
        error: Some(message),
        error_kind: Some(ErrorKind::Interrupted),
        finished_at: Some(now),
        post_manifest_id: call.pre_manifest_id.clone(),
        ..call.clone()
    }
}

/// The marks, each with its chat. What is no mark of ours is left alone.
async fn marks(store: &impl Store) -> Result<Vec<(ChatId, String)>, StoreError> {
    let positions = store::list::<Position>(store).await?;
    let mark = |position: Position| {
        let chat = ChatId::parse(position.value.as_str()?).ok()?;
        position.place.starts_with(RUNNING).then_some((chat, position.place))
    };
    Ok(positions.into_iter().flatten().filter_map(mark).collect())
}
