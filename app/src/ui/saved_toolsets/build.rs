//! Building a saved toolset: a name, and single tools of everything that there is (R132).

use std::collections::BTreeSet;

use leptos::prelude::*;
use satchel_core::local_api::reading::{AvailableToolRead, ServerToolsRead};
use satchel_core::saved::budget_warning;

use crate::browser::spawn::spawn;
use crate::state::SavedToolsets;
use crate::ui::parts::sentence;
use crate::ui::wrench::in_short;

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
    let tokens = move || -> u64 {
        let available = saved.available();
        let tools = available.tools_by_server.iter().flat_map(|server| &server.tools);
        chosen.with(|chosen| {
            tools.filter(|tool| chosen.contains(&tool.namespaced_name)).map(|tool| tool.context.tokens).sum()
        })
    };
    let summary =
        move || format!("{} chosen, about {} tokens in every request.", chosen.with(BTreeSet::len), in_short(tokens()));
    let servers = move || {
        saved.available().tools_by_server.into_iter().map(|server| view! { <Server server chosen /> }).collect_view()
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
                <div class="saved-choices">{servers}</div>
                <p class="field-hint" role="status">{summary}</p>
                {move || budget_warning(tokens(), None).map(|said| view! { <p class="field-error">{sentence(&said)}</p> })}
                {move || problem.get().map(|said| view! { <p class="field-error" role="alert">{sentence(&said)}</p> })}
                <button class="button button-accent" type="submit" data-testid="saved-toolset-build">"Save"</button>
            </form>
        </details>
    }
}

#[component]
fn Server(
    /// Who gives the tools.
    server: ServerToolsRead,
    /// The names of those that are chosen.
    chosen: RwSignal<BTreeSet<String>>,
) -> impl IntoView {
    let tool = move |tool: AvailableToolRead| {
        let (name, other) = (tool.namespaced_name.clone(), tool.namespaced_name.clone());
        let toggle = move |event: leptos::ev::Event| {
            let (name, is_in) = (name.clone(), event_target_checked(&event));
            chosen.update(|chosen| {
                if is_in {
                    chosen.insert(name);
                } else {
                    chosen.remove(&name);
                }
            });
        };
        view! {
            <label class="saved-choice" title=tool.description>
                <input
                    type="checkbox"
                    data-testid=format!("saved-toolset-tool-{}", tool.namespaced_name)
                    prop:checked=move || chosen.with(|chosen| chosen.contains(&other))
                    on:change=toggle
                />
                <span>{tool.name}</span>
                <span class="field-hint">{in_short(tool.context.tokens)}</span>
                {tool.unavailable.map(|reason| view! { <span class="field-hint">{reason}</span> })}
            </label>
        }
    };
    let legend = format!("{} · about {} tokens", server.server_name, in_short(server.context.tokens));
    view! {
        <fieldset class="saved-server">
            <legend>{legend}</legend>
            {server.tools.into_iter().map(tool).collect_view()}
        </fieldset>
    }
}
