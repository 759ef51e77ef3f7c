//! May this toolset reach this host?

use leptos::prelude::*;

use super::question::TITLE;
use crate::state::Runs;
use crate::work::runs::UserAnswer;

/// The question.
#[component]
pub(crate) fn HostQuestion(
    /// Names it in the answer.
    number: u32,
    /// The toolset's name, as it calls itself.
    toolset: String,
    /// Its id.
    toolset_id: String,
    /// The host.
    host: String,
    /// Whether it is on this device or in its own network.
    is_private: bool,
    /// The names of the secrets that would be sent to it.
    secrets: Vec<String>,
) -> impl IntoView {
    let runs = Runs::expect();
    let keys = if secrets.is_empty() {
        view! { <p>"It does not get your cookies, keys or secrets."</p> }.into_any()
    } else {
        let names = secrets.join(", ");
        view! {
            <p class="field-error" data-testid="host-grant-secrets">
                "It also sends your "{if secrets.len() == 1 { "secret " } else { "secrets " }}<strong>{names}</strong>
                " there. Allow this only if you trust this host with them."
            </p>
        }
        .into_any()
    };
    let warning = is_private.then(|| {
        view! {
            <p class="field-error">
                "This address is on your own computer or network, where programs often answer without asking for a password."
            </p>
        }
    });
    view! {
        <div class="question" data-testid="host-grant">
            <h2 id=TITLE>"Let " {toolset} " reach " {host.clone()} "?"</h2>
            <p>
                "A tool in "<strong>{toolset_id}</strong>" wants to send something to "<strong>{host}</strong>
                ". It can send whatever its tools can see: the arguments they are called with and the files of the chat."
            </p>
            {keys}
            {warning}
            <p class="field-hint">"Your answer is remembered until you withdraw it on the toolset's page."</p>
            <div class="dialog-actions">
                <button
                    class="button"
                    type="button"
                    data-testid="host-grant-deny"
                    on:click=move |_| runs.answer(number, UserAnswer::Host { is_allowed: false })
                >
                    "Don't allow"
                </button>
                <button
                    class="button button-accent"
                    type="button"
                    data-testid="host-grant-allow"
                    on:click=move |_| runs.answer(number, UserAnswer::Host { is_allowed: true })
                >
                    "Allow"
                </button>
            </div>
        </div>
    }
}
