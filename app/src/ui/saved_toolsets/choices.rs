//! Single tools to choose, of everything that there is, by who gives them (R132).

use std::collections::BTreeSet;

use leptos::prelude::*;
use satchel_core::local_api::reading::{AvailableToolRead, ServerToolsRead};
use satchel_core::saved::budget_warning;

use crate::state::SavedToolsets;
use crate::ui::parts::sentence;
use crate::ui::wrench::in_short;

/// What there is, what of it is chosen, and what that costs.
#[component]
pub(super) fn Choices(
    /// The names of those that are chosen.
    chosen: RwSignal<BTreeSet<String>>,
    /// The names of those that are not shown, since they are chosen already.
    #[prop(into)]
    without: Signal<BTreeSet<String>>,
    /// How the name of each box for tests begins.
    test_id: String,
) -> impl IntoView {
    let saved = SavedToolsets::expect();
    let test_id = StoredValue::new(test_id);
    let shown = Memo::new(move |_| {
        let mut servers = saved.available().tools_by_server;
        without.with(|without| {
            for server in &mut servers {
                server.tools.retain(|tool| !without.contains(&tool.namespaced_name));
            }
        });
        servers.retain(|server| !server.tools.is_empty());
        servers
    });
    let tokens = move || -> u64 {
        shown.with(|servers| {
            let tools = servers.iter().flat_map(|server| &server.tools);
            let is_chosen = |tool: &&AvailableToolRead| chosen.with(|chosen| chosen.contains(&tool.namespaced_name));
            tools.filter(is_chosen).map(|tool| tool.context.tokens).sum()
        })
    };
    let summary =
        move || format!("{} chosen, about {} tokens in every request.", chosen.with(BTreeSet::len), in_short(tokens()));
    let server = move |server| view! { <Server server chosen test_id /> };
    view! {
        <div class="saved-choices">{move || shown.get().into_iter().map(server).collect_view()}</div>
        <p class="field-hint" role="status">{summary}</p>
        {move || budget_warning(tokens(), None).map(|said| view! { <p class="field-error">{sentence(&said)}</p> })}
    }
}

#[component]
fn Server(
    /// Who gives the tools.
    server: ServerToolsRead,
    /// The names of those that are chosen.
    chosen: RwSignal<BTreeSet<String>>,
    /// How the name of each box for tests begins.
    test_id: StoredValue<String>,
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
                    data-testid=format!("{}-{}", test_id.get_value(), tool.namespaced_name)
                    prop:checked=move || chosen.with(|chosen| chosen.contains(&other))
                    on:change=toggle
                />
                <span>{tool.name}</span>
                <span class="field-hint">{in_short(tool.context.tokens)}</span>
                {tool.unavailable.map(|reason| view! { <span class="field-hint">{reason}</span> })}
            </label>
        }
    };
    let tokens: u64 = server.tools.iter().map(|tool| tool.context.tokens).sum();
    let legend = format!("{} · about {} tokens", server.server_name, in_short(tokens));
    view! {
        <fieldset class="saved-server">
            <legend>{legend}</legend>
            {server.tools.into_iter().map(tool).collect_view()}
        </fieldset>
    }
}
