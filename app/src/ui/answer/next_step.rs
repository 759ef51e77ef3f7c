//! What a model can do next at the end of the branch: answer what was said, or go on with an answer that is not whole.

use leptos::prelude::*;
use satchel_core::conversation::{NextStep, NextStepKind, next_step};
use satchel_core::ids::ChatId;

use crate::state::{Answers, Models, Notices, OpenedChat, Unsaved};

/// The offer; nothing while an answer is coming, and where nobody could answer.
#[component]
pub(super) fn NextStepOffer(
    /// The chat.
    chat: ChatId,
) -> impl IntoView {
    let (answers, models, opened) = (Answers::expect(), Models::expect(), OpenedChat::expect());
    let (notices, unsaved) = (Notices::expect(), Unsaved::expect());
    let of_step = chat.clone();
    let step = Memo::new(move |_| {
        let open = opened.open().filter(|open| open.chat.id == of_step)?;
        let is_free = answers.coming(&of_step).is_none() && models.is_chosen();
        is_free.then(|| next_step(&open.tree.path(&open.leaf))).flatten()
    });
    let chat = StoredValue::new(chat);
    move || {
        let NextStep { below, kind } = step.get()?;
        let label = match kind {
            NextStepKind::Answer => "Answer",
            NextStepKind::Continue => "Continue",
        };
        let go = move |_| {
            let (chat, below) = (chat.get_value(), below.clone());
            if !answers.is_in_the_way(&chat, notices) {
                unsaved.after_saving(move || answers.ask(models, chat, below));
            }
        };
        Some(view! {
            <div class="answer-next">
                <button class="button button-small" type="button" data-testid="answer-again" on:click=go>{label}</button>
            </div>
        })
    }
}
