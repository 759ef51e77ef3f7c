//! What an answer consists of, piece by piece, as it comes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More text.
    Text(String),
    /// More of what the model thinks.
    Reasoning(String),
    /// The provider's seal under the thought that came last, without which it will not take it back.
    ReasoningSeal(String),
    /// A thought that only the provider can read.
    HiddenReasoning(String),
    /// More of a call.
    Call(CallDelta),
    /// What it cost so far.
    Usage(Usage),
    /// Why it ends.
    Finish(Finish),
}

/// More of a call. Whatever a provider numbers its calls by, here they are counted from 0 in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallDelta {
    /// Which call.
    pub slot: usize,
    /// The model's id of it.
    pub id: Option<String>,
    /// The wire name of the tool, from now on; a name that comes in pieces is given whole each time.
    pub name: Option<String>,
    /// More of the arguments, as text.
    pub arguments: String,
    /// What the provider attached to it and wants back unchanged.
    pub extra: Option<Value>,
}

/// Tokens, as the provider counts them. What it does not tell is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of everything that was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Those of them that the provider still had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens of the answer, thoughts included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// Why an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model has said all it wants to.
    Stop,
    /// It wants tools to be called.
    ToolCalls,
    /// It may not say more: its length, or its context, is used up.
    Length,
    /// Its provider does not let it say more.
    ContentFilter,
    /// Nobody said why; perhaps the connection was cut.
    Unsaid,
}

impl Usage {
    /// Whether nothing is told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is known after a later count, which replaces an earlier one.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        Self {
            input_tokens: later.input_tokens.or(self.input_tokens),
            cached_tokens: later.cached_tokens.or(self.cached_tokens),
            output_tokens: later.output_tokens.or(self.output_tokens),
        }
    }
}
