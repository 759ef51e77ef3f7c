//! Providers that the server reaches, with keys that it keeps.

use leptos::prelude::*;
use satchel_core::protocol::{KeyStanding, ProviderFormat, ProviderSummary};

use super::fields::{Tried, TriedLine};
use super::provider_form::ProviderForm;
use crate::state::Providers;
use crate::ui::parts::Removal;
use crate::ui::parts::{Icon, IconName, sentence};
use crate::ui::settings::section::SectionId;

/// The providers, each with what can be done to it, and a form for another.
#[component]
pub(super) fn ProviderList() -> impl IntoView {
    let providers = Providers::expect();
    let is_there = providers.is_there();
    // Read again and found the same, they stay as they are drawn, with what was tried of them.
    let list = Memo::new(move |_| providers.list.get());
    let rows = move || match list.get() {
        None => view! { <p class="row field-hint">"Loading…"</p> }.into_any(),
        Some(Err(error)) => view! { <p class="row field-error" role="alert">{sentence(&error)}</p> }.into_any(),
        Some(Ok(list)) => {
            list.into_iter().map(|provider| view! { <ProviderPart provider /> }).collect_view().into_any()
        }
    };
    let add = move || {
        view! {
            <button
                class="button"
                type="button"
                data-testid="provider-add"
                disabled=providers.adding
                on:click=move |_| providers.adding.set(true)
            >
                <Icon name=IconName::Plus small=true />
                "Add a provider"
            </button>
        }
    };
    view! {
        <div class="row">
            <div class="field">
                <h3 class="field-label">"Through the server"</h3>
                <p class="field-hint">
                    "Your Satchel server reaches them and adds their keys, which stay in its vault and never reach a page."
                </p>
            </div>
            {move || match is_there.get() {
                true => add().into_any(),
                false => view! { <a class="button" href=SectionId::Server.link()>"Connect a server"</a> }.into_any(),
            }}
        </div>
        // A server that is away for a moment takes nothing that somebody is typing.
        {move || providers.adding.get().then(|| view! { <ProviderForm provider=None /> })}
        {move || is_there.get().then_some(rows)}
    }
}

/// A provider, or its form.
#[component]
fn ProviderPart(
    /// The provider.
    provider: ProviderSummary,
) -> impl IntoView {
    let providers = Providers::expect();
    let name = provider.name.clone();
    let is_edited = Memo::new(move |_| providers.editing.with(|edited| edited.as_ref() == Some(&name)));
    move || {
        let provider = provider.clone();
        match is_edited.get() {
            true => view! { <ProviderForm provider=Some(provider) /> }.into_any(),
            false => view! { <ProviderRow provider /> }.into_any(),
        }
    }
}

/// A provider as it is set up.
#[component]
fn ProviderRow(
    /// The provider.
    provider: ProviderSummary,
) -> impl IntoView {
    let providers = Providers::expect();
    let name = provider.name.clone();
    let own = StoredValue::new(name.clone());
    let tried: Tried = RwSignal::new(None);
    let is_trying = RwSignal::new(false);
    let ask = move |_| {
        is_trying.set(true);
        providers.ask(own.get_value(), move |answer| {
            // The row is gone if the user has left the page meanwhile.
            is_trying.try_set(false);
            tried.try_set(Some(answer));
        });
    };
    let key = match (provider.key, &provider.secret) {
        (KeyStanding::NotNeeded, _) => None,
        (KeyStanding::Set, _) => Some(("good", "Key in place".to_owned())),
        (KeyStanding::Missing, Some(secret)) => Some(("caution", format!("{secret} is missing"))),
        (KeyStanding::Missing, None) => Some(("caution", "Key missing".to_owned())),
    };
    let format = match provider.format {
        ProviderFormat::OpenAi => "OpenAI's format",
        ProviderFormat::Anthropic => "Anthropic's format",
    };
    let changing = (!provider.read_only).then(|| {
        view! {
            <button
                class="button button-small"
                type="button"
                data-testid=format!("provider-edit-{name}")
                on:click=move |_| providers.editing.set(Some(own.get_value()))
            >
                "Edit"
            </button>
            <Removal
                what=name.to_string()
                test_id=format!("provider-remove-{name}")
                on_remove=move || providers.remove(own.get_value())
            />
        }
    });
    view! {
        <div class="row row-stack source-row" data-testid=format!("provider-row-{name}")>
            <div class="row-line">
                <div class="field">
                    <div class="field-label">
                        {name.to_string()}
                        {provider.read_only.then(|| view! { " " <span class="badge">"set up by the operator"</span> })}
                        {key.map(|(kind, words)| view! { " " <span class="badge" data-kind=kind>{words}</span> })}
                    </div>
                    <p class="field-hint"><code>{provider.base_url}</code> ", " {format}</p>
                </div>
                <div class="row-buttons">
                    <button
                        class="button button-small"
                        type="button"
                        data-testid=format!("provider-try-{name}")
                        disabled=is_trying
                        on:click=ask
                    >
                        {move || if is_trying.get() { "Trying…" } else { "Try" }}
                    </button>
                    {changing}
                </div>
            </div>
            <TriedLine tried test_id=format!("provider-tried-{name}") />
        </div>
    }
}
