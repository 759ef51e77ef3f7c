//! May this tool run with these arguments? The exact arguments are shown and can be changed; a no can say why.

use leptos::prelude::*;
use satchel_core::approval::{Answer, ApprovalRequest, DefaultButton, Verdict};
use serde_json::Value;

use super::question::TITLE;
use crate::state::Runs;
use crate::work::runs::UserAnswer;

/// Where a question stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskedIn {
    /// In a dialog of its own, which takes the focus.
    Dialog,
    /// In the conversation, below the call: nobody's focus is taken away who writes meanwhile.
    Conversation,
}

/// The question.
#[component]
pub(crate) fn ApprovalQuestion(
    /// Names it in the answer.
    number: u32,
    /// What is asked.
    request: ApprovalRequest,
    /// Where it stands.
    asked_in: AskedIn,
) -> impl IntoView {
    let runs = Runs::expect();
    let ApprovalRequest { tool_id, tool_name, description, toolset_name, arguments, definition_hash, default, .. } =
        request;
    let shown = serde_json::to_string_pretty(&arguments).unwrap_or_default();
    let text = RwSignal::new(shown.clone());
    let problem = RwSignal::new(None::<String>);
    let reason = RwSignal::new(String::new());
    let rows = shown.lines().count().clamp(3, 14);
    let answer = move |verdict, arguments| {
        runs.answer(number, UserAnswer::Approval(Answer { verdict, arguments, definition_hash }));
    };
    let shown = StoredValue::new(shown);
    let agree = move |verdict: Verdict| match changed(&shown.get_value(), &text.get_untracked()) {
        Ok(arguments) => answer(verdict, arguments),
        Err(error) => problem.set(Some(error)),
    };
    let deny = move |_| {
        let reason = Some(reason.get_untracked()).filter(|reason| !reason.trim().is_empty());
        answer(Verdict::Deny { reason }, None);
    };
    // A tool that may destroy something is not one press of Enter away.
    let is_ready = |button: DefaultButton| asked_in == AskedIn::Dialog && button == default;
    let (once, no) = (is_ready(DefaultButton::Once), is_ready(DefaultButton::Deny));
    view! {
        <div class="question" data-testid="approval-request">
            {match asked_in {
                AskedIn::Dialog => view! { <h2 id=TITLE>"Run " {tool_name} "?"</h2> }.into_any(),
                AskedIn::Conversation => view! { <h4>"Run " {tool_name} "?"</h4> }.into_any(),
            }}
            <p class="approval-tool"><code>{tool_id.to_string()}</code>" of " {toolset_name}</p>
            <p>{description}</p>
            <label class="field">
                <span class="field-label">"Arguments"</span>
                <textarea
                    class="input input-code"
                    rows=rows
                    spellcheck="false"
                    autocapitalize="off"
                    data-testid="approval-arguments"
                    bind:value=text
                ></textarea>
                <span class="field-hint">"The tool gets exactly this. You can change it first."</span>
            </label>
            {move || problem.get().map(|words| view! { <p class="field-error" role="alert">{words}</p> })}
            <label class="field">
                <span class="field-label">"Reason, if you deny (optional)"</span>
                <input class="input" type="text" data-testid="approval-reason" bind:value=reason />
            </label>
            <div class="dialog-actions">
                <button class="button" type="button" data-testid="approval-deny" autofocus=no on:click=deny>"Deny"</button>
                <button
                    class="button"
                    type="button"
                    data-testid="approval-always"
                    title="Until the tool changes"
                    on:click=move |_| agree(Verdict::Always)
                >
                    "Always"
                </button>
                <button class="button" type="button" data-testid="approval-chat" on:click=move |_| agree(Verdict::Chat)>
                    "In this chat"
                </button>
                <button
                    class="button button-accent"
                    type="button"
                    data-testid="approval-once"
                    autofocus=once
                    on:click=move |_| agree(Verdict::Once)
                >
                    "Once"
                </button>
            </div>
        </div>
    }
}

/// The arguments where they were changed, or what is wrong with them.
fn changed(shown: &str, text: &str) -> Result<Option<Value>, String> {
    if text == shown {
        return Ok(None);
    }
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(Some(value)),
        Ok(_) => Err("The arguments must be a JSON object, in { and }.".into()),
        Err(error) => Err(format!("This is not JSON: {error}.")),
    }
}
