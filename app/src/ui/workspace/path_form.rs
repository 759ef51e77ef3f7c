//! Asking for a path: of a new file or folder, or another one for what is there. A refusal stands right below it.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;

use crate::browser::page;
use crate::state::Workspace;
use crate::state::workspace::Form;

const INPUT: &str = "workspace-path";

/// The form.
#[component]
pub(super) fn PathForm(
    /// What is asked for.
    form: Form,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let (label, button, path) = match &form {
        Form::NewFile(folder) => ("Path of the new file", "Create", folder.clone()),
        Form::NewFolder(folder) => ("Path of the new folder", "Create", folder.clone()),
        Form::Rename(path) => ("New path", "Rename", path.to_string()),
    };
    let path = RwSignal::new(path);
    let refusal = RwSignal::new(None::<String>);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        workspace.submit(form.clone(), &path.get_untracked(), refusal);
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            workspace.form().set(None);
        }
    };
    // What will most likely be typed over: the name without its ending.
    let text = path.get_untracked();
    let name = text.rfind('/').map_or(0, |slash| slash + 1);
    let stem = text[name..].rfind('.').filter(|dot| *dot > 0).map_or(text.len(), |dot| name + dot);
    request_animation_frame(move || page::select_text(INPUT, &text[..name], &text[..stem]));
    view! {
        <form class="path-form" on:submit=submit on:keydown=on_key>
            <label class="field-label" for=INPUT>{label}</label>
            <div class="path-form-line">
                <input
                    class="input"
                    id=INPUT
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    data-testid="workspace-path-input"
                    aria-invalid=move || refusal.get().map(|_| "true")
                    aria-describedby="workspace-path-refusal"
                    prop:value=move || path.get()
                    on:input=move |event| {
                        path.set(event_target_value(&event));
                        refusal.set(None);
                    }
                />
                <button class="button button-accent" type="submit" data-testid="workspace-path-submit">{button}</button>
                <button class="button" type="button" on:click=move |_| workspace.form().set(None)>"Cancel"</button>
            </div>
            <p class="path-refusal" id="workspace-path-refusal" role="alert" data-testid="workspace-path-refusal">
                {move || refusal.get()}
            </p>
        </form>
    }
    .into_any()
}
