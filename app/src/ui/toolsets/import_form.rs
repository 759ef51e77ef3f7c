//! What brings a toolset in: a file, a folder, an address, or a drop anywhere on the page.

use leptos::ev::DragEvent;
use leptos::prelude::*;

use crate::browser::spawn::spawn;
use crate::state::Importing;
use crate::work::toolsets::import::{Source, drags_files, dropped, picked};

/// The ways in, but for the drop.
#[component]
pub(crate) fn ImportForm() -> impl IntoView {
    let importing = Importing::expect();
    let address = RwSignal::new(String::new());
    let on_picked = move |event: leptos::ev::Event| {
        let files = picked(&event);
        // Closing the picker without a choice is no choice.
        if !files.is_empty() {
            importing.take(Source::of_picked(files));
        }
    };
    let on_submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        importing.ask_for(&address.get());
    };
    view! {
        <section class="import-form" aria-label="Import a toolset">
            <div class="import-ways">
                <label class="button button-accent">
                    "Import a file"
                    <input
                        class="unseen"
                        type="file"
                        accept=".zip,.yaml,.yml"
                        data-testid="toolset-import-input"
                        on:change=on_picked
                    />
                </label>
                <label class="button">
                    "Import a folder"
                    <input
                        class="unseen"
                        type="file"
                        prop:webkitdirectory=true
                        data-testid="toolset-import-folder"
                        on:change=on_picked
                    />
                </label>
                <form class="import-address" on:submit=on_submit>
                    <input
                        class="input"
                        type="url"
                        required=true
                        aria-label="Address of a toolset"
                        placeholder="https://example.com/toolset.zip"
                        data-testid="toolset-import-address"
                        prop:value=move || address.get()
                        on:input=move |event| address.set(event_target_value(&event))
                    />
                    <button class="button" type="submit" data-testid="toolset-import-fetch">"Fetch"</button>
                </form>
            </div>
            <p class="field-hint">
                "A ZIP or a bare toolset.yaml; it can also be dropped anywhere on this page. You see what is in it before anything is installed."
            </p>
        </section>
    }
}

/// The page, on which files can be dropped.
#[component]
pub(crate) fn DropTarget(
    /// The page.
    children: Children,
) -> impl IntoView {
    let importing = Importing::expect();
    let dragging = RwSignal::new(false);
    let over = move |event: DragEvent| {
        if drags_files(&event) {
            event.prevent_default();
            dragging.set(true);
        }
    };
    let drop_files = move |event: DragEvent| {
        event.prevent_default();
        dragging.set(false);
        let brought = dropped(&event);
        if brought.has_files() {
            spawn(async move { importing.take(Source::of_dropped(brought).await) });
        }
    };
    view! {
        <div class="drop-target" on:dragenter=over on:dragover=over on:drop=drop_files data-testid="toolset-drop">
            {children()}
            // It lies over everything, so that leaving it is leaving the page.
            <Show when=move || dragging.get()>
                <div class="drop-veil" on:dragleave=move |_| dragging.set(false)>
                    <p>"Drop a ZIP, a toolset.yaml or a folder"</p>
                </div>
            </Show>
        </div>
    }
}
