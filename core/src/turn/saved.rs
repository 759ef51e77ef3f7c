//! What a running turn leaves on its device, so that whoever finds it dead knows: that it runs, and what has come of its answer.
//!
//! Both stay on the device: a chat that is being answered on another one is that device's matter.

use serde::{Deserialize, Serialize};

use crate::ids::{ChatId, MessageId};
use crate::model::Draft;
use crate::record::{self, Position};
use crate::store::{self, Store, StoreError};

use super::{State, Turn};

/// How the marks of turns begin; the chat follows.
const TURNS: &str = "turn/";

/// The mark of a turn that runs in a chat: stored with its first commit, gone with its last.
#[must_use]
pub fn turn_mark(chat: &ChatId) -> Position {
    Position { place: format!("{TURNS}{chat}"), value: true.into() }
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
        };
        let text = serde_json::to_string(&saved).expect("texts and numbers always serialise");
        Some(record::Draft { place: saved_answer_place(&self.chat.id), text, ..record::Draft::default() })
    }
}
