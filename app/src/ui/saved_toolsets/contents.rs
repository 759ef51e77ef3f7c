//! What is in a saved toolset: each tool with what is noted about it, the way out of it, and the way in for others (R157).

use std::collections::BTreeSet;

use leptos::prelude::*;
use satchel_core::local_api::reading::{SavedRead, SavedToolRead};

use super::choices::Choices;
use crate::browser::spawn::spawn;
use crate::state::SavedToolsets;
use crate::ui::parts::sentence;
use crate::ui::wrench::in_short;

/// The tools. What is open stays so while they change.
#[component]
pub(super) fn Contents(
    /// The toolset.
    toolset: Memo<SavedRead>,
) -> impl IntoView {
    let tools = move || {
        let whole = toolset.get();
        let tools = whole.tools.clone().into_iter().enumerate();
        tools.map(|(at, tool)| view! { <Tool whole=whole.clone() at tool /> }).collect_view()
    };
    view! {
        <details class="saved-tools">
            <summary>"Tools"</summary>
            <ul class="saved-tool-list">{tools}</ul>
            <AddTools toolset />
        </details>
    }
}

#[component]
fn Tool(
    /// The toolset.
    whole: SavedRead,
    /// Where in it the tool is.
    at: usize,
    /// The tool.
    tool: SavedToolRead,
) -> impl IntoView {
    let saved = SavedToolsets::expect();
    let notes = whole.tool_notes.iter().find(|notes| notes.tool_ref.namespaced_name == tool.namespaced_name);
    let note = notes.and_then(|own| own.notes.first()).map(|note| note.note.clone()).unwrap_or_default();
    let shown = tool.namespaced_name.clone().or_else(|| tool.ref_id.clone()).unwrap_or_default();
    let cost = tool.context.map(|context| format!("{} tokens", in_short(context.tokens)));
    let (of, name) = (shown.clone(), whole.name.clone());
    let keep = move |event: leptos::ev::Event| saved.annotate(name.clone(), of.clone(), event_target_value(&event));
    view! {
        <li class="saved-tool">
            <code>{shown.clone()}</code>
            <span class="field-hint">{cost}</span>
            {tool.problem.map(|problem| view! { <span class="badge" data-kind="caution">{problem}</span> })}
            <input
                class="input saved-note"
                type="text"
                maxlength="2000"
                aria-label=format!("Note about {shown}")
                placeholder="Note for the model"
                prop:value=note
                on:change=keep
            />
            <button
                class="button button-small"
                type="button"
                aria-label=format!("Remove {shown}")
                data-testid=format!("saved-toolset-remove-{}-{shown}", whole.name)
                on:click=move |_| saved.remove_tool(&whole, at)
            >
                "Remove"
            </button>
        </li>
    }
}

/// The way in for tools that it does not have.
#[component]
fn AddTools(
    /// The toolset.
    toolset: Memo<SavedRead>,
) -> impl IntoView {
    let saved = SavedToolsets::expect();
    let chosen = RwSignal::new(BTreeSet::<String>::new());
    let problem = RwSignal::new(None::<String>);
    let own = Signal::derive(move || {
        toolset.with(|toolset| toolset.tools.iter().filter_map(|tool| tool.namespaced_name.clone()).collect())
    });
    let add = move |_| {
        let (whole, tools) = (toolset.get_untracked(), chosen.get_untracked());
        spawn(async move {
            match saved.add_tools(&whole, tools).await {
                Ok(()) => {
                    problem.try_set(None);
                    chosen.try_set(BTreeSet::new());
                }
                Err(error) => drop(problem.try_set(Some(error))),
            }
        });
    };
    let name = toolset.get_untracked().name;
    view! {
        <details class="saved-build">
            <summary data-testid=format!("saved-toolset-more-{name}")>"Add tools"</summary>
            <div class="saved-form">
                <Choices chosen without=own test_id=format!("saved-toolset-add-{name}") />
                {move || problem.get().map(|said| view! { <p class="field-error" role="alert">{sentence(&said)}</p> })}
                <div>
                    <button
                        class="button button-small button-accent"
                        type="button"
                        disabled=move || chosen.with(BTreeSet::is_empty)
                        data-testid=format!("saved-toolset-add-{name}")
                        on:click=add
                    >
                        "Add"
                    </button>
                </div>
            </div>
        </details>
    }
}
