//! Finding a tool on the page of tools: what is typed is searched for with every key, and what fits best comes first (R253).

use leptos::prelude::*;
use satchel_core::local_api::reading::ToolItemRead;

use super::list::ToolCard;
use crate::state::{Tools, Toolsets, latest};
use crate::ui::parts::sentence;

/// Most that is searched for; the tools interface takes no more.
const LONGEST: &str = "500";

/// The field.
#[component]
pub(super) fn FindField(
    /// What is typed.
    typed: RwSignal<String>,
) -> impl IntoView {
    view! {
        <input
            class="input tools-find"
            type="search"
            placeholder="Find a tool"
            aria-label="Find a tool"
            maxlength=LONGEST
            autocapitalize="off"
            spellcheck="false"
            data-testid="tools-find"
            bind:value=typed
        />
    }
}

/// What fits.
#[component]
pub(super) fn Found(
    /// What is typed.
    typed: RwSignal<String>,
) -> impl IntoView {
    let (tools, toolsets) = (Tools::expect(), Toolsets::expect());
    let found = RwSignal::new(Ok::<Option<Vec<ToolItemRead>>, String>(None));
    let ask = move || {
        toolsets.changes();
        let asked = typed.get();
        async move { tools.search(asked.trim()).await.map(Some).map_err(|error| error.to_string()) }
    };
    latest::follow(ask, move |answered| found.set(answered));
    move || match found.get() {
        Ok(None) => ().into_any(),
        Ok(Some(fitting)) if fitting.is_empty() => {
            view! { <p class="toolsets-note" role="status">"No tool matches that."</p> }.into_any()
        }
        Ok(Some(fitting)) => view! {
            <ul class="tool-cards" data-testid="tools-found" aria-label="Matching tools">
                {fitting.into_iter().map(|tool| view! { <ToolCard tool /> }).collect_view()}
            </ul>
        }
        .into_any(),
        Err(error) => view! { <p class="field-error" role="alert">{sentence(&error)}</p> }.into_any(),
    }
}
