//! A call that waits for its user: the question is asked where the call stands (C26).

use leptos::prelude::*;
use satchel_core::ids::ToolCallId;

use crate::state::{Answers, Notices, OpenedChat, Runs};
use crate::ui::runs::{ApprovalQuestion, AskedIn};

/// The question, or where it is asked. Right after the answer there is neither, until the call has begun.
#[component]
pub(super) fn Waiting(
    /// The call.
    call: ToolCallId,
) -> impl IntoView {
    let (runs, answers, opened) = (Runs::expect(), Answers::expect(), OpenedChat::expect());
    let notices = Notices::expect();
    let asked = Memo::new(move |_| runs.approval_of(&call));
    let is_elsewhere = Memo::new(move |_| {
        opened.open().and_then(|open| answers.coming(&open.chat.id)).is_some_and(|coming| coming.is_elsewhere)
    });
    move || {
        match asked.get() {
        Some((number, request)) => {
            let name = request.tool_name.clone();
            notices.announce(format!("The answer waits for you: {name} asks whether it may run."));
            view! {
                <div class="tool-call-question" role="group" aria-label=format!("Run {name}?")>
                    <ApprovalQuestion number request asked_in=AskedIn::Conversation />
                </div>
            }
            .into_any()
        }
        None if is_elsewhere.get() => {
            view! { <p class="tool-call-elsewhere">"It waits for an answer in the tab that has this chat answered."</p> }
                .into_any()
        }
        None => ().into_any(),
    }
    }
}
