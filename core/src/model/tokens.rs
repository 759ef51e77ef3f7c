//! How many tokens something costs, before anybody has counted (R312).
//!
//! An estimate that is the same for every model: words of Latin letters by their length, as tool managers of the field count them, and
//! every character of other scripts as one, which is about what tokenisers make of it. It is meant to be rather too high than too low:
//! what decides whether a conversation still fits must not be hopeful.

use crate::catalog::definition_tokens;

use super::{InputPart, ModelMessage, ToolDefinition};

/// What a picture costs, whatever its size: providers scale it to about this.
const PICTURE: u64 = 1_500;

/// What frames a message or a call.
const FRAME: u64 = 6;

/// The estimated tokens of a text.
#[must_use]
pub fn tokens_of_text(text: &str) -> u64 {
    let word = |word: &str| {
        let ascii = word.bytes().filter(u8::is_ascii).count() as u64;
        let others = word.chars().filter(|letter| !letter.is_ascii()).count() as u64;
        let latin = match ascii {
            0 => 0,
            1..=3 => 1,
            4..=7 => ascii.div_ceil(5),
            _ => ascii.div_ceil(4),
        };
        latin + others
    };
    text.split_whitespace().map(word).sum()
}

/// The estimated tokens of a tool: its definition as it is sent.
#[must_use]
pub fn tokens_of_tool(tool: &ToolDefinition) -> u64 {
    definition_tokens(&tool.name, &tool.description, Some(&tool.parameters))
}

/// The estimated tokens of a message as it is sent.
#[must_use]
pub fn tokens_of_message(message: &ModelMessage) -> u64 {
    let part = |part: &InputPart| match part {
        InputPart::Text(text) => tokens_of_text(text),
        InputPart::Image { .. } => PICTURE,
    };
    FRAME
        + match message {
            ModelMessage::User(parts) => parts.iter().map(part).sum(),
            ModelMessage::Tool(answer) => tokens_of_text(&answer.content) + FRAME,
            ModelMessage::Assistant(said) => {
                let thoughts = said.reasoning.iter().map(|thought| {
                    let unread = thought.hidden.as_ref().map_or(0, |hidden| hidden.len() as u64 / 4);
                    tokens_of_text(&thought.text) + unread
                });
                let calls = said
                    .calls
                    .iter()
                    .map(|call| tokens_of_text(&call.name) + tokens_of_text(&call.arguments.to_string()) + FRAME);
                tokens_of_text(&said.text) + thoughts.sum::<u64>() + calls.sum::<u64>()
            }
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R312
    #[test]
    fn texts_are_estimated_by_their_words() {
        for (text, expected) in [("", 0), ("a is", 2), ("tokens", 2), ("estimates", 3), ("日本語", 3), ("größe", 3)]
        {
            assert_eq!(tokens_of_text(text), expected, "{text}");
        }
    }

    /// R312
    #[test]
    fn a_tool_costs_its_definition() {
        let tool = ToolDefinition {
            name: "toolset__mine__count".into(),
            description: "Counts words".into(),
            parameters: json!({"type": "object", "properties": {"text": {"type": "string"}}}),
        };
        assert_eq!(tokens_of_tool(&tool), 23);
    }

    #[test]
    fn pictures_cost_too() {
        let picture = InputPart::Image { sha256: crate::digest::BlobId::of(b"png"), media_type: "image/png".into() };
        assert_eq!(tokens_of_message(&ModelMessage::User(vec![InputPart::Text("what".into()), picture])), 1_507);
    }
}
