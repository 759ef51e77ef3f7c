//! A model that runs in the page: a GGUF file, and llama.cpp to run it.
//!
//! It takes the body that any OpenAI-shaped server takes, and what it streams is read like any other answer. What is different is
//! tools: a small model knows nothing of them, and its chat template has no place for them. Such a model is told of them in words, and
//! a [grammar](grammar) leaves it two ways to answer, in words or with one call whose arguments fit the tool's schema; [`PageAnswer`]
//! turns that call back into what a server would have streamed. A model whose template has a place for tools gets them as they are.

mod answer;
mod error;
mod gguf;
mod grammar;
mod listed;
mod told;

use serde_json::{Value, json};

pub use answer::PageAnswer;
pub use error::PageModelError;
pub use gguf::{GgufError, GgufHead};
pub use listed::PageModel;

use super::ToolDefinition;

/// How long an answer may be where nothing is said, in tokens: a small model may never come to an end by itself.
const MOST_TOKENS: u32 = 2_048;

/// How much chance there is in an answer where nothing is said: with llama.cpp's own 0.8 a small model soon talks nonsense.
const TEMPERATURE: f64 = 0.4;

/// A request as the model in the page takes it.
#[derive(Debug)]
pub struct PageRequest {
    /// The body.
    pub body: Value,
    /// Reads what it streams.
    pub answer: PageAnswer,
}

/// What a model may or must call.
#[derive(Clone, Debug, PartialEq)]
struct Offer {
    tools: Vec<ToolDefinition>,
    /// Whether it must call one of them.
    must_call: bool,
}

impl PageRequest {
    /// Makes the request from the body that is made for an OpenAI-shaped server.
    #[must_use]
    pub fn new(body: &Value, knows_tools: bool) -> Self {
        let mut body = body.clone();
        if body.get("max_tokens").is_none() {
            body["max_tokens"] = MOST_TOKENS.into();
        }
        if body.get("temperature").is_none() {
            body["temperature"] = TEMPERATURE.into();
        }
        let messages = body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if knows_tools {
            body["messages"] = messages.iter().map(told::without_pictures).collect();
            return Self { body, answer: PageAnswer::as_it_comes() };
        }
        let offer = Offer::of(&body);
        body["messages"] = told::messages(messages, offer.as_ref()).into();
        let fields = body.as_object_mut().expect("a body is an object, and has just been given a field");
        fields.remove("tools");
        fields.remove("tool_choice");
        let Some(offer) = offer else { return Self { body, answer: PageAnswer::as_it_comes() } };
        body["grammar"] = grammar::of(&offer).into();
        Self { body, answer: PageAnswer::with_calls() }
    }
}

impl Offer {
    /// What a body offers; none where nothing may be called.
    fn of(body: &Value) -> Option<Self> {
        let choice = body.get("tool_choice").unwrap_or(&Value::Null);
        let wanted = choice.get("function").and_then(|function| function.get("name")?.as_str());
        if choice == "none" {
            return None;
        }
        let tools: Vec<ToolDefinition> = body.get("tools")?.as_array()?.iter().filter_map(tool).collect();
        let tools: Vec<ToolDefinition> =
            tools.into_iter().filter(|tool| wanted.is_none_or(|wanted| tool.name == wanted)).collect();
        (!tools.is_empty()).then(|| Self { tools, must_call: wanted.is_some() || choice == "required" })
    }
}

/// A tool as a body has it.
fn tool(value: &Value) -> Option<ToolDefinition> {
    let function = value.get("function")?;
    let text = |name: &str| function.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let parameters = function.get("parameters").cloned().unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    let name = text("name");
    (!name.is_empty()).then(|| ToolDefinition { name, description: text("description"), parameters })
}

#[cfg(test)]
mod tests;
