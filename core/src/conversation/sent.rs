//! What of a conversation a model is sent: always a sequence that every provider takes, whatever happened to it (R196).
//!
//! It begins with the user, voices alternate, every call is followed by exactly one answer, in call order, and arguments are an object.
//! Stops, denials, closed tabs, several answers in a row and calls of a user are all brought into that shape here, and nothing of it is
//! stored. Calls are numbered anew, because the ids of models repeat and providers allow different ones.
//!
//! Where the model takes less, whole rounds are left out from the middle, the oldest first (R320).

mod omission;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod validity;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::reply::AnswerMetadata;
use super::told::is_failure;
use crate::catalog::legal;
use crate::ids::MessageId;
use crate::model::{AssistantTurn, InputPart, ModelCall, ModelMessage, ToolAnswer, tokens_of_message, tokens_of_text};
use crate::record::{Content, Message, Part, Role};

/// What stands where the first thing said is not the user's.
const BEGINNING: &str = "[The beginning of the conversation is not here.]";

/// What the model is asked where its own words are the last.
const GO_ON: &str = "Continue where you stopped.";

/// What the model is told of a call that nothing is known of.
const NO_ANSWER: &str = r#"{"error":"interrupted: it is not known what came of this call"}"#;

/// What a model is told that does not see.
const UNSEEN: &str = "[A picture belongs here, which you cannot see.]";

/// What to send for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sending<'a> {
    /// The model, by its provider's name for it: only its own sealed thoughts go back to it.
    pub model: &'a str,
    /// What frames the conversation.
    pub system: Option<&'a str>,
    /// The estimated tokens that the messages and the system prompt may have together; none for any number.
    pub budget: Option<u64>,
    /// Whether the model sees pictures; one that does not is told that there are some.
    pub sees_images: bool,
    /// What is said of the files that came along, by message; none where nothing is known of any.
    pub files: Option<&'a BTreeMap<MessageId, String>>,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// What frames the conversation, system messages of the chat included.
    pub system: Option<String>,
    /// What was said.
    pub messages: Vec<ModelMessage>,
    /// The messages that are not sent, oldest first.
    pub left_out: Vec<MessageId>,
    /// What it costs, as estimated.
    pub tokens: u64,
}

/// Something that cannot be taken apart: what a user said, or an answer with all its calls and their answers.
#[derive(Clone, Debug)]
struct Entry {
    ids: Vec<MessageId>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    User(Vec<InputPart>),
    Assistant(AssistantTurn, Vec<ToolAnswer>),
}

impl Sent {
    /// What is sent of a path through the tree, from its beginning to the message that is answered.
    #[must_use]
    pub fn of<'a>(path: impl IntoIterator<Item = &'a Message>, sending: Sending<'_>) -> Self {
        let path: Vec<&Message> = path.into_iter().collect();
        let mut system: Vec<String> = sending.system.map(str::to_owned).into_iter().collect();
        system.extend(path.iter().filter(|one| one.role == Role::System).map(|one| one.content.text()));
        system.retain(|text| !text.trim().is_empty());
        let system = (!system.is_empty()).then(|| system.join("\n\n"));
        let framing = system.as_deref().map_or(0, tokens_of_text);
        let mut entries = entries(&path, &sending);
        if let Some(Entry { what: What::Assistant(..), .. }) = entries.first() {
            entries.insert(0, Entry { ids: Vec::new(), what: What::User(vec![InputPart::Text(BEGINNING.into())]) });
        }
        let budget = sending.budget.map(|budget| budget.saturating_sub(framing));
        let (entries, left_out) = omission::fit(entries, budget);
        let messages = messages(entries);
        let tokens = framing + messages.iter().map(tokens_of_message).sum::<u64>();
        Self { system, messages, left_out, tokens }
    }
}

/// The path, each voice joined, each call with its answer.
fn entries(path: &[&Message], sending: &Sending<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = 0;
    while let Some(message) = path.get(at) {
        let mut end = at + 1;
        let what = match message.role {
            Role::System => None,
            // An answer to nothing; those to something are taken along with it.
            Role::Tool => None,
            Role::User => Some(What::User(input(message, sending))),
            Role::Assistant => {
                end += path[end..].iter().take_while(|one| one.role == Role::Tool).count();
                Some(assistant(message, &path[at + 1..end], sending.model))
            }
        };
        if let Some(what) = what {
            join(&mut entries, Entry { ids: path[at..end].iter().map(|one| one.id.clone()).collect(), what });
        }
        at = end;
    }
    entries
}

