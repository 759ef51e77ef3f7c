//! Calls that a dead tab has left: they are ended, and never made again (R315).
//!
//! A call that runs has a mark beside its row. The mark stays on the device: a row that says `running` and came from another device is that
//! device's matter.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Spoken, spoken};
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::record::{CallStatus, ErrorKind, Position, RowKey, RowRef, ToolCall};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// How the marks begin; the call's id follows. The value is the chat or, for a call that a message is to answer, the chat and that message.
const RUNNING: &str = "running/";

/// The mark of a call that begins.
pub(super) fn mark(call: &ToolCall, spoken: Option<&Spoken>) -> Position {
    let chat = call.chat_id.as_str();
    let value = match spoken {
        None => chat.into(),
        Some(spoken) => json!([chat, spoken.answer.as_str()]),
    };
    Position { place: format!("{RUNNING}{}", call.id), value }
}

/// The commit with which a call is over.
pub(super) fn unmark(commit: Commit, call: &ToolCall) -> Commit {
    commit.delete(RowRef::of(&mark(call, None)))
}

/// The chats in which calls of this device run, or were running when their tab went.
pub async fn chats_left_running(store: &impl Store) -> Result<BTreeSet<ChatId>, StoreError> {
    Ok(marks(store).await?.into_iter().map(|mark| mark.chat).collect())
}

/// Ends the calls of a chat whose tab is gone, and gives them. To be called by who has the chat's turn to run tools and runs none: nobody
/// else can be running them. The files are those of before, and nothing is run again: what a tool may have done outside is not known.
pub async fn interrupt_left(store: &impl Store, chat: &ChatId, now: Timestamp) -> Result<Vec<ToolCall>, StoreError> {
    interrupt(store, chat, |_| true, now).await
}

/// The same, for some of them.
pub(super) async fn interrupt(
    store: &impl Store,
    chat: &ChatId,
    is_left: impl Fn(&ToolCallId) -> bool,
    now: Timestamp,
) -> Result<Vec<ToolCall>, StoreError> {
    let (mut commit, mut ended) = (Commit::default(), Vec::new());
    let mut left = marks(store).await?;
    let counts = |mark: &Mark| ToolCallId::parse(&mark.place[RUNNING.len()..]).is_ok_and(|id| is_left(&id));
    left.retain(|mark| mark.chat == *chat && counts(mark));
    if left.is_empty() {
        return Ok(ended);
    }
    for Mark { place, answer, .. } in left {
        let row: Option<ToolCall> = store::get(store, RowKey::one(&place[RUNNING.len()..])).await?;
        let is_running = |call: &ToolCall| match call.status {
            CallStatus::Running => true,
            CallStatus::Pending | CallStatus::Success | CallStatus::Error => false,
        };
        if let Some(call) = row.filter(is_running) {
            let over = interrupted(&call, now);
            commit = commit.change(&call, &over);
            if let (Some(answer), Some(question)) = (answer, &over.message_id) {
                commit = commit.then(spoken::answer(answer, question.clone(), &over, now));
            }
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

/// A mark that was found.
struct Mark {
    place: String,
    chat: ChatId,
    /// The message that is to answer the call.
    answer: Option<MessageId>,
}

/// The marks. What is no mark of ours is left alone.
async fn marks(store: &impl Store) -> Result<Vec<Mark>, StoreError> {
    let positions = store::list::<Position>(store).await?;
    let mark = |Position { place, value }: Position| {
        let chat = ChatId::parse(value.get(0).unwrap_or(&value).as_str()?).ok()?;
        let answer = value.get(1).and_then(|answer| MessageId::parse(answer.as_str()?).ok());
        place.starts_with(RUNNING).then_some(Mark { place, chat, answer })
    };
    Ok(positions.into_iter().flatten().filter_map(mark).collect())
}
