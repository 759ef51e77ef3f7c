//! Endpoints that the browser reaches by itself (R322).

use leptos::prelude::*;
use satchel_core::protocol::ProviderFormat;

use super::endpoint_form::EndpointForm;
use super::fields::{Tried, TriedLine};
use crate::state::Endpoints;
use crate::state::endpoints::KeptEndpoint;
use crate::ui::parts::Removal;
use crate::ui::parts::{Icon, IconName, sentence};

/// The endpoints, each with what can be done to it, and a form for another.
#[component]
pub(super) fn EndpointList() -> impl IntoView {
    let endpoints = Endpoints::load();
    provide_context(endpoints);
    let rows = move || match endpoints.list.get() {
        None => view! { <p class="row field-hint">"Loading…"</p> }.into_any(),
        Some(Err(error)) => view! { <p class="row field-error" role="alert">{sentence(&error)}</p> }.into_any(),
        Some(Ok(list)) => list.into_iter().map(|kept| view! { <EndpointPart kept /> }).collect_view().into_any(),
    };
    view! {
        <div class="row">
            <div class="field">
                <h3 class="field-label">"From this browser"</h3>
                <p class="field-hint">
                    "Ollama, llama.cpp or LM Studio on your machine, or a provider that accepts requests from browsers. Chats go there directly; a key stays on this device, encrypted."
                </p>
            </div>
            <button
                class="button"
                type="button"
                data-testid="endpoint-add"
                disabled=endpoints.adding
                on:click=move |_| endpoints.adding.set(true)
            >
                <Icon name=IconName::Plus small=true />
                "Add an endpoint"
            </button>
        </div>
        {move || endpoints.adding.get().then(|| view! { <EndpointForm kept=None /> })}
        {rows}
    }
}

/// An endpoint, or its form.
#[component]
fn EndpointPart(
    /// The endpoint.
    kept: KeptEndpoint,
) -> impl IntoView {
    let endpoints = Endpoints::expect();
    let name = kept.endpoint.name.clone();
    let is_edited = Memo::new(move |_| endpoints.editing.with(|edited| edited.as_ref() == Some(&name)));
    move || {
        let kept = kept.clone();
        match is_edited.get() {
            true => view! { <EndpointForm kept=Some(kept) /> }.into_any(),
            false => view! { <EndpointRow kept /> }.into_any(),
        }
    }
}

/// An endpoint as it is set up.
#[component]
fn EndpointRow(
    /// The endpoint.
    kept: KeptEndpoint,
) -> impl IntoView {
    let endpoints = Endpoints::expect();
    let KeptEndpoint { endpoint, has_key } = kept;
    let name = endpoint.name.clone();
    let (edited, removed) = (StoredValue::new(name.clone()), StoredValue::new(name.clone()));
    let tried: Tried = RwSignal::new(None);
    let is_trying = RwSignal::new(false);
    let asked = StoredValue::new(endpoint.clone());
    let ask = move |_| {
        is_trying.set(true);
        endpoints.ask(asked.get_value(), None, move |answer| {
            // The row is gone if the user has left the page meanwhile.
            is_trying.try_set(false);
            tried.try_set(Some(answer));
        });
    };
    let key = endpoint.wants_key.then(|| match has_key {
        true => view! { <span class="badge" data-kind="good">"Key on this device"</span> },
        false => view! { <span class="badge" data-kind="caution">"Key missing on this device"</span> },
    });
    let format = match endpoint.format {
        ProviderFormat::OpenAi => "OpenAI's format",
        ProviderFormat::Anthropic => "Anthropic's format",
    };
    view! {
        <div class="row row-stack source-row" data-testid=format!("endpoint-row-{name}")>
            <div class="row-line">
                <div class="field">
                    <div class="field-label">{name.to_string()} " " {key}</div>
                    <p class="field-hint"><code>{endpoint.base_url.as_str().to_owned()}</code> ", " {format}</p>
                </div>
                <div class="row-buttons">
                    <button
                        class="button button-small"
                        type="button"
                        data-testid=format!("endpoint-try-{name}")
                        disabled=is_trying
                        on:click=ask
                    >
                        {move || if is_trying.get() { "Trying…" } else { "Try" }}
                    </button>
                    <button
                        class="button button-small"
                        type="button"
                        data-testid=format!("endpoint-edit-{name}")
                        on:click=move |_| endpoints.editing.set(Some(edited.get_value()))
                    >
                        "Edit"
                    </button>
                    <Removal
                        what=name.to_string()
                        test_id=format!("endpoint-remove-{name}")
                        on_remove=move || endpoints.remove(removed.get_value())
                    />
                </div>
            </div>
            <TriedLine tried test_id=format!("endpoint-tried-{name}") />
        </div>
    }
}
