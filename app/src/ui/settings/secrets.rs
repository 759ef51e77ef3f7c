//! Secrets and variables: what is kept, and what toolsets and providers want (C38). A value is typed in and never shown again.

use leptos::prelude::*;
use satchel_core::catalog::{SecretPlace, SecretStanding};
use satchel_core::protocol::{SecretName, SecretValue};

use super::section::{Section, SectionId};
use crate::browser::clock;
use crate::state::Secrets;
use crate::ui::parts::{Removal, sentence};

/// The section of secrets.
#[component]
pub(crate) fn SecretsSection() -> impl IntoView {
    let secrets = Secrets::load();
    provide_context(secrets);
    let known = move || secrets.list.get().and_then(Result::ok).unwrap_or_default();
    // The list is read again and again while somebody types.
    let kind = Memo::new(move |_| secrets.list.get().map(|read| read.map(drop)));
    let rows = move || match kind.get() {
        None => view! { <p class="row field-hint">"Loading…"</p> }.into_any(),
        Some(Err(error)) => view! { <p class="row field-error" role="alert">{sentence(&error)}</p> }.into_any(),
        Some(Ok(_)) => {
            // A row that says the same as before stays, with what was typed into it.
            view! { <For each=known key=Clone::clone children=|standing| view! { <SecretRow standing /> } /> }
                .into_any()
        }
    };
    view! {
        <Section
            id=SectionId::Secrets
            about="Keys and other values that toolsets and providers refer to as ${NAME}. You can replace them, but they are never shown again."
        >
            <p class="row field-hint" data-testid="secrets-place">
                {move || match secrets.is_connected() {
                    true => "They are stored in your server's vault, encrypted, and used there.",
                    false => {
                        "No server is connected, so they are stored on this device, encrypted with a key that the browser never gives out. What uses them needs a server; once you have one, you can move them there."
                    }
                }}
            </p>
            {rows}
            <NewSecret />
        </Section>
    }
}

/// A secret that is kept or wanted.
#[component]
fn SecretRow(
    /// How things stand with it.
    standing: SecretStanding,
) -> impl IntoView {
    let secrets = Secrets::expect();
    let SecretStanding { name, place, entered_at, wanted } = standing;
    let own = StoredValue::new(name.clone());
    let (kind, word) = match place {
        SecretPlace::Nowhere => ("caution", "Missing"),
        SecretPlace::NotNeeded => ("plain", "Optional"),
        SecretPlace::Vault => ("good", "In the vault"),
        SecretPlace::Damaged => ("bad", "Damaged: enter it again"),
        SecretPlace::Device => ("good", "On this device"),
    };
    let entered = entered_at.map(|time| format!("Entered {}. ", clock::in_words(time)));
    let wants = wanted.into_iter().map(|want| match want.description {
        Some(description) => format!("Needed by {}: {}", want.who, sentence(&description)),
        None => format!("Needed by {}.", want.who),
    });
    let hint = entered.into_iter().chain(wants).collect::<Vec<_>>().join(" ");
    let move_it = move || {
        (place == SecretPlace::Device && secrets.is_connected()).then(|| {
            view! {
                <button
                    class="button button-small"
                    type="button"
                    data-testid=format!("secret-move-{}", own.get_value())
                    on:click=move |_| secrets.move_to_vault(own.get_value())
                >
                    "Move to the server"
                </button>
            }
        })
    };
    let remove = (!matches!(place, SecretPlace::Nowhere | SecretPlace::NotNeeded)).then(|| {
        view! {
            <Removal
                what=name.to_string()
                test_id=format!("secret-remove-{name}")
                on_remove=move || secrets.remove(own.get_value(), place)
            />
        }
    });
    view! {
        <div class="row row-stack source-row" data-testid=format!("secret-row-{name}")>
            <div class="row-line">
                <div class="field">
                    <div class="field-label">
                        <code>{name.to_string()}</code> " " <span class="badge" data-kind=kind>{word}</span>
                    </div>
                    <p class="field-hint">{hint}</p>
                </div>
                <div class="row-buttons">{move_it} {remove}</div>
            </div>
            <ValueForm name=own.get_value() />
        </div>
    }
}

/// The value of a secret, entered or replaced.
#[component]
fn ValueForm(
    /// The secret.
    name: SecretName,
) -> impl IntoView {
    let secrets = Secrets::expect();
    let value = RwSignal::new(String::new());
    let failure = RwSignal::new(String::new());
    let own = StoredValue::new(name.clone());
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = SecretValue::new(value.get_untracked());
        // It does not stay in the page longer than it takes to send it.
        value.set(String::new());
        secrets.keep(own.get_value(), typed, move |error| drop(failure.try_set(sentence(&error))));
    };
    view! {
        <form class="secret-form" on:submit=save>
            <input
                class="input"
                type="password"
                required
                autocomplete="new-password"
                spellcheck="false"
                aria-label=format!("Value of {name}")
                placeholder="Enter a value"
                data-testid=format!("secret-input-{name}")
                bind:value=value
            />
            <button class="button" type="submit" data-testid=format!("secret-save-{name}") aria-label=format!("Save {name}")>
                "Save"
            </button>
        </form>
        <p class="field-error" role="alert" hidden=move || failure.with(String::is_empty)>{failure}</p>
    }
}

/// A secret that nobody has asked for yet.
#[component]
fn NewSecret() -> impl IntoView {
    let secrets = Secrets::expect();
    let (name, value) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let failure = RwSignal::new(String::new());
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match SecretName::parse(name.get_untracked().trim()) {
            Err(error) => failure.set(sentence(&error.to_string())),
            Ok(parsed) => {
                let typed = SecretValue::new(value.get_untracked());
                value.set(String::new());
                name.set(String::new());
                failure.set(String::new());
                secrets.keep(parsed, typed, move |error| drop(failure.try_set(sentence(&error))));
            }
        }
    };
    view! {
        <form class="row row-stack" data-testid="secret-new" on:submit=save>
            <div class="secret-form secret-form-new">
                <label class="field">
                    <span class="field-label">"Name"</span>
                    <input
                        class="input"
                        type="text"
                        required
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        placeholder="WEATHER_API_KEY"
                        data-testid="secret-new-name"
                        bind:value=name
                    />
                </label>
                <label class="field">
                    <span class="field-label">"Value"</span>
                    <input
                        class="input"
                        type="password"
                        required
                        autocomplete="new-password"
                        spellcheck="false"
                        data-testid="secret-new-value"
                        bind:value=value
                    />
                </label>
                <button class="button" type="submit" data-testid="secret-new-save">"Add"</button>
            </div>
            <p class="field-error" role="alert" data-testid="secret-error" hidden=move || failure.with(String::is_empty)>
                {failure}
            </p>
        </form>
    }
}
