//! The dialog for what a run asks that is not asked in the conversation on the screen. One question at a time, the oldest first; closing it
//! is a no.

use leptos::prelude::*;
use satchel_core::approval::{Answer, Verdict};

use super::approval::{ApprovalQuestion, AskedIn};
use super::host_grant::HostQuestion;
use super::input::InputForm;
use crate::browser::page;
use crate::state::{OpenedChat, Runs};
use crate::work::runs::{Question, UserAnswer};

const DIALOG: &str = "run-question";
/// The id of the dialog's headline.
pub(super) const TITLE: &str = "run-question-title";

/// The dialog, as long as there is a question.
#[component]
pub(crate) fn QuestionDialog() -> impl IntoView {
    let (runs, opened) = (Runs::expect(), OpenedChat::expect());
    let has_card =
        move |question: &Question| question.asked().is_some_and(|asked| opened.shows(&asked.chat, &asked.message));
    let first = Memo::new(move |_| {
        runs.questions.with(|all| all.iter().find(|(_, question)| !has_card(question)).map(|(number, _)| *number))
    });
    move || first.get().map(|number| view! { <Asked number /> })
}

#[component]
fn Asked(
    /// Which question.
    number: u32,
) -> impl IntoView {
    let runs = Runs::expect();
    // An effect runs once the dialog is in the page.
    Effect::new(|_| page::open_dialog(DIALOG));
    on_cleanup(|| page::close_dialog(DIALOG));
    let question = runs
        .questions
        .with_untracked(|all| all.iter().find(|(asked, _)| *asked == number).map(|(_, what)| what.clone()));
    let no = question.as_ref().map(|question| match question {
        Question::Host { .. } => UserAnswer::Host { is_allowed: false },
        Question::Approval { request, .. } => {
            let definition_hash = request.definition_hash;
            let verdict = Verdict::Deny { reason: None };
            UserAnswer::Approval(Answer { verdict, arguments: None, definition_hash })
        }
        Question::Input { .. } => UserAnswer::Input { content: None },
    });
    let on_cancel = move |event: leptos::ev::Event| {
        // The state closes it.
        event.prevent_default();
        if let Some(no) = no.clone() {
            runs.answer(number, no);
        }
    };
    let body = question.map(|question| match question {
        Question::Host { toolset, toolset_id, host, is_private, secrets } => {
            view! { <HostQuestion number toolset toolset_id host is_private secrets /> }.into_any()
        }
        Question::Approval { request, .. } => {
            view! { <ApprovalQuestion number request=*request asked_in=AskedIn::Dialog /> }.into_any()
        }
        Question::Input { request, .. } => {
            view! { <InputForm number question=*request asked_in=AskedIn::Dialog /> }.into_any()
        }
    });
    view! {
        <dialog class="dialog" id=DIALOG aria-labelledby=TITLE on:cancel=on_cancel>
            {body}
        </dialog>
    }
}
