//! A call that waits for its user: whether it may run, or what its server wants to know, is asked where the call stands (C26).

use leptos::prelude::*;
use satchel_core::ids::ToolCallId;

use crate::state::{Answers, Notices, OpenedChat, Runs};
use crate::ui::runs::{ApprovalQuestion, AskedIn, InputForm};
use crate::work::runs::Question;

/// The question, or where it is asked. Right after the answer there is neither, until the call has begun.
#[component]
pub(super) fn Waiting(
    /// The call.
    call: ToolCallId,
    /// Whether it cannot go on before it is answered.
    #[prop(into)]
    is_pending: Signal<bool>,
) -> impl IntoView {
    let (runs, answers, opened) = (Runs::expect(), Answers::expect(), OpenedChat::expect());
    let asked = Memo::new(move |_| runs.question_of(&call));
    let is_elsewhere = Memo::new(move |_| {
        let coming = opened.open().and_then(|open| answers.coming(&open.chat.id));
        is_pending.get() && coming.is_some_and(|coming| coming.is_elsewhere)
    });
    move || {
        match asked.get() {
        Some((number, question)) => view! { <Asked number question /> }.into_any(),
        None if is_elsewhere.get() => {
            view! { <p class="tool-call-elsewhere">"It is waiting for your answer in the tab where this chat is running."</p> }
                .into_any()
        }
        None => ().into_any(),
    }
    }
}

/// The question.
#[component]
fn Asked(
    /// Names it in the answer.
    number: u32,
    /// What is asked.
    question: Question,
) -> impl IntoView {
    let notices = Notices::expect();
    let asked_in = AskedIn::Conversation;
    let (label, body) = match question {
        Question::Approval { request, .. } => {
            let name = request.tool_name.clone();
            notices.announce(format!("Waiting for you: {name} asks whether it may run."));
            (format!("Run {name}?"), view! { <ApprovalQuestion number request=*request asked_in /> }.into_any())
        }
        Question::Input { request, .. } => {
            let server = request.server.clone();
            notices.announce(format!("Waiting for you: the server {server} needs your input."));
            (
                format!("The server {server} needs your input"),
                view! { <InputForm number question=*request asked_in /> }.into_any(),
            )
        }
        // Which host a toolset may reach is not asked of one call.
        Question::Host { .. } => return ().into_any(),
    };
    view! {
        <div class="tool-call-question" role="group" aria-label=label>
            {body}
        </div>
    }
    .into_any()
}
