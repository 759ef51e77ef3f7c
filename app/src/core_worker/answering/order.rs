//! What the page orders, hears meanwhile, and gets in the end.

use satchel_core::ids::{ChatId, MessageId};
use satchel_core::model::ModelChoice;
use satchel_core::protocol::{Capability, ModelPrices, ProviderFormat};
use satchel_core::turn::TurnEnd;
use serde::{Deserialize, Serialize};

/// What is to be answered, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnswerOrder {
    /// The chat.
    pub(crate) chat: ChatId,
    /// The message to answer: an answer that is there already stays as a branch beside the new one.
    pub(crate) below: MessageId,
    /// By whom.
    pub(crate) model: ModelChoice,
    /// What its provider speaks, where the server reaches it.
    pub(crate) format: Option<ProviderFormat>,
    /// How much that model takes, in tokens, where it is known.
    pub(crate) context_tokens: Option<u64>,
    /// Whether that model sees pictures.
    pub(crate) sees_images: bool,
    /// What it costs now, where that is known.
    pub(crate) prices: Option<ModelPrices>,
    /// What the connected server can do.
    pub(crate) capabilities: Vec<Capability>,
}

/// What happens while a chat is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnsweringNews {
    /// The chat.
    pub(crate) chat: ChatId,
    /// What happened.
    pub(crate) event: AnsweringEvent,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnsweringEvent {
    /// The model is asked, and nothing has come of this answer yet.
    Asked {
        /// What is answered.
        below: MessageId,
        /// The message that the answer will be.
        message: MessageId,
    },
    /// More of the answer came.
    More {
        /// Text.
        text: String,
        /// Thoughts.
        reasoning: String,
        /// The names of all calls that the answer asks for so far, as the model writes them.
        calls: Vec<String>,
    },
    /// Another tab has the chat answered, and has come so far.
    Elsewhere {
        /// What is answered.
        below: MessageId,
        /// The message that the answer will be.
        message: MessageId,
        /// All its text.
        text: String,
        /// All its thoughts.
        reasoning: String,
        /// The names of its calls.
        calls: Vec<String>,
    },
    /// The other tab is done with it, or gone.
    Over,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answered {
    /// What there is to say about it, a sentence without its full stop.
    pub(crate) words: Option<String>,
    /// Whether that is bad news.
    pub(crate) is_failure: bool,
    /// The last message of the branch then: what is answered to go on.
    pub(crate) after: Option<MessageId>,
}

impl Answered {
    pub(super) fn of(end: TurnEnd, after: Option<MessageId>) -> Self {
        let (words, is_failure) = match end {
            TurnEnd::Done(notice) => (notice.map(|notice| notice.to_string()), false),
            TurnEnd::Stopped => (None, false),
            TurnEnd::Failed(failure) => (Some(failure.to_string()), true),
        };
        Self { words, is_failure, after }
    }

    pub(crate) fn failed(words: String) -> Self {
        Self { words: Some(words), is_failure: true, after: None }
    }
}
