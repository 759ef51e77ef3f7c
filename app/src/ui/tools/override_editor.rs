//! What the user changes about a tool, in its toolset only: name, description, renderer, and whether it asks (R118).

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use satchel_core::local_api::reading::{ToolItemRead, ToolMoreRead};
use serde_json::Value;

use crate::browser::spawn::spawn;
use crate::state::{Notices, Storage, Toolsets};
use crate::ui::parts::sentence;
use crate::work::tools::{self, Changed};

/// The renderers, and what one is told where nothing is said yet.
const RENDERERS: [(&str, &str); 4] = [
    ("code", "{\n  \"content\": \"$return\"\n}"),
    ("document", "{\n  \"content\": \"$return.text\"\n}"),
    ("html", "{\n  \"artifact\": \"artifacts/view.html\",\n  \"data\": \"$return\"\n}"),
    ("frame", "{\n  \"url\": \"$return.url\"\n}"),
];

/// A button, and the form it opens. What is built in cannot be changed (C52).
#[component]
pub(super) fn OverrideEditor(
    /// The tool.
    tool: ToolItemRead,
    /// What the list does not say of it.
    more: ToolMoreRead,
) -> impl IntoView {
    let Some(toolset) = tool.toolset_id.clone().filter(|id| id != "builtin") else { return ().into_any() };
    let is_open = RwSignal::new(false);
    let test_id = format!("override-edit-{}", tool.tool_id);
    let of = StoredValue::new((tool, more, toolset));
    view! {
        <section class="override-editor" aria-label="Change it">
            <button
                class="button button-small"
                type="button"
                aria-expanded=move || is_open.get().to_string()
                data-testid=test_id
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                "Change how it is named and shown"
            </button>
            {move || {
                is_open
                    .get()
                    .then(|| {
                        let (tool, more, toolset) = of.get_value();
                        view! { <Editor tool more toolset done=move || is_open.set(false) /> }
                    })
            }}
        </section>
    }
    .into_any()
}

#[component]
fn Editor(
    /// The tool.
    tool: ToolItemRead,
    /// What the list does not say of it.
    more: ToolMoreRead,
    /// Its toolset.
    toolset: String,
    /// Told when it is over.
    done: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let (storage, notices, toolsets) = (Storage::expect(), Notices::expect(), Toolsets::expect());
    let shown =
        more.render_config.as_ref().and_then(|shown| Some((shown.get("renderer")?.as_str()?, shown.get("config")?)));
    let (name, description) = (RwSignal::new(tool.name.clone()), RwSignal::new(tool.description.clone()));
    let renderer = RwSignal::new(shown.map(|(renderer, _)| renderer.to_owned()).unwrap_or_default());
    let config =
        RwSignal::new(shown.and_then(|(_, config)| serde_json::to_string_pretty(config).ok()).unwrap_or_default());
    let asks = RwSignal::new(tool.requires_confirmation);
    let problem = RwSignal::new(None::<String>);
    let named = StoredValue::new((toolset, tool.tool_id.clone()));
    let apply = move |changed: Option<Changed>| {
        spawn(async move {
            let (toolset, tool_id) = named.get_value();
            match tools::change(&storage.store(), &toolset, &tool_id, changed.as_ref()).await {
                Ok(()) => {
                    notices.announce("The tool was changed.");
                    done();
                    toolsets.changed();
                }
                Err(error) => drop(problem.try_set(Some(error.to_string()))),
            }
        });
    };
    let before = tool.clone();
    // What was changed before stays changed, unless it is changed again now; what is as declared follows its toolset.
    let kept = more.overrides.clone();
    let drawn = shown.map(|(renderer, config)| (renderer.to_owned(), config.clone()));
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let changed_text = |now: String, was: &str| Some(now).filter(|now| now.trim() != was.trim());
        let renderer = Some(renderer.get_untracked()).filter(|renderer| !renderer.is_empty());
        let renderer_config = match renderer.as_ref().map(|_| serde_json::from_str::<Value>(&config.get_untracked())) {
            None => None,
            Some(Ok(config)) => Some(config),
            Some(Err(error)) => return problem.set(Some(format!("the configuration is not JSON: {error}"))),
        };
        let was = kept.clone();
        let is_drawn_the_same = renderer.clone().zip(renderer_config.clone()) == drawn;
        let (renderer, renderer_config) = match (is_drawn_the_same, &was) {
            (true, Some(was)) if was.renderer.is_some() => (renderer, renderer_config),
            (true, _) => (None, None),
            (false, _) => (renderer, renderer_config),
        };
        let (name_was, description_was, asked, enabled) = match was {
            Some(was) => (was.name_override, was.description_override, was.requires_confirmation, was.enabled),
            None => (None, None, None, None),
        };
        let asks = Some(asks.get_untracked()).filter(|asks| *asks != before.requires_confirmation);
        apply(Some(Changed {
            renderer,
            renderer_config,
            name_override: changed_text(name.get_untracked(), &before.name).or(name_was),
            description_override: changed_text(description.get_untracked(), &before.description).or(description_was),
            requires_confirmation: asks.or(asked),
            enabled,
        }));
    };
    let choose = move |event: leptos::ev::Event| {
        let chosen = event_target_value(&event);
        if let Some((_, usual)) = RENDERERS.iter().find(|(name, _)| *name == chosen) {
            config.set((*usual).to_owned());
        }
        renderer.set(chosen);
    };
    let option = move |(word, _): (&'static str, &'static str)| {
        view! { <option value=word selected=move || renderer.with(|chosen| chosen == word)>{word}</option> }
    };
    view! {
        <form class="override-form" on:submit=save>
            <label class="field">
                <span class="field-label">"Name"</span>
                <input class="input" type="text" data-testid="override-name" bind:value=name />
                <span class="field-hint">"Models still call it by its own name."</span>
            </label>
            <label class="field">
                <span class="field-label">"Description"</span>
                <textarea class="input" rows="3" data-testid="override-description" bind:value=description></textarea>
                <span class="field-hint">"Models read this."</span>
            </label>
            <label class="field">
                <span class="field-label">"Show its result as"</span>
                <select class="input" data-testid="override-renderer" on:change=choose>
                    <option value="" selected=move || renderer.with(String::is_empty)>"as it is"</option>
                    {RENDERERS.into_iter().map(option).collect_view()}
                </select>
            </label>
            <Show when=move || renderer.with(|chosen| !chosen.is_empty())>
                <label class="field">
                    <span class="field-label">"Configuration of the renderer"</span>
                    <textarea class="input input-code" rows="5" spellcheck="false" data-testid="override-config" bind:value=config></textarea>
                </label>
            </Show>
            <label class="override-asks">
                <input type="checkbox" data-testid="override-asks" prop:checked=move || asks.get() on:change=move |event| asks.set(event_target_checked(&event)) />
                " Ask before it runs"
            </label>
            {move || problem.get().map(|error| view! { <p class="field-error" role="alert">{sentence(&error)}</p> })}
            <div class="form-actions">
                <button class="button button-accent" type="submit" data-testid="override-save">"Save"</button>
                <button class="button" type="button" data-testid="override-reset" on:click=move |_| apply(None)>"Reset to declared"</button>
            </div>
        </form>
    }
}
