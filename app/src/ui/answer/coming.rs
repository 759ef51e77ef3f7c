//! The answer that is coming.

use leptos::prelude::*;
use satchel_core::ids::MessageId;
use satchel_core::record::Node;
use satchel_core::render::CallLabel;

use super::next_step::NextStepOffer;
use super::read_aloud::words;
use super::reasoning::Thoughts;
use crate::state::{Answers, Coming, Ended, OpenedChat};
use crate::ui::pages::AnswerIn;
use crate::ui::parts::sentence;
use crate::ui::renderers::GrowingMarkdown;

/// What stands at the end of the chat that the context [`AnswerIn`] names: the answer that is coming, what has to be said about the last
/// one, and what a model can do next.
#[component]
pub(crate) fn ComingAnswer() -> impl IntoView {
    let AnswerIn(chat) = expect_context();
    let (answers, opened) = (Answers::expect(), OpenedChat::expect());
    // Only below what it answers: on another branch it would stand below something else.
    let is_shown = move |below: &MessageId| {
        opened.open().is_some_and(|open| open.tree.path(&open.leaf).iter().any(|message| message.id == *below))
    };
    let of_coming = chat.clone();
    let coming = Memo::new(move |_| {
        let coming = answers.drawn(&of_coming).filter(|coming| is_shown(&coming.below))?;
        // What is stored is drawn as the message it is, while its tools run too.
        let is_stored = opened.open().is_some_and(|open| coming.is_stored(&open.tree));
        (!is_stored).then_some(coming)
    });
    let of_ended = chat.clone();
    let ended = Memo::new(move |_| answers.ended(&of_ended).filter(|ended| is_shown(&ended.below)));
    let of_elsewhere = chat.clone();
    let is_elsewhere = Memo::new(move |_| answers.coming(&of_elsewhere).is_some_and(|coming| coming.is_elsewhere));
    view! {
        {move || coming.get().map(|coming| view! { <Growing coming /> })}
        {move || {
            is_elsewhere
                .get()
                .then(|| {
                    view! {
                        <p class="answer-elsewhere" data-testid="answer-elsewhere">
                            "This answer is being written in another tab. Stop it there; if you close that tab, what has arrived is kept."
                        </p>
                    }
                })
        }}
        {move || ended.get().map(|ended| view! { <EndNote ended /> })}
        <NextStepOffer chat />
    }
}

/// The answer, as far as it has come.
#[component]
fn Growing(
    /// The answer.
    coming: Coming,
) -> impl IntoView {
    let (answers, opened) = (Answers::expect(), OpenedChat::expect());
    let Coming { below, text, reasoning, calls, .. } = coming;
    // Not followed: where it stands does not change while it grows, and it is not drawn anew when something else does.
    let goes_on = untrack(|| opened.open()).is_some_and(|open| open.tree.is_within_answer(&Node::Message(below)));
    let is_silent = Memo::new(move |_| text.with(String::is_empty));
    view! {
        <div class="message answer-coming" data-testid="answer-coming" data-goes-on=goes_on.then_some("")>
            <p class="message-speaker">"Assistant"</p>
            <div class="answer">
                <Thoughts title="Thinking" text=reasoning />
                <GrowingMarkdown text on_certain=move |block| answers.say_aloud(words(block)) />
                <p class="answer-working" role="status">
                    <span class="spinner" aria-hidden="true"></span>
                    {move || working(is_silent.get(), &calls.get())}
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
        (calls, _) => {
            let names: Vec<String> = calls.iter().map(|wire_name| CallLabel::of_wire(wire_name).tool).collect();
            format!("Calling {}", names.join(", "))
        }
    }
}

/// What has to be said about the last answer. What can be done now is offered beside it.
#[component]
fn EndNote(
    /// How it ended.
    ended: Ended,
) -> impl IntoView {
    let (role, class) = match ended.is_failure {
        true => ("alert", "answer-end answer-end-bad"),
        false => ("status", "answer-end"),
    };
    view! {
        <div class=class role=role data-testid="answer-note">
            <p>{sentence(&ended.words)}</p>
        </div>
    }
}
