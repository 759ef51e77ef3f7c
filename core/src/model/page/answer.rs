//! What a model in the page streams, given on as a server of OpenAI's shape would stream it.

use serde_json::{Value, json};

/// How a call begins, before the tool's name and after it; the grammar allows no other spelling.
const BEFORE_NAME: &str = "{\"tool\":\"";
const AFTER_NAME: &str = "\",\"arguments\":";

/// Gives on the chunks of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAnswer {
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Words, or what llama.cpp has read itself.
    AsItComes,
    /// Nothing yet, or not enough to tell words from a call.
    Undecided(String),
    /// Inside the arguments of a call. The brace that closes the call looks like one of theirs, so the last one is held back.
    Arguments { held: String },
}

impl PageAnswer {
    /// An answer that is given on unchanged.
    pub(super) fn as_it_comes() -> Self {
        Self { state: State::AsItComes }
    }

    /// An answer that may be a call.
    pub(super) fn with_calls() -> Self {
        Self { state: State::Undecided(String::new()) }
    }

    /// Takes a chunk, as JSON; gives the bytes of the stream.
    pub fn read(&mut self, chunk: &Value) -> Vec<u8> {
        if self.state == State::AsItComes {
            return event(chunk);
        }
        let choice = chunk.get("choices").and_then(|choices| choices.get(0));
        let text = choice.and_then(|choice| choice.get("delta")?.get("content")?.as_str()).unwrap_or_default();
        let finish = choice.and_then(|choice| choice.get("finish_reason")?.as_str());
        let mut chunk = chunk.clone();
        let (mut delta, mut is_call) = self.take(text, &chunk);
        if let Some(reason) = finish {
            let (last, ends_call) = self.finish(reason == "length");
            join(&mut delta, &last);
            is_call |= ends_call;
        }
        if let Some(place) = chunk.pointer_mut("/choices/0/delta").and_then(Value::as_object_mut) {
            place.remove("content");
            place.extend(delta);
        }
        if let Some(place) = chunk.pointer_mut("/choices/0/finish_reason")
            && is_call
            && finish == Some("stop")
        {
            *place = "tool_calls".into();
        }
        event(&chunk)
    }

    /// The last bytes of the stream.
    #[must_use]
    pub fn end(&self) -> Vec<u8> {
        b"data: [DONE]\n\n".to_vec()
    }

    /// What the next words add to the answer, and whether that is a part of a call.
    fn take(&mut self, text: &str, chunk: &Value) -> (Delta, bool) {
        match &mut self.state {
            State::AsItComes => (words(text), false),
            State::Arguments { held } => {
                held.push_str(text);
                let last = held.char_indices().next_back().map_or(0, |(at, _)| at);
                let held_back = held.split_off(last);
                let given = std::mem::replace(held, held_back);
                (arguments(&given), true)
            }
            State::Undecided(so_far) => {
                so_far.push_str(text);
                let begun = so_far.trim_start();
                if !begun.is_empty() && !begun.starts_with('{') {
                    let given = words(so_far);
                    self.state = State::AsItComes;
                    return (given, false);
                }
                let Some((name, rest)) = begun.strip_prefix(BEFORE_NAME).and_then(|begun| begun.split_once(AFTER_NAME))
                else {
                    return (Delta::new(), false);
                };
                let id = chunk.get("id").and_then(Value::as_str).unwrap_or("page");
                let begin = json!([{"index": 0, "id": format!("call_{id}"), "type": "function",
                    "function": {"name": name, "arguments": ""}}]);
                let rest = rest.to_owned();
                self.state = State::Arguments { held: String::new() };
                let (more, _) = self.take(&rest, chunk);
                let mut delta = Delta::from_iter([("tool_calls".to_owned(), begin)]);
                join(&mut delta, &more);
                (delta, true)
            }
        }
    }

    /// What is left when the answer ends, and whether it was a call.
    fn finish(&mut self, is_cut: bool) -> (Delta, bool) {
        match std::mem::replace(&mut self.state, State::AsItComes) {
            State::AsItComes => (Delta::new(), false),
            // A call that was cut before its arguments is shown as it stands.
            State::Undecided(so_far) => (words(&so_far), false),
            State::Arguments { held } => (arguments(if is_cut { &held } else { held.trim_end_matches('}') }), true),
        }
    }
}

/// The fields of a delta.
type Delta = serde_json::Map<String, Value>;

fn words(text: &str) -> Delta {
    let content = (!text.is_empty()).then(|| ("content".to_owned(), text.into()));
    content.into_iter().collect()
}

fn arguments(text: &str) -> Delta {
    let call = || json!([{"index": 0, "function": {"arguments": text}}]);
    let calls = (!text.is_empty()).then(|| ("tool_calls".to_owned(), call()));
    calls.into_iter().collect()
}

/// Adds what comes later in the same chunk: pieces of a call stand one after another.
fn join(delta: &mut Delta, later: &Delta) {
    for (name, value) in later {
        match (delta.get_mut(name), value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
            (Some(Value::String(text)), Value::String(more)) => text.push_str(more),
            _ => {
                delta.insert(name.clone(), value.clone());
            }
        }
    }
}

fn event(chunk: &Value) -> Vec<u8> {
    format!("data: {chunk}\n\n").into_bytes()
}
