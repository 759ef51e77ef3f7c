//! One toolset: its box, how many of its tools are chosen, what they cost, and its tools when it is opened.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::catalog::{Checkbox, SelectableToolset, SelectedCount, ToolsetId, Unavailable};

use super::in_short;
use super::tool::ToolRow;
use crate::browser::page;
use crate::state::Choosing;
use crate::ui::parts::{Icon, IconName};

/// A toolset.
#[component]
pub(super) fn ToolsetItem(
    /// Which.
    id: ToolsetId,
) -> impl IntoView {
    let choosing = Choosing::expect();
    let (item, row) = (format!("toolset-item-{id}"), format!("toolset-row-{id}"));
    let (tools, reason) = (format!("wrench-tools-{id}"), format!("wrench-reason-{id}"));
    let (box_test, box_id) = (format!("toolset-checkbox-{id}"), format!("wrench-box-{id}"));
    let for_tools = id.clone();
    let toolset = Memo::new(move |_| choosing.toolset(&id));
    let is_open = RwSignal::new(false);
    let state = Memo::new(move |_| look(choosing, toolset, |selection, toolset| selection.checkbox(toolset)));
    let unavailable = Memo::new(move |_| toolset.with(|toolset| toolset.as_ref()?.unavailable.clone()));
    let why = move || unavailable.get().map(|reason| reason.to_string());
    let toggle = move |event: leptos::ev::Event| {
        if let Some(toolset) = toolset.get_untracked() {
            choosing.toggle_toolset(&toolset);
        }
        let state = state.get_untracked();
        page::set_box(&event, state == Some(Checkbox::Checked), state == Some(Checkbox::Indeterminate));
    };
    // The right arrow opens it, and the left one closes it from within.
    let back = box_id.clone();
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "ArrowRight" => is_open.set(true),
        "ArrowLeft" if is_open.get_untracked() => {
            is_open.set(false);
            page::focus(&back);
        }
        _ => {}
    };
    view! {
        <li class="wrench-item" data-testid=item on:keydown=on_key>
            <div class="wrench-row" data-testid=row title=why>
                <Expand id=for_tools.clone() toolset is_open tools=tools.clone() />
                <label class="wrench-label">
                    <input
                        class="tick"
                        id=box_id
                        type="checkbox"
                        data-testid=box_test
                        disabled=move || unavailable.get().is_some()
                        title=why
                        aria-describedby=reason.clone()
                        prop:checked=move || state.get() == Some(Checkbox::Checked)
                        prop:indeterminate=move || state.get() == Some(Checkbox::Indeterminate)
                        on:change=toggle
                    />
                    <span class="wrench-name">{move || toolset.with(|toolset| name(toolset.as_ref()))}</span>
                    <span class="wrench-count">{move || count(choosing, toolset)}</span>
                </label>
                <span class="wrench-cost">{move || cost(choosing, toolset)}</span>
                <Reason id=reason choosing toolset unavailable />
            </div>
            {move || {
                let id = for_tools.clone();
                is_open.get().then(|| view! { <Tools id toolset list=tools.clone() /> })
            }}
        </li>
    }
}

/// What opens and closes it.
#[component]
fn Expand(
    /// The toolset.
    id: ToolsetId,
    /// What is known of it.
    toolset: Memo<Option<SelectableToolset>>,
    /// Whether its tools are shown.
    is_open: RwSignal<bool>,
    /// The id of their list.
    tools: String,
) -> impl IntoView {
    let label = move || format!("Tools of {}", toolset.with(|toolset| name(toolset.as_ref())));
    view! {
        <button
            class="icon-button wrench-expand"
            type="button"
            data-testid=format!("toolset-expand-{id}")
            aria-label=label
            aria-expanded=move || is_open.get().to_string()
            aria-controls=move || is_open.get().then(|| tools.clone())
            on:click=move |_| is_open.set(!is_open.get_untracked())
        >
            <Icon name=IconName::Forward small=true />
        </button>
    }
}

/// Why it cannot be used, and what of it is therefore not sent (R167, R176).
#[component]
fn Reason(
    /// The id by which the box names it.
    id: String,
    /// The selection.
    choosing: Choosing,
    /// What is known of the toolset.
    toolset: Memo<Option<SelectableToolset>>,
    /// The reason.
    unavailable: Memo<Option<Unavailable>>,
) -> impl IntoView {
    let unsent = move || look(choosing, toolset, |selection, toolset| selection.unsent(toolset)).unwrap_or_default();
    let page = move || toolset.with(|toolset| toolset.as_ref().map(|toolset| format!("/ui/toolsets/{}", toolset.id)));
    let reason = move || {
        unavailable.get().map(|reason| {
            let unsent = match unsent() {
                0 => String::new(),
                1 => ". 1 chosen tool is not sent".into(),
                unsent => format!(". {unsent} chosen tools are not sent"),
            };
            view! { {reason.to_string()} {unsent} ". " <a href=page>"Open its page"</a> }
        })
    };
    view! { <p class="wrench-reason" id=id>{reason}</p> }
}

/// Its tools.
#[component]
fn Tools(
    /// The toolset.
    id: ToolsetId,
    /// What is known of it.
    toolset: Memo<Option<SelectableToolset>>,
    /// The id of the list.
    list: String,
) -> impl IntoView {
    let tools =
        move || toolset.with(|toolset| toolset.iter().flat_map(|toolset| toolset.tools.clone()).collect::<Vec<_>>());
    let is_empty = move || toolset.with(|toolset| toolset.as_ref().is_some_and(|toolset| toolset.tools.is_empty()));
    view! {
        <ul class="wrench-tools" id=list>
            <For each=tools key=Clone::clone let:tool>
                <ToolRow toolset=id.clone() tool />
            </For>
            {move || is_empty().then(|| view! { <li class="wrench-none">"It has no tools here."</li> })}
        </ul>
    }
}

/// Looks at what is chosen of a toolset, while it is there.
fn look<T>(
    choosing: Choosing,
    toolset: Memo<Option<SelectableToolset>>,
    look: impl FnOnce(&satchel_core::catalog::Selection, &SelectableToolset) -> T,
) -> Option<T> {
    toolset.with(|toolset| toolset.as_ref().map(|toolset| choosing.with(|selection| look(selection, toolset))))
}

fn name(toolset: Option<&SelectableToolset>) -> String {
    toolset.map(|toolset| toolset.name.clone()).unwrap_or_default()
}

/// How many of how many (R165).
fn count(choosing: Choosing, toolset: Memo<Option<SelectableToolset>>) -> String {
    let count = look(choosing, toolset, |selection, toolset| selection.count(toolset));
    count.map(|SelectedCount { enabled, total }| format!("({enabled}/{total})")).unwrap_or_default()
}

/// What is chosen of it costs, of what all of it would (R312).
fn cost(choosing: Choosing, toolset: Memo<Option<SelectableToolset>>) -> String {
    let cost = look(choosing, toolset, |selection, toolset| (selection.offered_of(toolset), toolset.tokens()));
    match cost {
        None => String::new(),
        Some((offered, all)) if offered.tools == 0 || offered.tokens == all => format!("{} tokens", in_short(all)),
        Some((offered, all)) => format!("{} of {} tokens", in_short(offered.tokens), in_short(all)),
    }
}
