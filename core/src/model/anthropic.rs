//! Anthropic's messages.
//!
//! They know two voices only: what tools answer is said by the user, and what one voice says in a row is one message. Every block of an
//! answer has a number; a call's arguments come as text, and those of a call that takes nothing do not come at all.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::body::Flow;
use super::format::NO_PICTURE;
use super::{
    AssistantTurn, CallDelta, Delta, Finish, Images, InputPart, ModelMessage, ModelRequest, ToolDefinition, Usage,
};
use crate::base64;

/// How long an answer may be where nothing is said: here something must be.
const MOST_TOKENS: u32 = 8_192;

/// The body of a request.
pub(super) fn body(request: &ModelRequest, images: Images<'_>) -> Value {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            ModelMessage::User(parts) => ("user", parts.iter().filter_map(|part| input(part, images)).collect()),
            ModelMessage::Assistant(said) => ("assistant", spoken(said)),
            ModelMessage::Tool(answer) => {
                let mut block =
                    json!({"type": "tool_result", "tool_use_id": answer.call_id, "content": answer.content});
                if answer.failed {
                    block["is_error"] = true.into();
                }
                ("user", vec![block])
            }
        };
        match messages.last_mut() {
            Some((last, so_far)) if *last == role => so_far.extend(blocks),
            Some(_) | None => messages.push((role, blocks)),
        }
    }
    // An empty message is refused.
    messages.retain(|(_, blocks)| !blocks.is_empty());
    let messages = messages.into_iter().map(|(role, content)| json!({"role": role, "content": content}));
    let mut body = Map::new();
    body.insert("model".into(), request.model.as_str().into());
    body.insert("max_tokens".into(), request.max_tokens.unwrap_or(MOST_TOKENS).into());
    if let Some(system) = &request.system {
        body.insert("system".into(), system.as_str().into());
    }
    body.insert("messages".into(), messages.collect());
    body.insert("stream".into(), true.into());
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    body.into()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

/// A text block, if there is text: an empty one is refused.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn input(part: &InputPart, images: Images<'_>) -> Option<Value> {
    match part {
        InputPart::Text(text) => text_block(text),
        InputPart::Image { sha256, media_type } => match images(sha256) {
            None => text_block(NO_PICTURE),
            Some(bytes) => {
                let source = json!({"type": "base64", "media_type": media_type, "data": base64::encode(&bytes)});
                Some(json!({"type": "image", "source": source}))
            }
        },
    }
}

fn spoken(said: &AssistantTurn) -> Vec<Value> {
    let thoughts = said.reasoning.iter().filter_map(|thought| match (&thought.hidden, &thought.seal) {
        (Some(hidden), _) => Some(json!({"type": "redacted_thinking", "data": hidden})),
        (None, Some(seal)) => Some(json!({"type": "thinking", "thinking": thought.text, "signature": seal})),
        // Without its seal a thought is refused.
        (None, None) => None,
    });
    let call = |call: &super::ModelCall| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments});
    thoughts.chain(text_block(&said.text)).chain(said.calls.iter().map(call)).collect()
}

/// Reads the events of one answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    /// The call of each block that is one, by the block's number.
    slots: BTreeMap<u64, usize>,
    calls: usize,
}

impl Reader {
    /// Reads one event. Those of a kind that is not known mean nothing here.
    pub(super) fn event(&mut self, value: &Value, deltas: &mut Vec<Delta>) -> Flow {
        let index = value.get("index").and_then(Value::as_u64).unwrap_or_default();
        match value.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => deltas.extend(value.get("message").and_then(usage).map(Delta::Usage)),
            "content_block_start" => {
                if let Some(block) = value.get("content_block") {
                    self.block(index, block, deltas);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = value.get("delta") {
                    self.delta(index, delta, deltas);
                }
            }
            "message_delta" => {
                deltas.extend(usage(value).map(Delta::Usage));
                let reason = value.get("delta").and_then(|delta| delta.get("stop_reason")?.as_str());
                deltas.extend(reason.map(|reason| Delta::Finish(finish_of(reason))));
            }
            "message_stop" => return Flow::Over,
            _ => {}
        }
        Flow::More
    }

    /// Reads an answer that came in one piece; nothing where it is none.
    pub(super) fn whole(&mut self, value: &Value, deltas: &mut Vec<Delta>) -> Option<()> {
        for (index, block) in (0..).zip(value.get("content")?.as_array()?) {
            self.block(index, block, deltas);
        }
        deltas.extend(usage(value).map(Delta::Usage));
        let reason = value.get("stop_reason").and_then(Value::as_str);
        deltas.extend(reason.map(|reason| Delta::Finish(finish_of(reason))));
        Some(())
    }

    /// The beginning of a block, which may be all of it.
    fn block(&mut self, index: u64, block: &Value, deltas: &mut Vec<Delta>) {
        let text =
            |name: &str| block.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        match block.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" => deltas.extend(text("text").map(Delta::Text)),
            "thinking" => {
                deltas.extend(text("thinking").map(Delta::Reasoning));
                deltas.extend(text("signature").map(Delta::ReasoningSeal));
            }
            "redacted_thinking" => deltas.extend(text("data").map(Delta::HiddenReasoning)),
            "tool_use" => {
                let slot = self.calls;
                self.calls += 1;
                self.slots.insert(index, slot);
                // While it streams this is an empty object, and the arguments follow.
                let whole = block.get("input").filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
                let arguments = whole.map(Value::to_string).unwrap_or_default();
                deltas.push(Delta::Call(CallDelta {
                    slot,
                    id: text("id"),
                    name: text("name"),
                    arguments,
                    extra: None,
                }));
            }
            _ => {}
        }
    }

    fn delta(&mut self, index: u64, delta: &Value, deltas: &mut Vec<Delta>) {
        let text =
            |name: &str| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text_delta" => deltas.extend(text("text").map(Delta::Text)),
            "thinking_delta" => deltas.extend(text("thinking").map(Delta::Reasoning)),
            "signature_delta" => deltas.extend(text("signature").map(Delta::ReasoningSeal)),
            "input_json_delta" => {
                // A block that never began as a call is one of a kind that is not ours.
                if let (Some(slot), Some(arguments)) = (self.slots.get(&index), text("partial_json")) {
                    deltas.push(Delta::Call(CallDelta { slot: *slot, arguments, ..CallDelta::default() }));
                }
            }
            _ => {}
        }
    }
}

fn finish_of(reason: &str) -> Finish {
    match reason {
        "end_turn" | "stop_sequence" | "pause_turn" => Finish::Stop,
        "tool_use" => Finish::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::ContentFilter,
        _ => Finish::Unsaid,
    }
}

/// What was sent is the sum of what was new, what was kept and what was found kept.
fn usage(value: &Value) -> Option<Usage> {
    let usage = value.get("usage")?;
    let number = |name: &str| usage.get(name).and_then(Value::as_u64);
    let sent = [number("input_tokens"), number("cache_creation_input_tokens"), number("cache_read_input_tokens")];
    let told = Usage {
        input_tokens: number("input_tokens").map(|_| sent.iter().flatten().sum()),
        cached_tokens: number("cache_read_input_tokens"),
        output_tokens: number("output_tokens"),
    };
    (!told.is_empty()).then_some(told)
}
