//! An answer that is stored.

use leptos::prelude::*;
use satchel_core::conversation::AnswerMetadata;
use satchel_core::ids::MessageId;
use satchel_core::record::Role;
use satchel_core::render;

use super::foot::Foot;
use super::reasoning::Thoughts;
use crate::state::OpenedChat;
use crate::ui::pages::AnswerOf;
use crate::ui::renderers::Markdown;

/// The answer; the context [`AnswerOf`] says which.
#[component]
pub(crate) fn StoredAnswer() -> impl IntoView {
    let AnswerOf(message) = expect_context();
    let (mut metadata, goes_on) = (AnswerMetadata::of(&message), !message.tool_calls.is_empty());
    // What tools answered stands in their calls, and is not counted as messages.
    if let Some(open) = OpenedChat::expect().open_untracked() {
        let is_seen = |id: &MessageId| open.tree.message(id).is_none_or(|message| message.role != Role::Tool);
        metadata.left_out.retain(is_seen);
    }
    let thoughts: String = metadata.reasoning.iter().map(|thought| thought.text.as_str()).collect();
    let blocks = render::markdown(&message.content.text());
    view! {
            <div class="answer">
                <Thoughts title="Thoughts" text=thoughts />
                <Markdown blocks=blocks />
                <Foot goes_on metadata=metadata />
            </div>
    }
}
