//! What an MCP server wants to know before its tool goes on: a form made from the schema it sent.

use leptos::prelude::*;
use satchel_core::form::Form;
use serde_json::Value;

use super::approval::AskedIn;
use super::question::TITLE;
use crate::browser::spawn::spawn;
use crate::state::{Runs, Storage};
use crate::ui::form::FormView;
use crate::ui::tools::fits;
use crate::work::runs::{InputQuestion, UserAnswer};

/// The form.
#[component]
pub(crate) fn InputForm(
    /// Names it in the answer.
    number: u32,
    /// What is asked.
    question: InputQuestion,
    /// Where it stands.
    asked_in: AskedIn,
) -> impl IntoView {
    let (runs, storage) = (Runs::expect(), Storage::expect());
    let InputQuestion { server, tool_id, message, schema } = question;
    let form = RwSignal::new(Form::new(schema));
    let submit = move || {
        if !form.with_untracked(Form::is_readable) {
            return;
        }
        spawn(async move {
            if !fits(storage, form).await {
                return;
            }
            if let Value::Object(content) = form.with_untracked(|form| form.value().clone()) {
                runs.answer(number, UserAnswer::Input { content: Some(content) });
            }
        });
    };
    view! {
        <div class="question" data-testid="input-request">
            {match asked_in {
                AskedIn::Dialog => view! { <h2 id=TITLE>"The server " {server} " needs your input"</h2> }.into_any(),
                AskedIn::Conversation => view! { <h4>"The server " {server} " needs your input"</h4> }.into_any(),
            }}
            <p class="approval-tool">"for " <code>{tool_id}</code></p>
            <p class="input-message">{message}</p>
            <p class="field-hint">"What you enter is sent to that server. Do not enter a password that you would not give it."</p>
            <FormView form id=format!("input-request-{number}") on_submit=submit>
                <div class="dialog-actions">
                    <button
                        class="button"
                        type="button"
                        data-testid="input-decline"
                        on:click=move |_| runs.answer(number, UserAnswer::Input { content: None })
                    >
                        "Decline"
                    </button>
                    <button class="button button-accent" type="submit" data-testid="input-accept">"Send"</button>
                </div>
            </FormView>
        </div>
    }
}
