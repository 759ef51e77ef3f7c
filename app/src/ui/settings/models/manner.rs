//! How models are asked to answer. Left empty, each is the provider's own affair.

use leptos::prelude::*;
use satchel_core::model::{Manner, MannerChange, MannerError};

use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices, Storage};
use crate::ui::parts::sentence;
use crate::work::models;

/// The rows: system prompt, temperature, length.
#[component]
pub(super) fn MannerRows() -> impl IntoView {
    let (storage, notices) = (Storage::expect(), Notices::expect());
    let manner = RwSignal::new(None::<Manner>);
    spawn(async move {
        match models::manner(storage.store()).await {
            // Nobody waits for it if the user has left the page meanwhile.
            Ok(read) => drop(manner.try_set(Some(read))),
            Err(error) => notices.show(NoticeKind::Error, format!("The settings of models cannot be read: {error}.")),
        }
    });
    move || {
        let Manner { system_prompt, temperature, max_tokens } = manner.get()?;
        let temperature = temperature.map(|temperature| f64::from(temperature).to_string()).unwrap_or_default();
        let max_tokens = max_tokens.map(|tokens| tokens.to_string()).unwrap_or_default();
        Some(view! {
            <PromptRow text=system_prompt />
            <NumberRow
                label="Temperature"
                hint="How much answers vary, from 0 to 2. If empty, the provider's default is used."
                test_id="model-temperature"
                text=temperature
                read=MannerChange::temperature
            />
            <NumberRow
                label="Longest answer"
                hint="In tokens. If empty, the provider's limit applies."
                test_id="model-max-tokens"
                text=max_tokens
                read=MannerChange::max_tokens
            />
        })
    }
}

/// What every conversation begins with.
#[component]
fn PromptRow(
    /// What is set.
    text: String,
) -> impl IntoView {
    let failure = RwSignal::new(String::new());
    let save = saving(MannerChange::system_prompt, failure);
    view! {
        <div class="row row-stack">
            <label class="field">
                <span class="field-label">"System prompt"</span>
                <textarea
                    class="input system-prompt"
                    rows="3"
                    data-testid="model-system-prompt"
                    prop:value=text
                    on:change=move |event| save(event_target_value(&event))
                ></textarea>
                <span class="field-hint">"Every model gets this before the conversation. If empty, nothing is sent."</span>
            </label>
            <Failure failure />
        </div>
    }
}

/// A number that can be left empty.
#[component]
fn NumberRow(
    /// What it is.
    label: &'static str,
    /// What it means.
    hint: &'static str,
    /// The name tests know it by.
    test_id: &'static str,
    /// What is set.
    text: String,
    /// Reads what was typed.
    read: fn(&str) -> Result<MannerChange, MannerError>,
) -> impl IntoView {
    let failure = RwSignal::new(String::new());
    let save = saving(read, failure);
    view! {
        <div class="row">
            <label class="field" for=test_id>
                <span class="field-label">{label}</span>
                <span class="field-hint">{hint}</span>
            </label>
            <div class="limit">
                <input
                    class="input"
                    id=test_id
                    type="text"
                    inputmode="decimal"
                    autocomplete="off"
                    data-testid=test_id
                    aria-invalid=move || (!failure.with(String::is_empty)).then_some("true")
                    prop:value=text
                    on:change=move |event| save(event_target_value(&event))
                />
            </div>
            <Failure failure />
        </div>
    }
}

#[component]
fn Failure(
    /// A sentence, or nothing.
    failure: RwSignal<String>,
) -> impl IntoView {
    view! { <p class="field-error" role="alert" hidden=move || failure.with(String::is_empty)>{failure}</p> }
}

/// Saves what was typed, or says what is wrong with it.
fn saving(
    read: fn(&str) -> Result<MannerChange, MannerError>,
    failure: RwSignal<String>,
) -> impl Fn(String) + Copy + 'static {
    let (storage, notices) = (Storage::expect(), Notices::expect());
    move |text: String| match read(&text) {
        Err(error) => failure.set(sentence(&error.to_string())),
        Ok(change) => {
            failure.set(String::new());
            spawn(async move {
                match models::change_manner(storage.store(), change).await {
                    Ok(()) => notices.announce("Saved"),
                    Err(error) => notices.show(NoticeKind::Error, format!("The setting was not saved: {error}.")),
                }
            });
        }
    }
}
