//! How many rounds of tool calls one answer may take (R191, R231).

use leptos::prelude::*;
use satchel_core::settings::{ITERATIONS, SettingChange};
use satchel_core::turn::USUAL_ROUNDS;

use crate::state::CurrentSettings;

/// A switch, and the number that counts while it is on. Typing a number switches it on.
#[component]
pub(super) fn IterationsRow() -> impl IntoView {
    let settings = CurrentSettings::expect();
    let set = settings.max_tool_iterations();
    let change = move |rounds: Option<u32>| {
        settings.change(SettingChange::MaxToolIterations(rounds), "Limit changed");
    };
    let typed = move |event: leptos::ev::Event| {
        if let Ok(rounds) = event_target_value(&event).trim().parse::<u32>() {
            change(Some(rounds.clamp(*ITERATIONS.start(), *ITERATIONS.end())));
        }
    };
    let hint = format!(
        "How many rounds of tool calls a model may make before it has to answer, from {} to {}. When this is off, {USUAL_ROUNDS}.",
        ITERATIONS.start(),
        ITERATIONS.end(),
    );
    view! {
        <div class="row">
            <label class="field" for="max-tool-iterations">
                <span class="field-label">"Rounds of tool calls in an answer"</span>
                <span class="field-hint">{hint}</span>
            </label>
            <div class="limit">
                <input
                    class="switch"
                    type="checkbox"
                    role="switch"
                    aria-label="Set the limit of tool call rounds yourself"
                    data-testid="max-tool-iterations-switch"
                    prop:checked=move || set.get().is_some()
                    on:change=move |event| change(event_target_checked(&event).then_some(USUAL_ROUNDS))
                />
                <input
                    class="input"
                    id="max-tool-iterations"
                    type="number"
                    inputmode="numeric"
                    step="1"
                    min=ITERATIONS.start().to_string()
                    max=ITERATIONS.end().to_string()
                    data-testid="max-tool-iterations-input"
                    prop:value=move || set.get().unwrap_or(USUAL_ROUNDS).to_string()
                    on:change=typed
                />
                <span class="limit-unit">"rounds"</span>
            </div>
        </div>
    }
}
