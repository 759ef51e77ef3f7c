//! One saved toolset: what is in it, what is wrong with it, and what can be done with it.

use leptos::prelude::*;
use satchel_core::counted::counted;
use satchel_core::local_api::reading::SavedRead;

use super::contents::Contents;
use crate::state::SavedToolsets;
use crate::ui::parts::{Switch, sentence};
use crate::ui::wrench::in_short;

/// The row. It stays, with what is open in it, while the toolset changes.
#[component]
pub(super) fn SavedRow(
    /// The toolset.
    toolset: Memo<SavedRead>,
    /// Whether it is equipped for the next chat.
    is_equipped: Memo<bool>,
) -> impl IntoView {
    let saved = SavedToolsets::expect();
    let name = toolset.get_untracked().name;
    let head = move || {
        let SavedRead { name, description, tools, allow_stale_refs, context, warnings, .. } = toolset.get();
        let count = counted(tools.len(), "tool");
        let facts = format!("{count} · about {} tokens in every request", in_short(context.tokens));
        let warnings = warnings.into_iter().map(|warning| view! { <li>{sentence(&warning)}</li> }).collect_view();
        view! {
            <div class="saved-head">
                <h3 class="saved-name">{name}</h3>
                {is_equipped.get().then(|| view! { <span class="badge">"Equipped for new chats"</span> })}
                {allow_stale_refs.then(|| view! { <span class="badge" data-kind="caution">"Insecure"</span> })}
            </div>
            {description.map(|text| view! { <p>{text}</p> })}
            <p class="field-hint">{facts}</p>
            <ul class="saved-warnings">{warnings}</ul>
        }
    };
    let (stale_name, test_id) = (StoredValue::new(name.clone()), format!("saved-toolset-stale-{name}"));
    let allows_stale = Memo::new(move |_| toolset.with(|toolset| toolset.allow_stale_refs));
    let stale = move || {
        view! {
            <Switch
                label=format!("Let {} use tools that have changed (insecure)", stale_name.get_value())
                test_id=test_id.clone()
                on=allows_stale.get()
                on_change=move |allowed| saved.allow_stale_refs(stale_name.get_value(), allowed)
            />
        }
    };
    view! {
        <li class="saved-row" data-testid=format!("saved-toolset-row-{name}")>
            {head}
            <Contents toolset />
            <div class="saved-stale">
                {stale}
                <span class="field-hint">
                    "Allow stale references (insecure): uses tools that have changed since you chose them."
                </span>
            </div>
            {move || view! { <Actions toolset=toolset.get() is_equipped=is_equipped.get() /> }}
        </li>
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
