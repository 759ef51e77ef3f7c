//! Saved toolsets in the popover: which one limits this chat, and saving what is chosen as one.

use leptos::prelude::*;

use super::in_short;
use crate::browser::spawn::spawn;
use crate::state::{Choosing, NoticeKind, Notices, OpenedChat, SavedToolsets, Selectable};
use crate::ui::parts::sentence;

/// The part of the popover.
#[component]
pub(super) fn SavedPart() -> impl IntoView {
    let saved = SavedToolsets::of_opened(OpenedChat::expect());
    provide_context(saved);
    let known = move || saved.list().and_then(Result::ok).unwrap_or_default();
    let rows = move || {
        let list = known();
        let equipped = list.equipped;
        let row = |toolset: satchel_core::local_api::reading::SavedRead| {
            let (name, is_equipped) = (toolset.name.clone(), equipped.as_ref() == Some(&toolset.name));
            let cost = in_short(toolset.context.tokens);
            let button = match is_equipped {
                true => view! {
                    <button class="button button-small" type="button" data-testid="saved-toolset-unequip" on:click=move |_| saved.unequip()>
                        "Unequip"
                    </button>
                }
                .into_any(),
                false => {
                    let (test_id, label) = (format!("saved-toolset-equip-{name}"), format!("Equip {name}"));
                    let name = name.clone();
                    view! {
                        <button
                            class="button button-small"
                            type="button"
                            aria-label=label
                            data-testid=test_id
                            on:click=move |_| saved.equip(name.clone())
                        >
                            "Equip"
                        </button>
                    }
                    .into_any()
                }
            };
            view! {
                <li class="wrench-saved-row" data-testid=format!("saved-toolset-row-{name}")>
                    <span class="wrench-name">{name.clone()}</span>
                    <span class="wrench-cost">{cost}</span>
                    {button}
                </li>
            }
        };
        list.toolsets.into_iter().map(row).collect_view()
    };
    // One that is equipped and not there any more can still be unequipped.
    let lost = move || {
        let list = known();
        let name = list.equipped.clone().filter(|name| !list.toolsets.iter().any(|one| one.name == *name))?;
        Some(view! {
            <p class="wrench-problem" role="alert">
                {format!("The saved toolset {name} no longer exists, so no tools are offered. ")}
                <button class="button button-small" type="button" data-testid="saved-toolset-unequip" on:click=move |_| saved.unequip()>
                    "Unequip"
                </button>
            </p>
        })
    };
    let warnings = move || {
        let line = |warning: String| view! { <li data-testid="saved-toolset-warning">{sentence(&warning)}</li> };
        saved.warnings().into_iter().map(line).collect_view()
    };
    view! {
        <section class="wrench-saved" aria-label="Saved toolsets">
            <ul class="wrench-saved-list">{rows}</ul>
            {lost}
            <ul class="saved-warnings" role="alert">{warnings}</ul>
            <SaveSelection />
        </section>
    }
}

/// Saves what is chosen under a name.
#[component]
fn SaveSelection() -> impl IntoView {
    let (saved, choosing, notices) = (SavedToolsets::expect(), Choosing::expect(), Notices::expect());
    let name = RwSignal::new(String::new());
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        // What is known by its id here is named otherwise there.
        let tools: Vec<String> = untrack(move || match choosing.listed() {
            Selectable::Known(toolsets) => {
                choosing.with(|selection| selection.usable(&toolsets).map(ToString::to_string).collect())
            }
            Selectable::Asked | Selectable::Unknown(_) => Vec::new(),
        });
        spawn(async move {
            let words = name.get_untracked();
            match saved.build_of(words.clone(), tools).await {
                Ok(()) => {
                    name.try_set(String::new());
                    notices.announce(format!("{words} was saved."));
                }
                Err(error) => notices.show(NoticeKind::Error, format!("The selection was not saved: {error}.")),
            }
        });
    };
    view! {
        <form class="wrench-save" on:submit=save>
            <input
                class="input"
                type="text"
                required=true
                maxlength="50"
                aria-label="Name for what is chosen"
                placeholder="Save what is chosen as…"
                data-testid="saved-toolset-name"
                prop:value=move || name.get()
                on:input=move |event| name.set(event_target_value(&event))
            />
            <button class="button button-small" type="submit" data-testid="saved-toolset-build">"Save"</button>
        </form>
    }
}
