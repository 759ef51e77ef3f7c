//! Saved toolsets: building, looking at, equipping for the next chat, and files of them (R132–R158). In a chat they are equipped by the
//! wrench.

mod build;
mod choices;
mod contents;
mod published;
mod row;

use leptos::prelude::*;
use satchel_core::local_api::reading::{SavedListRead, SavedRead};

use self::build::BuildForm;
use self::published::Published;
use self::row::SavedRow;
use super::parts::sentence;
use crate::browser::files::picked;
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices, SavedToolsets};

/// Most bytes of a file that is read into the page.
const MOST_BYTES: usize = 4 << 20;

/// The section of the page of toolsets.
#[component]
pub(crate) fn SavedSection() -> impl IntoView {
    let saved = SavedToolsets::of_next();
    provide_context(saved);
    view! {
        <section class="saved" aria-labelledby="saved-title">
            <h2 id="saved-title">"Saved toolsets"</h2>
            <p class="field-hint">
                "Named selections of tools. When one is equipped, a model can use only its tools. Equip one here for new chats, or with the wrench for the chat you are in. Other programs can use the equipped one over MCP, at /mcp on your Satchel server."
            </p>
            <Warnings />
            <List />
            <BuildForm />
            <Files />
            <Published />
        </section>
    }
}

/// What was said when one was equipped (R155).
#[component]
fn Warnings() -> impl IntoView {
    let saved = SavedToolsets::expect();
    move || {
        let warnings = saved.warnings();
        (!warnings.is_empty()).then(|| {
            let lines = warnings.into_iter().map(|warning| {
                view! { <li data-testid="saved-toolset-warning">{sentence(&warning)}</li> }
            });
            view! { <ul class="saved-warnings" role="alert">{lines.collect_view()}</ul> }
        })
    }
}

#[component]
fn List() -> impl IntoView {
    let saved = SavedToolsets::expect();
    let said = move || match saved.list() {
        None => view! { <p class="field-hint" role="status">"Loading…"</p> }.into_any(),
        Some(Err(error)) => {
            let words = format!("The saved toolsets cannot be read: {error}");
            view! { <p class="field-error" role="alert">{sentence(&words)}</p> }.into_any()
        }
        Some(Ok(list)) if list.toolsets.is_empty() => {
            view! { <p class="field-hint">"You have no saved toolsets yet."</p> }.into_any()
        }
        Some(Ok(_)) => ().into_any(),
    };
    let known = Memo::new(move |_| saved.list().and_then(Result::ok).unwrap_or_default());
    let rows = move || known.with(|list| list.toolsets.clone());
    view! {
        {said}
        <ul class="saved-list">
            <For each=rows key=|toolset| toolset.name.clone() let:first>
                <KnownRow known first />
            </For>
        </ul>
    }
}

/// A row that shows what is known of its toolset; while it goes, what was known last.
#[component]
fn KnownRow(
    /// All that is known.
    known: Memo<SavedListRead>,
    /// The toolset, as it was first known.
    first: SavedRead,
) -> impl IntoView {
    let name = StoredValue::new(first.name.clone());
    let toolset = Memo::new(move |last: Option<&SavedRead>| {
        let found =
            known.with(|list| list.toolsets.iter().find(|one| name.with_value(|name| one.name == *name)).cloned());
        found.or_else(|| last.cloned()).unwrap_or_else(|| first.clone())
    });
    let is_equipped = Memo::new(move |_| known.with(|list| list.equipped == Some(name.get_value())));
    view! { <SavedRow toolset is_equipped /> }
}

#[component]
fn Files() -> impl IntoView {
    let (saved, notices) = (SavedToolsets::expect(), Notices::expect());
    let on_picked = move |event: leptos::ev::Event| {
        let Some(file) = picked(&event).into_iter().next() else { return };
        spawn(async move {
            match file.bytes().await {
                Ok(bytes) if bytes.len() <= MOST_BYTES => saved.import(String::from_utf8_lossy(&bytes).into_owned()),
                Ok(_) => notices.show(NoticeKind::Error, "The file is larger than 4 MB.".to_owned()),
                Err(error) => notices.show(NoticeKind::Error, format!("The file cannot be read: {error}.")),
            }
        });
    };
    view! {
        <div class="saved-files">
            <label class="button button-small">
                "Import a file"
                <input
                    class="unseen"
                    type="file"
                    accept=".json"
                    data-testid="saved-toolset-import-input"
                    on:change=on_picked
                />
            </label>
            <button
                class="button button-small"
                type="button"
                data-testid="saved-toolset-export-all"
                on:click=move |_| saved.export(None)
            >
                "Export all"
            </button>
            <button
                class="button button-small"
                type="button"
                title="Saves everything that can be used now as \"default\""
                data-testid="saved-toolset-generate"
                on:click=move |_| saved.generate()
            >
                "Generate a default"
            </button>
        </div>
    }
}
