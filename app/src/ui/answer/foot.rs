//! What there is to know about an answer: who gave it, what it cost, and whether it is whole.

use leptos::prelude::*;
use satchel_core::conversation::{AnswerEnd, AnswerMetadata};
use satchel_core::model::{Finish, Usage};

use crate::state::Models;

/// The foot of an answer.
#[component]
pub(super) fn Foot(
    /// What is kept of it.
    metadata: AnswerMetadata,
    /// Whether it goes on after its calls; then the last answer says who gave it, and this one only what it cost.
    goes_on: bool,
) -> impl IntoView {
    let trouble = trouble(&metadata);
    let left_out = metadata.left_out.len();
    let not_sent = (left_out > 0).then(|| {
        let words = match left_out {
            1 => "1 earlier message was not sent for this answer: it did not fit into the model's context.".to_owned(),
            _ => format!(
                "{left_out} earlier messages were not sent for this answer: they did not fit into the model's context."
            ),
        };
        view! { <p class="answer-note" data-testid="answer-left-out">{words}</p> }
    });
    let price = metadata.cost.map(|cost| cost.to_string());
    let still_there = metadata.usage.cached_tokens.filter(|tokens| *tokens > 0);
    let title = still_there.map(|tokens| format!("{tokens} of the tokens read came from the provider's cache."));
    let speaker = metadata.model.filter(|_| !goes_on);
    let facts: Vec<String> = tokens(metadata.usage).into_iter().chain(price).collect();
    let known = Models::expect().known();
    let has_facts = speaker.is_some() || !facts.is_empty();
    // By the name that it has by now; one that nobody offers any more goes by its provider's.
    let facts = move || {
        let name = |id: &String| known.with(|known| known.name_of(id).unwrap_or(id).to_owned());
        speaker.iter().map(name).chain(facts.iter().cloned()).collect::<Vec<_>>().join(" · ")
    };
    view! {
        {trouble.map(|words| view! { <p class="answer-note" data-testid="answer-ended">{words}</p> })}
        {not_sent}
        {has_facts.then(|| view! { <p class="answer-facts" data-testid="answer-facts" title=title>{facts}</p> })}
    }
}

/// Why the answer is not whole.
fn trouble(metadata: &AnswerMetadata) -> Option<String> {
    match (metadata.ended, metadata.finish) {
        (Some(AnswerEnd::Stopped), _) => Some("You stopped this answer.".into()),
        (Some(AnswerEnd::Interrupted), _) => Some("The tab was closed before this answer was complete.".into()),
        (Some(AnswerEnd::Failed), _) => {
            let why = metadata.error.as_deref().unwrap_or("the model failed");
            Some(format!("This answer stopped early: {why}."))
        }
        (None, Some(Finish::Length)) => Some("This answer reached its maximum length and was cut off.".into()),
        (None, Some(Finish::ContentFilter)) => Some("The provider's content filter ended this answer.".into()),
        (None, Some(Finish::Stop | Finish::ToolCalls | Finish::Unsaid) | None) => None,
    }
}

/// What the answer cost, in tokens (R312).
fn tokens(usage: Usage) -> Option<String> {
    match (usage.input_tokens, usage.output_tokens) {
        (Some(input), Some(output)) => Some(format!("{input} tokens read, {output} written")),
        (Some(input), None) => Some(format!("{input} tokens read")),
        (None, Some(output)) => Some(format!("{output} tokens written")),
        (None, None) => None,
    }
}
