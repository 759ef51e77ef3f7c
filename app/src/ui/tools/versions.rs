//! What can be done to a tool of the user's own: another version of it, and an end to this one (R227).

use leptos::prelude::*;
use satchel_core::http_tool::Recipe;
use satchel_core::local_api::reading::{ToolItemRead, ToolMoreRead};

use super::maker::{Begun, Maker, Version};
use crate::browser::spawn::spawn;
use crate::state::{Address, NoticeKind, Notices, Place, Storage, Toolsets};
use crate::work::bundles;

/// The toolsets that are compiled in, which nobody changes.
const BUILT_IN: [&str; 2] = ["builtin", "builtin-exa-web-search"];

/// The buttons, for a tool that asks a host and is no part of the app.
#[component]
pub(super) fn Versions(
    /// The tool.
    tool: ToolItemRead,
    /// What else is known of it.
    more: ToolMoreRead,
) -> impl IntoView {
    let home = tool.toolset_id.clone().filter(|id| !BUILT_IN.contains(&id.as_str()) && tool.kind == "http");
    let Some(home) = home else { return ().into_any() };
    let recipe =
        more.http.as_ref().and_then(|http| Recipe::of(&tool.name, &tool.description, http, tool.input_schema.as_ref()));
    let after =
        Version { bundle: home, slug: tool.slug.clone(), label: tool.version.clone(), tool_id: tool.tool_id.clone() };
    let begun = recipe.map(|recipe| Begun { recipe, after: Some(after.clone()) });
    let is_making = RwSignal::new(false);
    let edit = begun.as_ref().map(|_| {
        view! {
            <button class="button button-small" type="button" data-testid="tool-edit" on:click=move |_| is_making.set(true)>
                "Edit as a new version"
            </button>
        }
    });
    let begun = StoredValue::new(begun);
    view! {
        <div class="maker-buttons">
            <span class="badge" title="Its version">{format!("version {}", tool.version)}</span>
            {edit}
            <DeleteVersion of=after />
        </div>
        <Show when=move || is_making.get()>
            {move || begun.get_value().map(|begun| view! { <Maker begun on_close=move |()| is_making.set(false) /> })}
        </Show>
    }
    .into_any()
}

#[component]
fn DeleteVersion(
    /// The version.
    of: Version,
) -> impl IntoView {
    let (storage, toolsets, address, notices) =
        (Storage::expect(), Toolsets::expect(), Address::expect(), Notices::expect());
    let is_asked = RwSignal::new(false);
    let of = StoredValue::new(of);
    let delete = move |_| {
        let Version { bundle, slug, label, .. } = of.get_value();
        spawn(async move {
            match bundles::delete_tool(&storage.store(), &bundle, &slug, &label).await {
                Ok(()) => {
                    toolsets.changed();
                    address.go(Place::Tools.path());
                }
                Err(error) => notices.show(NoticeKind::Error, format!("The tool was not deleted: {error}.")),
            }
        });
    };
    view! {
        <Show
            when=move || is_asked.get()
            fallback=move || {
                view! {
                    <button class="button button-small" type="button" data-testid="tool-delete" on:click=move |_| is_asked.set(true)>
                        "Delete"
                    </button>
                }
            }
        >
            <button class="button button-small" type="button" data-testid="confirm-ok" on:click=delete>
                "Delete this version for good"
            </button>
        </Show>
    }
}
