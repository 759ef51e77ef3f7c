//! The form of a tool that was chosen, and the call.

use leptos::prelude::*;
use satchel_core::form::Form;
use satchel_core::local_api::reading::ToolItemRead;
use serde_json::{Value, json};

use super::COMPOSER;
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::state::tools::invoke_in_chat;
use crate::state::{Notices, Palette, Storage};
use crate::ui::form::FormView;
use crate::ui::parts::{Icon, IconName};
use crate::ui::tools::fits;

const FORM: &str = "palette-form";

/// The form.
#[component]
pub(super) fn Filling(
    /// The tool.
    tool: ToolItemRead,
    /// What the form begins with, where that was suggested.
    start: Option<Value>,
    /// Told when the user wants another.
    on_back: impl Fn() + 'static,
) -> impl IntoView {
    let (palette, storage, notices) = (Palette::expect(), Storage::expect(), Notices::expect());
    let has_schema = tool.input_schema.is_some();
    let schema = tool.input_schema.clone().unwrap_or_else(|| json!({"type": "object", "additionalProperties": true}));
    let form = RwSignal::new(match start {
        Some(start) => Form::with(schema, start),
        None => Form::new(schema),
    });
    let is_busy = RwSignal::new(false);
    let first = form.with_untracked(|form| form.rows().first().map(|row| format!("{FORM}{}", row.path)));
    Effect::new(move |_| page::focus(first.as_deref().unwrap_or("palette-run")));
    let called = StoredValue::new(tool.clone());
    let invoke = invoke_in_chat();
    let run = move || {
        if is_busy.get_untracked() || !form.with_untracked(Form::is_readable) {
            return;
        }
        is_busy.set(true);
        spawn(async move {
            if has_schema && !fits(storage, form).await {
                is_busy.try_set(false);
                notices.announce("Some of the arguments are not valid.");
                return;
            }
            let arguments = form.with_untracked(|form| form.value().clone());
            palette.close();
            page::focus(COMPOSER);
            invoke.run(&called.get_value(), arguments);
        });
    };
    view! {
        <div class="palette-field">
            <button class="icon-button" type="button" aria-label="Back to the list" on:click=move |_| on_back()>
                <Icon name=IconName::Back small=true />
            </button>
            <h2 class="palette-title">{tool.name.clone()} <code class="palette-slug">"+" {tool.slug.clone()}</code></h2>
        </div>
        <div class="palette-form">
            {(!tool.description.is_empty()).then(|| view! { <p class="field-hint">{tool.description.clone()}</p> })}
            <FormView form id=FORM on_submit=run>
                <button
                    class="button button-accent"
                    id="palette-run"
                    type="submit"
                    data-testid="palette-run"
                    disabled=move || is_busy.get()
                >
                    "Run"
                </button>
                <p class="field-hint">
                    {if tool.requires_confirmation { "You are asked before it runs. " } else { "" }}
                    "The call and its result become part of this chat."
                </p>
            </FormView>
        </div>
    }
}