/// Adds an entry, to the last one where the same voice goes on.
fn join(entries: &mut Vec<Entry>, next: Entry) {
    if let What::Assistant(said, _) = &next.what
        && said.text.trim().is_empty()
        && said.calls.is_empty()
    {
        // An answer of which nothing came.
        return;
    }
    match (entries.last_mut(), next.what) {
        (Some(Entry { ids, what: What::User(parts) }), What::User(more)) => {
            parts.extend(more);
            ids.extend(next.ids);
        }
        (Some(Entry { ids, what: What::Assistant(said, answers) }), What::Assistant(more, its))
            if said.calls.is_empty() =>
        {
            join_text(&mut said.text, &more.text);
            said.reasoning.extend(more.reasoning);
            said.calls = more.calls;
            *answers = its;
            ids.extend(next.ids);
        }
        (_, what) => entries.push(Entry { ids: next.ids, what }),
    }
}

fn join_text(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

fn input(message: &Message, sending: &Sending<'_>) -> Vec<InputPart> {
    let part = |part: &Part| match part {
        Part::Text { text } => InputPart::Text(text.clone()),
        Part::Image { .. } if !sending.sees_images => InputPart::Text(UNSEEN.into()),
        Part::Image { sha256, media_type } => InputPart::Image { sha256: *sha256, media_type: media_type.clone() },
    };
    let mut parts = match &message.content {
        Content::Text(text) => vec![InputPart::Text(text.clone())],
        Content::Parts(parts) => parts.iter().map(part).collect(),
    };
    let files = sending.files.and_then(|files| files.get(&message.id));
    parts.extend(files.map(|files| InputPart::Text(files.clone())));
    parts
}

fn assistant(message: &Message, tools: &[&Message], model: &str) -> What {
    let metadata = AnswerMetadata::of(message);
    // Another model's thoughts are sealed for that one.
    let own = metadata.model.as_deref() == Some(model);
    let mut open: Vec<Option<&Message>> = tools.iter().copied().map(Some).collect();
    let (mut calls, mut answers) = (Vec::new(), Vec::new());
    for call in &message.tool_calls {
        let is_its = |one: &Option<&Message>| one.is_some_and(|one| one.tool_call_id.as_deref() == Some(&call.id));
        let found = open.iter_mut().find(|one| is_its(one)).and_then(Option::take);
        let content = found.map_or_else(|| NO_ANSWER.to_owned(), |found| found.content.text());
        answers.push(ToolAnswer { call_id: String::new(), failed: is_failure(&content), content });
        let extra = metadata.call_extras.get(&call.id).filter(|_| own).cloned();
        let (name, arguments) = (wire_name(&call.function.name), arguments(&call.function.arguments));
        calls.push(ModelCall { id: String::new(), name, arguments, extra });
    }
    let reasoning = if own { metadata.reasoning } else { Vec::new() };
    What::Assistant(AssistantTurn { reasoning, text: message.content.text(), calls }, answers)
}

/// A name that a provider takes, whatever a model made up.
fn wire_name(name: &str) -> String {
    let mut name: String = legal(name).chars().take(64).collect();
    if name.is_empty() {
        name.push_str("unnamed");
    }
    name
}

/// What the model wrote, if it is an object; what is none was told to it as an error.
fn arguments(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Value::Object(object),
        Ok(_) | Err(_) => Value::Object(Map::new()),
    }
}

/// The entries as messages, their calls numbered.
fn messages(entries: Vec<Entry>) -> Vec<ModelMessage> {
    let (mut messages, mut number) = (Vec::new(), 0);
    for entry in entries {
        match entry.what {
            What::User(parts) => messages.push(ModelMessage::User(joined(parts))),
            What::Assistant(mut said, mut answers) => {
                for (call, answer) in said.calls.iter_mut().zip(&mut answers) {
                    number += 1;
                    // Nine letters and digits: the one spelling that every provider takes.
                    call.id = format!("call{number:05}");
                    answer.call_id.clone_from(&call.id);
                }
                messages.push(ModelMessage::Assistant(said));
                messages.extend(answers.into_iter().map(ModelMessage::Tool));
            }
        }
    }
    if let Some(ModelMessage::Assistant(_)) = messages.last() {
        messages.push(ModelMessage::User(vec![InputPart::Text(GO_ON.into())]));
    }
    messages
}

/// Texts in a row are one text.
fn joined(parts: Vec<InputPart>) -> Vec<InputPart> {
    let mut joined: Vec<InputPart> = Vec::new();
    for part in parts {
        match (joined.last_mut(), part) {
            (Some(InputPart::Text(text)), InputPart::Text(more)) => join_text(text, &more),
            (_, part) => joined.push(part),
        }
    }
    joined
}
