//! What a running turn leaves on its device, so that whoever finds it dead knows: that it runs, and what has come of its answer.
//!
//! Both stay on the device: a chat that is being answered on another one is that device's matter.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::model::Draft;
use crate::record::{self, Position, RowKey};
use crate::store::{self, Store, StoreError};

use super::{State, Turn};

/// How the marks of turns begin; the chat follows.
const TURNS: &str = "turn/";

/// The mark of a turn that runs in a chat: stored with its first commit, gone with its last.
#[must_use]
pub fn turn_mark(chat: &ChatId) -> Position {
    Position { place: format!("{TURNS}{chat}"), value: true.into() }
}

/// The same mark, with the calls that the user is asked about: whoever takes over knows by it which waiting calls were this device's.
pub(super) fn asking_mark(chat: &ChatId, asked: &BTreeSet<ToolCallId>) -> Position {
    let asked: Vec<&str> = asked.iter().map(ToolCallId::as_str).collect();
    Position { value: json!({ "asked": asked }), ..turn_mark(chat) }
}

/// The calls of a turn on this device that the user was asked about.
pub async fn asked_calls(store: &impl Store, chat: &ChatId) -> Result<BTreeSet<ToolCallId>, StoreError> {
    let mark: Option<Position> = store::get(store, RowKey::one(turn_mark(chat).place)).await?;
    let asked = mark.as_ref().and_then(|mark| mark.value.get("asked")?.as_array());
    Ok(asked.into_iter().flatten().filter_map(|id| ToolCallId::parse(id.as_str()?).ok()).collect())
}

/// The chats in which turns of this device run, or were running when their tab went.
pub async fn left_turns(store: &impl Store) -> Result<Vec<ChatId>, StoreError> {
    let positions = store::list::<Position>(store).await?.into_iter().flatten();
    Ok(positions.filter_map(|position| ChatId::parse(position.place.strip_prefix(TURNS)?).ok()).collect())
}

/// The place in `drafts` where the answer is saved that is coming in a chat.
#[must_use]
pub fn saved_answer_place(chat: &ChatId) -> String {
    format!("answer/{chat}")
}

/// What is saved of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedAnswer {
    /// The message it will be.
    pub message: MessageId,
    /// What it answers.
    pub parent: Option<MessageId>,
    /// The model.
    pub model: String,
    /// What came so far.
    pub draft: Draft,
    /// The messages that were not sent for it (R320).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<MessageId>,
}

impl SavedAnswer {
    /// Reads what was saved; nothing where this version does not understand it.
    #[must_use]
    pub fn of(row: &record::Draft) -> Option<Self> {
        serde_json::from_str(&row.text).ok()
    }
}

impl Turn {
    /// The row that saves what has come of the answer; nothing while nothing has.
    #[must_use]
    pub fn saved_answer(&self) -> Option<record::Draft> {
        let State::Asking(asking) = &self.state else { return None };
        if asking.draft == Draft::default() {
            return None;
        }
        let saved = SavedAnswer {
            message: asking.message.clone(),
            parent: self.path.last().map(|last| last.id.clone()),
            model: self.setup.model.name.clone(),
            draft: asking.draft.clone(),
            left_out: asking.left_out.clone(),
        };
        let text = serde_json::to_string(&saved).expect("texts and numbers always serialise");
        Some(record::Draft { place: saved_answer_place(&self.chat.id), text, ..record::Draft::default() })
    }
}
