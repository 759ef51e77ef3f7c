//! Building a saved toolset: a name, and single tools of everything that there is (R132).

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::choices::Choices;
use crate::browser::spawn::spawn;
use crate::state::SavedToolsets;
use crate::ui::parts::sentence;

/// The form.
#[component]
pub(super) fn BuildForm() -> impl IntoView {
    let saved = SavedToolsets::expect();
    let (name, description) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let chosen = RwSignal::new(BTreeSet::<String>::new());
    let problem = RwSignal::new(None::<String>);
    let build = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let tools: Vec<String> = chosen.get_untracked().into_iter().collect();
        spawn(async move {
            match saved.build(name.get_untracked(), description.get_untracked(), tools).await {
                Ok(()) => {
                    problem.try_set(None);
                    name.try_set(String::new());
                    description.try_set(String::new());
                    chosen.try_set(BTreeSet::new());
                }
                Err(error) => drop(problem.try_set(Some(error))),
            }
        });
    };
    view! {
        <details class="saved-build">
            <summary data-testid="saved-toolset-new">"Build a saved toolset"</summary>
            <form class="saved-form" on:submit=build>
                <label class="field">
                    <span class="field-label">"Name"</span>
                    <input
                        class="input"
                        type="text"
                        required=true
                        maxlength="50"
                        placeholder="web-dev"
                        data-testid="saved-toolset-name"
                        prop:value=move || name.get()
                        on:input=move |event| name.set(event_target_value(&event))
                    />
                    <span class="field-hint">"2 to 50 lower-case letters, digits and \"-\""</span>
                </label>
                <label class="field">
                    <span class="field-label">"What it is for"</span>
                    <input
                        class="input"
                        type="text"
                        maxlength="2000"
                        data-testid="saved-toolset-description"
                        prop:value=move || description.get()
                        on:input=move |event| description.set(event_target_value(&event))
                    />
                </label>
                <Choices chosen without=BTreeSet::new() test_id="saved-toolset-tool".to_owned() />
                {move || problem.get().map(|said| view! { <p class="field-error" role="alert">{sentence(&said)}</p> })}
                <button class="button button-accent" type="submit" data-testid="saved-toolset-build">"Save"</button>
            </form>
        </details>
    }
}
