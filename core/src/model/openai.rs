//! Chat completions, as OpenAI has defined them and as everybody else writes them.
//!
//! Known to differ: calls without an index, several calls under one index, names that are repeated with every piece or come in pieces,
//! ids that are left out or empty, arguments as an object, arguments sent a second time, `stop` where calls were asked for, thoughts under
//! two names, content as a list of parts, usage in a last chunk without choices.

use serde_json::{Map, Value, json};

use super::body::Flow;
use super::format::NO_PICTURE;
use super::{CallDelta, Delta, Finish, Images, InputPart, ModelMessage, ModelRequest, ToolDefinition, Usage};
use crate::base64;

/// The body of a request.
pub(super) fn body(request: &ModelRequest, images: Images<'_>) -> Value {
    let system = request.system.iter().map(|system| json!({"role": "system", "content": system}));
    let messages: Vec<Value> = system.chain(request.messages.iter().map(|one| message(one, images))).collect();
    let mut body = Map::new();
    body.insert("model".into(), request.model.as_str().into());
    body.insert("messages".into(), messages.into());
    body.insert("stream".into(), true.into());
    body.insert("stream_options".into(), json!({"include_usage": true}));
    // No `tool_choice` (R183), and no tools where there are none (R184).
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(most) = request.max_tokens {
        body.insert(name_of_most(&request.model).into(), most.into());
    }
    body.into()
}

/// OpenAI's models that think refuse the old name; most other servers know only that one.
fn name_of_most(model: &str) -> &'static str {
    let bare = model.rsplit('/').next().unwrap_or(model);
    let thinks = ["o1", "o3", "o4", "gpt-5"].iter().any(|begin| bare.starts_with(begin));
    if thinks { "max_completion_tokens" } else { "max_tokens" }
}

fn tool(tool: &ToolDefinition) -> Value {
    let ToolDefinition { name, description, parameters } = tool;
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
}

fn message(message: &ModelMessage, images: Images<'_>) -> Value {
    match message {
        ModelMessage::User(parts) => json!({"role": "user", "content": content(parts, images)}),
        ModelMessage::Tool(answer) => {
            json!({"role": "tool", "tool_call_id": answer.call_id, "content": answer.content})
        }
        ModelMessage::Assistant(said) => {
            // Its thoughts are not sent back: most servers refuse them.
            let text =
                if said.text.is_empty() && !said.calls.is_empty() { Value::Null } else { said.text.as_str().into() };
            let mut message = json!({"role": "assistant", "content": text});
            if !said.calls.is_empty() {
                let call = |call: &super::ModelCall| {
                    let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
                    let mut written = json!({"id": call.id, "type": "function", "function": function});
                    if let Some(extra) = &call.extra {
                        written["extra_content"] = extra.clone();
                    }
                    written
                };
                message["tool_calls"] = said.calls.iter().map(call).collect();
            }
            message
        }
    }
}

/// Plain text where there is only text: small servers know nothing else.
fn content(parts: &[InputPart], images: Images<'_>) -> Value {
    if let [InputPart::Text(text)] = parts {
        return text.as_str().into();
    }
    let part = |part: &InputPart| match part {
        InputPart::Text(text) => json!({"type": "text", "text": text}),
        InputPart::Image { sha256, media_type } => match images(sha256) {
            None => json!({"type": "text", "text": NO_PICTURE}),
            Some(bytes) => {
                let url = format!("data:{media_type};base64,{}", base64::encode(&bytes));
                json!({"type": "image_url", "image_url": {"url": url}})
            }
        },
    };
    parts.iter().map(part).collect()
}

/// Reads the chunks of one answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    calls: Vec<OpenCall>,
}

/// A call that has begun.
#[derive(Clone, Debug, Default)]
struct OpenCall {
    /// The number its provider gave it.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Balance,
}

