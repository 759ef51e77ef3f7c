//! The form of a provider of the account's own. Its key goes into the server's vault and is never shown again.

use leptos::prelude::*;
use satchel_core::protocol::{
    ProviderFormat, ProviderName, ProviderSettings, ProviderSummary, SecretName, SecretValue,
};

use super::fields::{FormatField, ModelsField, TextField, lines};
use crate::state::Providers;
use crate::ui::parts::sentence;

/// What stands in the form.
#[derive(Clone, Copy)]
struct Typed {
    name: RwSignal<String>,
    address: RwSignal<String>,
    format: RwSignal<ProviderFormat>,
    secret: RwSignal<String>,
    key: RwSignal<String>,
    models: RwSignal<String>,
}

/// The form.
#[component]
pub(super) fn ProviderForm(
    /// The one that is changed; nothing for a new one.
    provider: Option<ProviderSummary>,
) -> impl IntoView {
    let providers = Providers::expect();
    let is_new = provider.is_none();
    let typed = Typed::of(provider);
    let failure = RwSignal::new(String::new());
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match typed.read() {
            Ok((name, settings, key)) => providers.keep(name, settings, key, move |error| {
                // The form is gone if the user has left the page meanwhile.
                failure.try_set(sentence(&error.to_string()));
            }),
            Err(reason) => failure.set(sentence(&reason)),
        }
    };
    view! {
        <form class="row row-stack" data-testid="provider-form" on:submit=save>
            <TextField
                label="Name"
                hint=if is_new { "What chats call it." } else { "Chats know it by this name." }
                test_id="provider-name"
                fixed=!is_new
                text=typed.name
            />
            <TextField
                label="Address"
                hint="Everything before /chat/completions or /v1/messages. The server connects to public addresses, and to those in your network that its operator lists."
                test_id="provider-address"
                placeholder="https://api.openai.com/v1"
                text=typed.address
            />
            <FormatField name="provider-format" format=typed.format />
            <TextField
                label="Key"
                hint="It is stored in the server's vault and never shown again. If empty, the stored one stays."
                test_id="provider-key"
                optional=true
                secret=true
                text=typed.key
            />
            <TextField
                label="Name of the key in the vault"
                hint="Several providers can share one. If empty, no key is sent unless you enter one above."
                test_id="provider-secret"
                placeholder="OPENAI_API_KEY"
                optional=true
                text=typed.secret
            />
            <ModelsField test_id="provider-models" text=typed.models />
            <p class="field-error" role="alert" data-testid="provider-error" hidden=move || failure.with(String::is_empty)>
                {failure}
            </p>
            <div class="row-buttons">
                <button class="button button-accent" type="submit" data-testid="provider-save">"Save"</button>
                <button class="button" type="button" on:click=move |_| providers.close()>"Cancel"</button>
            </div>
        </form>
    }
}

impl Typed {
    fn of(provider: Option<ProviderSummary>) -> Self {
        let provider = provider.as_ref();
        let secret = provider.and_then(|provider| provider.secret.as_ref()).map(ToString::to_string);
        Self {
            name: RwSignal::new(provider.map(|provider| provider.name.to_string()).unwrap_or_default()),
            address: RwSignal::new(provider.map(|provider| provider.base_url.clone()).unwrap_or_default()),
            format: RwSignal::new(provider.map_or(ProviderFormat::OpenAi, |provider| provider.format)),
            secret: RwSignal::new(secret.unwrap_or_default()),
            key: RwSignal::new(String::new()),
            models: RwSignal::new(provider.map(|provider| provider.models.join("\n")).unwrap_or_default()),
        }
    }

    /// What was typed; or what is wrong with it.
    #[expect(clippy::type_complexity, reason = "three things that are handed on at once")]
    fn read(self) -> Result<(ProviderName, ProviderSettings, Option<(SecretName, SecretValue)>), String> {
        let name = self.name.get_untracked();
        let name = ProviderName::parse(name.trim()).map_err(|error| error.to_string())?;
        let key = Some(self.key.get_untracked().trim().to_owned()).filter(|key| !key.is_empty());
        let secret = match (self.secret.get_untracked().trim(), &key) {
            ("", None) => None,
            ("", Some(_)) => Some(secret_of(&name)),
            (typed, _) => Some(SecretName::parse(typed).map_err(|error| error.to_string())?),
        };
        let settings = ProviderSettings {
            base_url: self.address.get_untracked().trim().to_owned(),
            format: self.format.get_untracked(),
            models: lines(&self.models.get_untracked()),
            secret: secret.clone(),
        };
        Ok((name, settings, secret.zip(key.map(SecretValue::new))))
    }
}

/// What the key of a provider is called unless the user says otherwise: `My Provider` has `MY_PROVIDER_API_KEY`.
fn secret_of(provider: &ProviderName) -> SecretName {
    let letters = provider
        .as_str()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
    let name: String = letters.collect();
    let digit = if name.starts_with(|first: char| first.is_ascii_digit()) { "_" } else { "" };
    SecretName::parse(&format!("{digit}{name}_API_KEY")).expect("letters, digits and _, no digit first, and short")
}
