//! An answer that is stored.

use leptos::prelude::*;
use satchel_core::conversation::AnswerMetadata;
use satchel_core::render;

use super::foot::Foot;
use super::reasoning::Thoughts;
use crate::browser::viewport;
use crate::ui::pages::AnswerOf;
use crate::ui::renderers::Markdown;

/// The answer; the context [`AnswerOf`] says which.
#[component]
pub(crate) fn StoredAnswer() -> impl IntoView {
    let AnswerOf(message) = expect_context();
    let (metadata, goes_on) = (AnswerMetadata::of(&message), !message.tool_calls.is_empty());
    let thoughts: String = metadata.reasoning.iter().map(|thought| thought.text.as_str()).collect();
    let blocks = render::markdown(&message.content.text());
    // What is drawn late makes the conversation longer.
    viewport::keep_end("messages");
    view! {
            <div class="answer">
                <Thoughts title="Thoughts" text=thoughts />
                <Markdown blocks=blocks />
                <Foot goes_on metadata=metadata />
            </div>
    }
}
