//! What a model is asked, in words that belong to no provider.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Reasoning;
use crate::digest::BlobId;

/// One question to a model: everything it is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// The model, by the provider's name for it.
    pub model: String,
    /// What frames the conversation.
    pub system: Option<String>,
    /// What was said, oldest first. It begins with the user, and what asks for calls is followed by an answer to each.
    pub messages: Vec<ModelMessage>,
    /// What may be called; where there is nothing, nothing of tools is sent (R184).
    pub tools: Vec<ToolDefinition>,
    /// How much chance there is in the answer; the provider's own where nothing is said.
    pub temperature: Option<f64>,
    /// How long the answer may be, in tokens; the provider's own where nothing is said.
    pub max_tokens: Option<u32>,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelMessage {
    /// By the user.
    User(Vec<InputPart>),
    /// By the model.
    Assistant(AssistantTurn),
    /// By a tool.
    Tool(ToolAnswer),
}

/// A part of what a user says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputPart {
    /// Text.
    Text(String),
    /// A picture, by the name of its bytes.
    Image {
        /// The blob.
        sha256: BlobId,
        /// Its media type.
        media_type: String,
    },
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantTurn {
    /// What it thought, where its provider wants that back.
    pub reasoning: Vec<Reasoning>,
    /// What it said.
    pub text: String,
    /// What it wants called.
    pub calls: Vec<ModelCall>,
}

/// A call that a model asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    /// What the answer to it is found by.
    pub id: String,
    /// The wire name of the tool.
    pub name: String,
    /// The arguments: always an object.
    pub arguments: Value,
    /// What the provider attached to it and wants back unchanged.
    pub extra: Option<Value>,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The call.
    pub call_id: String,
    /// What came of it.
    pub content: String,
    /// Whether that is an error.
    pub failed: bool,
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Its wire name (C06).
    pub name: String,
    /// What it does.
    pub description: String,
    /// The schema of its arguments.
    pub parameters: Value,
}

impl ModelRequest {
    /// The pictures that have to be at hand when the request is written.
    #[must_use]
    pub fn images(&self) -> BTreeSet<BlobId> {
        let parts = self.messages.iter().flat_map(|message| match message {
            ModelMessage::User(parts) => parts.as_slice(),
            ModelMessage::Assistant(_) | ModelMessage::Tool(_) => &[],
        });
        let image = |part: &InputPart| match part {
            InputPart::Text(_) => None,
            InputPart::Image { sha256, .. } => Some(*sha256),
        };
        parts.filter_map(image).collect()
    }
}
