//! The answer that is coming.

use leptos::prelude::*;
use satchel_core::ids::{ChatId, MessageId};

use super::reasoning::Thoughts;
use crate::browser::viewport;
use crate::state::{Answers, Coming, Ended, Models};
use crate::ui::pages::AnswerIn;
use crate::ui::parts::sentence;
use crate::ui::renderers::GrowingMarkdown;

/// What is coming in the chat that the context [`AnswerIn`] names, and what has to be said about the last answer.
#[component]
pub(crate) fn ComingAnswer() -> impl IntoView {
    let AnswerIn(chat) = expect_context();
    let answers = Answers::expect();
    viewport::keep_end("messages");
    let of_coming = chat.clone();
    let coming = Memo::new(move |_| answers.coming(&of_coming));
    let of_ended = chat.clone();
    let ended = Memo::new(move |_| answers.ended(&of_ended));
    view! {
            {move || coming.get().map(|coming| view! { <Growing coming /> })}
            {
                let chat = chat.clone();
                move || ended.get().map(|ended| view! { <EndNote chat=chat.clone() ended /> })
            }
    }
}

/// The answer, as far as it has come.
#[component]
fn Growing(
    /// The answer.
    coming: Coming,
) -> impl IntoView {
    let Coming { text, reasoning, calls, .. } = coming;
    let is_silent = move || text.with(String::is_empty);
    view! {
        <div class="message answer-coming" data-testid="answer-coming">
            <p class="message-speaker">"Assistant"</p>
            <div class="answer">
                <Thoughts title="Thinking" text=reasoning />
                <GrowingMarkdown text />
                <p class="answer-working" role="status">
                    <span class="spinner" aria-hidden="true"></span>
                    {move || working(is_silent(), &calls.get())}
                </p>
            </div>
        </div>
    }
}

/// What is going on.
fn working(is_silent: bool, calls: &[String]) -> String {
    match (calls, is_silent) {
        ([], true) => "Waiting for the model".into(),
        ([], false) => "Answering".into(),
        (calls, _) => format!("Asking for {}", calls.join(", ")),
    }
}

/// What has to be said about the last answer, and what can be done now.
#[component]
fn EndNote(
    /// The chat.
    chat: ChatId,
    /// How it ended.
    ended: Ended,
) -> impl IntoView {
    let (answers, models) = (Answers::expect(), Models::expect());
    let Ended { below, answered } = ended;
    let words = sentence(&answered.words.unwrap_or_default());
    let (role, class) = match answered.is_failure {
        true => ("alert", "answer-end answer-end-bad"),
        false => ("status", "answer-end"),
    };
    let again = move |below: MessageId| answers.ask(models, chat.clone(), below);
    let label = if answered.is_failure { "Try again" } else { "Continue" };
    let after = answered.after.unwrap_or(below.clone());
    let from = if answered.is_failure { below } else { after };
    view! {
        <div class=class role=role data-testid="answer-note">
            <p>{words}</p>
            <button class="button button-small" type="button" data-testid="answer-again" on:click=move |_| again(from.clone())>
                {label}
            </button>
        </div>
    }
}
