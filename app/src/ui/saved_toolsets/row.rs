//! One saved toolset: what is in it, what is wrong with it, and what can be done with it.

use leptos::prelude::*;
use satchel_core::counted::counted;
use satchel_core::local_api::reading::{SavedRead, SavedToolRead};

use crate::state::SavedToolsets;
use crate::ui::parts::{Switch, sentence};
use crate::ui::wrench::in_short;

/// The row.
#[component]
pub(super) fn SavedRow(
    /// The toolset.
    toolset: SavedRead,
    /// The one that is equipped for the next chat.
    equipped: Option<String>,
) -> impl IntoView {
    let saved = SavedToolsets::expect();
    let is_equipped = equipped.as_ref() == Some(&toolset.name);
    let name = toolset.name.clone();
    let facts = format!(
        "{} · about {} tokens in every request",
        counted(toolset.tools.len(), "tool"),
        in_short(toolset.context.tokens)
    );
    let warnings = toolset.warnings.clone().into_iter();
    let warnings = warnings.map(|warning| view! { <li>{sentence(&warning)}</li> }).collect_view();
    let (stale_name, stale_label) = (name.clone(), format!("Let {name} use tools that have changed (insecure)"));
    view! {
        <li class="saved-row" data-testid=format!("saved-toolset-row-{name}")>
            <div class="saved-head">
                <h3 class="saved-name">{name.clone()}</h3>
                {is_equipped.then(|| view! { <span class="badge">"Equipped for new chats"</span> })}
                {toolset
                    .allow_stale_refs
                    .then(|| view! { <span class="badge" data-kind="caution">"Insecure"</span> })}
            </div>
            {toolset.description.clone().map(|text| view! { <p>{text}</p> })}
            <p class="field-hint">{facts}</p>
            <ul class="saved-warnings">{warnings}</ul>
            <Tools toolset=toolset.clone() />
            <div class="saved-stale">
                <Switch
                    label=stale_label
                    test_id=format!("saved-toolset-stale-{name}")
                    on=toolset.allow_stale_refs
                    on_change=move |allowed| saved.allow_stale_refs(stale_name.clone(), allowed)
                />
                <span class="field-hint">
                    "Allow stale references (insecure): uses tools that have changed since you chose them."
                </span>
            </div>
            <Actions toolset is_equipped />
        </li>
    }
}

#[component]
fn Tools(
    /// The toolset.
    toolset: SavedRead,
) -> impl IntoView {
    let saved = SavedToolsets::expect();
    let notes = toolset.tool_notes.clone();
    let note_of = move |tool: &SavedToolRead| -> String {
        let own = notes.iter().find(|notes| notes.tool_ref.namespaced_name == tool.namespaced_name);
        own.and_then(|own| own.notes.first()).map(|note| note.note.clone()).unwrap_or_default()
    };
    let whole = StoredValue::new(toolset.clone());
    let tool = move |(at, tool): (usize, SavedToolRead)| {
        let shown = tool.namespaced_name.clone().or_else(|| tool.ref_id.clone()).unwrap_or_default();
        let cost = tool.context.map(|context| format!("{} tokens", in_short(context.tokens)));
        let (note, of, label) = (note_of(&tool), shown.clone(), format!("Note about {shown}"));
        let keep = move |event: leptos::ev::Event| {
            let name = whole.with_value(|toolset| toolset.name.clone());
            saved.annotate(name, of.clone(), event_target_value(&event));
        };
        view! {
            <li class="saved-tool">
                <code>{shown.clone()}</code>
                <span class="field-hint">{cost}</span>
                {tool.problem.map(|problem| view! { <span class="badge" data-kind="caution">{problem}</span> })}
                <input
                    class="input saved-note"
                    type="text"
                    maxlength="2000"
                    aria-label=label
                    placeholder="Note for the model"
                    prop:value=note
                    on:change=keep
                />
                <button
                    class="button button-small"
                    type="button"
                    aria-label=format!("Remove {shown}")
                    on:click=move |_| whole.with_value(|toolset| saved.remove_tool(toolset, at))
                >
                    "Remove"
                </button>
            </li>
        }
    };
    let tools = toolset.tools.into_iter().enumerate().map(tool).collect_view();
    view! {
        <details class="saved-tools">
            <summary>"Tools"</summary>
            <ul class="saved-tool-list">{tools}</ul>
        </details>
    }
}

#[component]
fn Actions(
    /// The toolset.
    toolset: SavedRead,
    /// Whether the next chat begins with it.
    is_equipped: bool,
) -> impl IntoView {
    let saved = SavedToolsets::expect();
    let is_asked = RwSignal::new(false);
    let name = StoredValue::new(toolset.name.clone());
    let own = move || name.get_value();
    let equip = if is_equipped {
        view! {
            <button class="button button-small" type="button" data-testid="saved-toolset-unequip" on:click=move |_| saved.unequip()>
                "Unequip"
            </button>
        }
        .into_any()
    } else {
        view! {
            <button
                class="button button-small button-accent"
                type="button"
                data-testid=format!("saved-toolset-equip-{}", toolset.name)
                on:click=move |_| saved.equip(own())
            >
                "Equip"
            </button>
        }
        .into_any()
    };
    let has_changed =
        toolset.tools.iter().any(|tool| tool.problem.as_ref().is_some_and(|why| why.starts_with("SECURITY")));
    view! {
        <div class="saved-actions">
            {equip}
            {(has_changed || toolset.allow_stale_refs)
                .then(|| {
                    view! {
                        <button
                            class="button button-small"
                            type="button"
                            title="Accepts its tools as they are now. Look at what changed first"
                            data-testid=format!("saved-toolset-renew-{}", toolset.name)
                            on:click=move |_| saved.renew(own())
                        >
                            "Accept as they are now"
                        </button>
                    }
                })}
            <button class="button button-small" type="button" on:click=move |_| saved.export(Some(own()))>
                "Export"
            </button>
            <Show
                when=move || is_asked.get()
                fallback=move || {
                    view! {
                        <button
                            class="button button-small"
                            type="button"
                            data-testid=format!("saved-toolset-delete-{}", own())
                            on:click=move |_| is_asked.set(true)
                        >
                            "Delete"
                        </button>
                    }
                }
            >
                <button
                    class="button button-small button-danger"
                    type="button"
                    data-testid="confirm-ok"
                    on:click=move |_| saved.delete(own())
                >
                    "Delete for good"
                </button>
                <button class="button button-small" type="button" on:click=move |_| is_asked.set(false)>
                    "Keep"
                </button>
            </Show>
        </div>
    }
}
