//! What the strictest provider would say about a sequence of messages, for tests.

use std::collections::BTreeSet;

use crate::model::{InputPart, ModelMessage};

/// What is wrong with it, if anything.
pub(crate) fn complaint(messages: &[ModelMessage]) -> Option<String> {
    let (mut open, mut seen, mut last): (Vec<&str>, BTreeSet<&str>, &str) = (Vec::new(), BTreeSet::new(), "");
    for (at, message) in messages.iter().enumerate() {
        let voice = match message {
            ModelMessage::User(parts) => {
                let blank = |part: &InputPart| match part {
                    InputPart::Text(text) => text.trim().is_empty(),
                    InputPart::Image { .. } => false,
                };
                if parts.iter().all(blank) {
                    return Some(format!("{at}: the user says nothing"));
                }
                "user"
            }
            ModelMessage::Assistant(said) => {
                if said.text.trim().is_empty() && said.calls.is_empty() {
                    return Some(format!("{at}: the model says nothing"));
                }
                "assistant"
            }
            ModelMessage::Tool(_) => "tool",
        };
        match (last, voice) {
            ("", "user") | ("user", "assistant") | ("assistant" | "tool", "user") | ("tool", "assistant") => {}
            (_, "tool") => {}
            (last, voice) => return Some(format!("{at}: {voice} after {last:?}")),
        }
        match message {
            ModelMessage::Tool(answer) if open.first() == Some(&answer.call_id.as_str()) => {
                open.remove(0);
            }
            ModelMessage::Tool(answer) => return Some(format!("{at}: nobody asked for {}", answer.call_id)),
            ModelMessage::User(_) | ModelMessage::Assistant(_) if !open.is_empty() => {
                return Some(format!("{at}: {open:?} have no answer"));
            }
            ModelMessage::User(_) => {}
            ModelMessage::Assistant(said) => {
                for call in &said.calls {
                    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
                    let named = (1..=64).contains(&call.name.len()) && call.name.bytes().all(legal);
                    if !named || !call.arguments.is_object() || !seen.insert(&call.id) || call.id.len() != 9 {
                        return Some(format!("{at}: {call:?}"));
                    }
                    open.push(&call.id);
                }
            }
        }
        last = voice;
    }
    if !open.is_empty() || !["user", "tool"].contains(&last) {
        return Some(format!("it ends with {last:?}, and {open:?} have no answer"));
    }
    None
}
