//! What a turn is given: the model, the tools, the limits; and with every event the time and fresh ids.

use std::collections::BTreeMap;

use crate::ids::{MessageId, ToolCallId};
use crate::model::ModelLimits;
use crate::protocol::ModelPrices;
use crate::time::Timestamp;

use super::Offers;

/// What holds for a whole turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnSetup {
    /// The model, and how it is asked.
    pub model: ModelSettings,
    /// What it may call.
    pub offers: Offers,
    /// How far it may go.
    pub limits: TurnLimits,
    /// What the model is told of the files that came with messages, by message.
    pub files: BTreeMap<MessageId, String>,
}

/// A model, and how it is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSettings {
    /// Its provider's name for it.
    pub name: String,
    /// What frames the conversation.
    pub system: Option<String>,
    /// How much chance there is in its answers.
    pub temperature: Option<f64>,
    /// How long its answers may be, in tokens.
    pub max_tokens: Option<u32>,
    /// How much it takes, answer included, in tokens; none where nobody knows.
    pub context_tokens: Option<u64>,
    /// Whether it sees pictures.
    pub sees_images: bool,
    /// What it costs, where that is known.
    pub prices: Option<ModelPrices>,
}

/// How far a turn may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Rounds of calls; after them the model answers without tools (R191, C43).
    pub rounds: u32,
    /// How often a conversation is made shorter that the provider finds too long.
    pub overflows: u32,
    /// How much a model may say.
    pub model: ModelLimits,
}

/// The rounds of calls a chat has unless it says otherwise (R191).
pub const USUAL_ROUNDS: u32 = 5;

impl Default for TurnLimits {
    fn default() -> Self {
        Self { rounds: USUAL_ROUNDS, overflows: 3, model: ModelLimits::default() }
    }
}

impl TurnLimits {
    /// With the rounds that a chat has set: none where its switch is off (R191). There is always one.
    #[must_use]
    pub fn with_rounds(self, set: Option<u32>) -> Self {
        Self { rounds: set.unwrap_or(USUAL_ROUNDS).max(1), ..self }
    }
}

/// When an event is handled, and where fresh ids come from.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The time.
    pub now: Timestamp,
    /// Gives a fresh UUID of version 7 with every call.
    pub fresh_id: &'a dyn Fn() -> String,
}

impl At<'_> {
    pub(super) fn message_id(&self) -> MessageId {
        MessageId::parse((self.fresh_id)()).expect("fresh ids are UUIDs")
    }

    pub(super) fn call_id(&self) -> ToolCallId {
        ToolCallId::parse((self.fresh_id)()).expect("fresh ids are UUIDs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R191
    #[test]
    fn a_chat_has_five_rounds_unless_it_says_otherwise() {
        let rounds = |set| TurnLimits::default().with_rounds(set).rounds;
        assert_eq!((rounds(None), rounds(Some(2)), rounds(Some(0))), (5, 2, 1));
    }
}
