//! May this tool run with these arguments? The exact arguments are shown and can be changed; a no can say why.

use leptos::prelude::*;
use serde_json::Value;

use super::question::TITLE;
use crate::state::Runs;
use crate::work::runs::UserAnswer;

/// For how long a yes holds.
#[derive(Clone, Copy)]
enum Scope {
    Once,
    Chat,
    Always,
}

/// The question.
#[component]
pub(crate) fn ApprovalQuestion(
    /// Names it in the answer.
    number: u32,
    /// The toolset's name.
    toolset: String,
    /// The tool's name.
    tool: String,
    /// The tool's whole id.
    tool_id: String,
    /// What it says of itself.
    description: String,
    /// The exact arguments.
    arguments: Value,
) -> impl IntoView {
    let runs = Runs::expect();
    let shown = serde_json::to_string_pretty(&arguments).unwrap_or_default();
    let text = RwSignal::new(shown.clone());
    let problem = RwSignal::new(None::<String>);
    let reason = RwSignal::new(String::new());
    let rows = shown.lines().count().clamp(3, 14);
    let approve = move |scope: Scope| {
        let arguments = match changed(&shown, &text.get_untracked()) {
            Ok(arguments) => arguments,
            Err(error) => return problem.set(Some(error)),
        };
        let answer = match scope {
            Scope::Once => UserAnswer::Once { arguments },
            Scope::Chat => UserAnswer::Chat { arguments },
            Scope::Always => UserAnswer::Always { arguments },
        };
        runs.answer(number, answer);
    };
    let approve = StoredValue::new(approve);
    let agree = move |scope| approve.with_value(|approve| approve(scope));
    let deny = move |_| runs.answer(number, UserAnswer::Deny { reason: reason.get_untracked() });
    view! {
        <div class="question" data-testid="approval-request">
            <h2 id=TITLE>"Run " {tool} "?"</h2>
            <p class="approval-tool"><code>{tool_id}</code>" of " {toolset}</p>
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
                <span class="field-hint">"Exactly this is handed to the tool. You can change it."</span>
            </label>
            {move || problem.get().map(|words| view! { <p class="field-error" role="alert">{words}</p> })}
            <label class="field">
                <span class="field-label">"Reason, if you deny it"</span>
                <input class="input" type="text" data-testid="approval-reason" bind:value=reason />
            </label>
            <div class="dialog-actions">
                <button class="button" type="button" data-testid="approval-deny" on:click=deny>"Deny"</button>
                <button
                    class="button"
                    type="button"
                    data-testid="approval-always"
                    title="Until the tool changes"
                    on:click=move |_| agree(Scope::Always)
                >
                    "Always"
                </button>
                <button class="button" type="button" data-testid="approval-chat" on:click=move |_| agree(Scope::Chat)>
                    "In this chat"
                </button>
                <button
                    class="button button-accent"
                    type="button"
                    data-testid="approval-once"
                    on:click=move |_| agree(Scope::Once)
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
        Ok(_) => Err("The arguments must be one object, in { and }.".into()),
        Err(error) => Err(format!("This is not JSON: {error}.")),
    }
}
