//! The form of an endpoint. Its key is typed in and never shown again.

use leptos::prelude::*;
use satchel_core::model::{Endpoint, EndpointUrl};
use satchel_core::protocol::{ProviderFormat, ProviderName};

use super::fields::{FormatField, ModelsField, TextField, Tried, TriedLine, lines};
use crate::state::Endpoints;
use crate::state::endpoints::KeptEndpoint;
use crate::ui::parts::sentence;
use crate::work::models::endpoints::Key;

/// What most people have on their machine, by name and usual address.
const USUAL: [(&str, &str); 3] = [
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
];

/// What stands in the form.
#[derive(Clone, Copy)]
struct Typed {
    name: RwSignal<String>,
    address: RwSignal<String>,
    format: RwSignal<ProviderFormat>,
    key: RwSignal<String>,
    forgets_key: RwSignal<bool>,
    models: RwSignal<String>,
    /// Whether a key is kept already.
    has_key: bool,
    /// Whether its settings say that it wants one.
    wanted_key: bool,
}

/// The form.
#[component]
pub(super) fn EndpointForm(
    /// The one that is changed; nothing for a new one.
    kept: Option<KeptEndpoint>,
) -> impl IntoView {
    let endpoints = Endpoints::expect();
    let is_new = kept.is_none();
    let typed = Typed::of(kept);
    let failure = RwSignal::new(String::new());
    let tried: Tried = RwSignal::new(None);
    let is_trying = RwSignal::new(false);
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match typed.endpoint() {
            Ok(endpoint) => endpoints.keep(endpoint, typed.key_change(), move |error| {
                failure.try_set(sentence(&error.to_string()));
            }),
            Err(reason) => failure.set(sentence(&reason)),
        }
    };
    let ask = move |_| match typed.endpoint() {
        Ok(endpoint) => {
            failure.set(String::new());
            tried.set(None);
            is_trying.set(true);
            endpoints.ask(endpoint, typed.typed_key(), move |answer| {
                // The form is gone if the user has left the page meanwhile.
                is_trying.try_set(false);
                tried.try_set(Some(answer));
            });
        }
        Err(reason) => failure.set(sentence(&reason)),
    };
    view! {
        <form class="row row-stack" data-testid="endpoint-form" on:submit=save>
            {is_new.then(|| view! { <UsualOnes typed /> })}
            <TextField
                label="Name"
                hint=if is_new { "What chats call it." } else { "Chats know it by this name." }
                test_id="endpoint-name"
                fixed=!is_new
                text=typed.name
            />
            <TextField
                label="Address"
                hint="Everything before /chat/completions or /v1/messages. Chats that use it are sent there."
                test_id="endpoint-address"
                placeholder="http://127.0.0.1:11434/v1"
                text=typed.address
            />
            <FormatField name="endpoint-format" format=typed.format />
            <KeyField typed />
            <ModelsField test_id="endpoint-models" text=typed.models />
            <p class="field-error" role="alert" data-testid="endpoint-error" hidden=move || failure.with(String::is_empty)>
                {failure}
            </p>
            <TriedLine tried test_id="endpoint-tried" />
            <div class="row-buttons">
                <button class="button button-accent" type="submit" data-testid="endpoint-save">"Save"</button>
                <button class="button" type="button" data-testid="endpoint-try" disabled=is_trying on:click=ask>
                    {move || if is_trying.get() { "Trying…" } else { "Try" }}
                </button>
                <button class="button" type="button" on:click=move |_| endpoints.close()>"Cancel"</button>
            </div>
        </form>
    }
}

/// Fills the form in for what most people have.
#[component]
fn UsualOnes(
    /// The form.
    typed: Typed,
) -> impl IntoView {
    let buttons = USUAL.map(|(name, address)| {
        let fill = move |_| {
            typed.name.set(name.into());
            typed.address.set(address.into());
            typed.format.set(ProviderFormat::OpenAi);
        };
        view! { <button class="button button-small" type="button" on:click=fill>{name}</button> }
    });
    view! { <div class="row-buttons" role="group" aria-label="Fill in for">{buttons.collect_view()}</div> }
}

/// The key: entered, replaced or forgotten, never shown.
#[component]
fn KeyField(
    /// The form.
    typed: Typed,
) -> impl IntoView {
    let hint = match (typed.has_key, typed.wanted_key) {
        (true, _) => "A key is stored on this device, encrypted. Enter another to replace it; it is never shown.",
        (false, true) => {
            "It needs a key, and there is none on this device. The key is stored here, encrypted, and never shown."
        }
        (false, false) => "Only if it needs one. It is stored on this device, encrypted, and never shown.",
    };
    let can_forget = typed.has_key || typed.wanted_key;
    view! {
        <TextField label="Key" hint test_id="endpoint-key" optional=true secret=true text=typed.key />
        {can_forget
            .then(|| {
                view! {
                    <label class="check">
                        <input type="checkbox" data-testid="endpoint-forget-key" bind:checked=typed.forgets_key />
                        "It no longer needs a key; forget the stored one"
                    </label>
                }
            })}
    }
}

impl Typed {
    fn of(kept: Option<KeptEndpoint>) -> Self {
        let (endpoint, has_key) = kept.map_or((None, false), |kept| (Some(kept.endpoint), kept.has_key));
        let endpoint = endpoint.as_ref();
        Self {
            name: RwSignal::new(endpoint.map(|endpoint| endpoint.name.to_string()).unwrap_or_default()),
            address: RwSignal::new(endpoint.map(|endpoint| endpoint.base_url.as_str().to_owned()).unwrap_or_default()),
            format: RwSignal::new(endpoint.map_or(ProviderFormat::OpenAi, |endpoint| endpoint.format)),
            key: RwSignal::new(String::new()),
            forgets_key: RwSignal::new(false),
            models: RwSignal::new(endpoint.map(|endpoint| endpoint.models.join("\n")).unwrap_or_default()),
            has_key,
            wanted_key: endpoint.is_some_and(|endpoint| endpoint.wants_key),
        }
    }

    /// What was typed, as an endpoint; or what is wrong with it.
    fn endpoint(self) -> Result<Endpoint, String> {
        let name = self.name.get_untracked();
        let name = ProviderName::parse(name.trim()).map_err(|error| error.to_string())?;
        let base_url = EndpointUrl::parse(&self.address.get_untracked()).map_err(|error| error.to_string())?;
        let wants_key = self.typed_key().is_some() || (self.wanted_key && !self.forgets_key.get_untracked());
        if wants_key {
            base_url.check_key().map_err(|error| error.to_string())?;
        }
        let (format, models) = (self.format.get_untracked(), lines(&self.models.get_untracked()));
        Ok(Endpoint { name, base_url, format, models, wants_key })
    }

    fn typed_key(self) -> Option<String> {
        Some(self.key.get_untracked().trim().to_owned()).filter(|key| !key.is_empty())
    }

    fn key_change(self) -> Key {
        match self.typed_key() {
            Some(key) => Key::Is(key),
            None if self.forgets_key.get_untracked() => Key::Goes,
            None => Key::Stays,
        }
    }
}
