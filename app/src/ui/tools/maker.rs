//! A form for an HTTP tool: made without writing code, and tried on the page that follows (R227).
//!
//! What the form holds is core's [`Recipe`]; its arguments are found in what is typed. Saving makes a version, and where the form began as a
//! version that is there, it comes in the place of that one, for whoever has chosen or saved it too.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use satchel_core::http_tool::{Recipe, next_label, slug_of};
use satchel_core::local_api::reading::BundleRead;

use super::maker_fields::{Arguments, Place as Field, Text};
use super::maker_steps::Steps;
use crate::browser::spawn::spawn;
use crate::state::{Address, Chats, Place, Storage, ToolSelection, Toolsets};
use crate::ui::parts::sentence;
use crate::work::bundles;

/// What a form begins with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Begun {
    /// What it holds.
    pub(super) recipe: Recipe,
    /// The version that it comes after.
    pub(super) after: Option<Version>,
}

/// A version of a tool that is there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Version {
    /// The id of its bundle.
    pub(super) bundle: String,
    /// Its slug.
    pub(super) slug: String,
    /// Its label.
    pub(super) label: String,
    /// Its whole id.
    pub(super) tool_id: String,
}

/// What stands for a bundle that is not there yet.
const NEW: &str = "";

/// The form.
#[component]
pub(super) fn Maker(
    /// What it begins with.
    begun: Begun,
    /// Puts it away.
    #[prop(into)]
    on_close: Callback<()>,
) -> impl IntoView {
    let (storage, toolsets, address) = (Storage::expect(), Toolsets::expect(), Address::expect());
    let (selection, chats) = (ToolSelection::expect(), Chats::expect());
    let recipe = RwSignal::new(begun.recipe);
    let of = move |place: fn(&mut Recipe) -> &mut String| Field::of(recipe, place);
    let after = StoredValue::new(begun.after.clone());
    let bundle = RwSignal::new(begun.after.as_ref().map_or(NEW.to_owned(), |after| after.bundle.clone()));
    let bundle_name = RwSignal::new("My tools".to_owned());
    let version = RwSignal::new(begun.after.as_ref().map_or_else(|| "1".to_owned(), |after| next_label(&after.label)));
    let (failure, is_saving) = (RwSignal::new(String::new()), RwSignal::new(false));
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let wished = recipe.get_untracked();
        let (chosen, named) = (bundle.get_untracked(), bundle_name.get_untracked());
        is_saving.set(true);
        failure.set(String::new());
        spawn(async move {
            let saved = keep(&storage, wished, chosen, named, version.get_untracked(), after.get_value()).await;
            // The form may be gone by now.
            is_saving.try_set(false);
            match saved {
                Ok(tool_id) => {
                    if let Some(after) = after.get_value() {
                        selection.tool_replaced(&after.bundle, &after.tool_id, &tool_id);
                        chats.changed().await;
                    }
                    toolsets.changed();
                    on_close.run(());
                    address.go(&format!("{}/{tool_id}", Place::Tools.path()));
                }
                Err(error) => drop(failure.try_set(sentence(&error))),
            }
        });
    };
    view! {
        <form class="maker" data-testid="tool-maker" aria-label="HTTP tool" on:submit=save>
            <h2>{if begun.after.is_some() { "A new version" } else { "A new HTTP tool" }}</h2>
            {begun.after.is_none().then(|| view! { <BundleChoice bundle name=bundle_name /> })}
            <Text label="Name" test_id="maker-name" place=of(|recipe| &mut recipe.name) />
            <Text label="What it does" hint="The model reads this to know when to use it." test_id="maker-description" place=of(|recipe| &mut recipe.description) />
            <Steps recipe />
            <Arguments recipe />
            <details class="maker-more">
                <summary>"Hosts and limits"</summary>
                <Text label="Allowed hosts" hint="The hosts of the addresses above, unless you name others." test_id="maker-hosts" place=of(|recipe| &mut recipe.hosts) />
                <Text label="Retries of a failed request" hint="Only where it may help: no connection, too many requests, a server error. 2 if empty." test_id="maker-retries" place=of(|recipe| &mut recipe.retries) />
                <Text label="Largest response in bytes" test_id="maker-most-bytes" place=of(|recipe| &mut recipe.most_bytes) />
                <Text label="Calls per minute" test_id="maker-per-minute" place=of(|recipe| &mut recipe.per_minute) />
            </details>
            <label class="field">
                <span class="field-label">"Version"</span>
                <input class="input" type="text" data-testid="maker-version" bind:value=version />
            </label>
            <p class="field-error" role="alert" data-testid="maker-error" hidden=move || failure.with(String::is_empty)>{failure}</p>
            <div class="maker-buttons">
                <button class="button button-accent" type="submit" data-testid="maker-save" disabled=is_saving>"Save"</button>
                <button class="button" type="button" data-testid="maker-cancel" on:click=move |_| on_close.run(())>"Cancel"</button>
            </div>
        </form>
    }
}

/// Saves what a form holds; the tool's whole id, or what is wrong.
async fn keep(
    storage: &Storage,
    recipe: Recipe,
    bundle: String,
    bundle_name: String,
    version: String,
    after: Option<Version>,
) -> Result<String, String> {
    let tool = recipe.tool().map_err(|fault| fault.to_string())?;
    let (store, version) = (storage.store(), version.trim());
    let slug = after.as_ref().map_or_else(|| recipe.slug(), |after| after.slug.clone());
    let made = if bundle == NEW {
        let name = bundle_name.trim();
        bundles::make(&store, name, &slug_of(name), &slug, version, tool).await
    } else {
        let replaces = after.as_ref().map(|after| after.label.as_str());
        bundles::make_tool(&store, &bundle, &slug, version, tool, replaces).await
    };
    made.map_err(|error| error.to_string())
}

/// The bundle that a new tool goes into.
#[component]
fn BundleChoice(
    /// The one that is chosen.
    bundle: RwSignal<String>,
    /// What a new one is called.
    name: RwSignal<String>,
) -> impl IntoView {
    let storage = Storage::expect();
    let known = RwSignal::new(Vec::<BundleRead>::new());
    spawn(async move {
        if let Ok(found) = bundles::list(&storage.store()).await {
            known.try_set(found);
        }
    });
    view! {
        <label class="field">
            <span class="field-label">"Bundle"</span>
            <select class="input" data-testid="maker-bundle" on:change=move |event| bundle.set(event_target_value(&event))>
                <option value=NEW>"A new one"</option>
                {move || {
                    known.get().into_iter().map(|one| view! { <option value=one.bundle_id.clone()>{one.display_name}</option> }).collect_view()
                }}
            </select>
        </label>
        <Show when=move || bundle.with(|chosen| chosen == NEW)>
            <label class="field">
                <span class="field-label">"Name of the bundle"</span>
                <input class="input" type="text" required data-testid="maker-bundle-name" bind:value=name />
            </label>
        </Show>
    }
}