impl Reader {
    /// Reads one chunk.
    pub(super) fn chunk(&mut self, value: &Value, deltas: &mut Vec<Delta>) -> Flow {
        if let Some(choice) = value.get("choices").and_then(|choices| choices.get(0)) {
            // A server that streams whole messages calls them so.
            if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
                self.delta(delta, deltas);
            }
            let finish = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
            deltas.extend(finish.map(|reason| Delta::Finish(finish_of(reason))));
        }
        deltas.extend(usage(value).map(Delta::Usage));
        // The usage comes after the reason, so that a reason is no end.
        Flow::More
    }

    /// Reads an answer that came in one piece; nothing where it is none.
    pub(super) fn whole(&mut self, value: &Value, deltas: &mut Vec<Delta>) -> Option<()> {
        value.get("choices")?.get(0)?.get("message")?.as_object()?;
        self.chunk(value, deltas);
        Some(())
    }

    fn delta(&mut self, delta: &Value, deltas: &mut Vec<Delta>) {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let thought = text("reasoning_content").or_else(|| text("reasoning"));
        deltas.extend(thought.map(|text| Delta::Reasoning(text.into())));
        match delta.get("content") {
            Some(Value::String(text)) if !text.is_empty() => deltas.push(Delta::Text(text.clone())),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| part_of(part, deltas)),
            _ => {}
        }
        // What a model says when it declines is what it says.
        deltas.extend(text("refusal").map(|text| Delta::Text(text.into())));
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let piece = self.call(call);
            deltas.push(Delta::Call(piece));
        }
    }

    fn call(&mut self, value: &Value) -> CallDelta {
        let function = value.get("function").unwrap_or(value);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, name) = (text(value.get("id")), text(function.get("name")));
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let slot = self.slot(value.get("index").and_then(Value::as_u64), &id, &name);
        let open = &mut self.calls[slot];
        // The first id counts: some servers make up another with every piece.
        let fresh_id = (open.id.is_empty() && !id.is_empty()).then(|| id.clone());
        open.id.push_str(fresh_id.as_deref().unwrap_or_default());
        // The whole name again is a repetition, anything else is the next piece of it.
        let renamed = !name.is_empty() && name != open.name && !open.arguments.begun();
        if renamed {
            open.name.push_str(&name);
        }
        CallDelta {
            slot,
            id: fresh_id,
            name: renamed.then(|| open.name.clone()),
            arguments: open.arguments.take(&arguments).to_owned(),
            extra: value.get("extra_content").filter(|extra| !extra.is_null()).cloned(),
        }
    }

    /// Which call a piece belongs to; it may begin one.
    fn slot(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let known = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|call| call.id == id),
        };
        if let Some(slot) = known {
            let open = &self.calls[slot];
            let other_id = !id.is_empty() && !open.id.is_empty() && open.id != id;
            // A name after whole arguments is the next call, whatever its number says; without an id only where nothing numbers it.
            let next =
                !name.is_empty() && open.arguments.complete() && (other_id || (index.is_none() && id.is_empty()));
            // Two calls that take nothing, under one number.
            let bare = other_id && !name.is_empty() && !open.arguments.begun() && !open.name.is_empty();
            if !next && !bare {
                return slot;
            }
        }
        self.calls.push(OpenCall { index, ..OpenCall::default() });
        self.calls.len() - 1
    }
}

/// A part of content that comes as a list.
fn part_of(part: &Value, deltas: &mut Vec<Delta>) {
    let text = |value: &Value| value.get("text").and_then(Value::as_str).map(str::to_owned);
    match part.get("type").and_then(Value::as_str) {
        Some("thinking") => {
            let thoughts = part.get("thinking").and_then(Value::as_array).into_iter().flatten();
            deltas.extend(thoughts.filter_map(text).map(Delta::Reasoning));
        }
        Some(_) | None => deltas.extend(text(part).filter(|text| !text.is_empty()).map(Delta::Text)),
    }
}

fn finish_of(reason: &str) -> Finish {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "eos" | "end_turn" | "stop_sequence" => Finish::Stop,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "content_filter" | "safety" | "recitation" => Finish::ContentFilter,
        _ => Finish::Unsaid,
    }
}

fn usage(value: &Value) -> Option<Usage> {
    // Groq has it in a place of its own.
    let usage = value.get("usage").filter(|usage| usage.is_object()).or_else(|| value.get("x_groq")?.get("usage"))?;
    let number = |name: &str| usage.get(name).and_then(Value::as_u64);
    let cached = usage.get("prompt_tokens_details").and_then(|details| details.get("cached_tokens")?.as_u64());
    let usage = Usage {
        input_tokens: number("prompt_tokens"),
        cached_tokens: cached.or_else(|| number("prompt_cache_hit_tokens")),
        output_tokens: number("completion_tokens"),
    };
    (!usage.is_empty()).then_some(usage)
}

/// How far the text of a JSON object is, without keeping it.
#[derive(Clone, Copy, Debug, Default)]
struct Balance {
    depth: u32,
    in_string: bool,
    escaped: bool,
    state: Progress,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Nothing,
    Begun,
    Complete,
}

impl Balance {
    fn begun(self) -> bool {
        self.state != Progress::Nothing
    }

    fn complete(self) -> bool {
        self.state == Progress::Complete
    }

    /// The part of the next text that still belongs to the object: what comes after its end is a repetition.
    fn take<'a>(&mut self, text: &'a str) -> &'a str {
        for (at, byte) in text.bytes().enumerate() {
            if self.complete() {
                return &text[..at];
            }
            self.state = if byte.is_ascii_whitespace() { self.state } else { Progress::Begun };
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.state = Progress::Complete;
                    }
                }
                _ => {}
            }
        }
        text
    }
}
