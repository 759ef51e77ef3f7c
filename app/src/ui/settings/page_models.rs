//! The models that run in the page: what is here, what can be had, and what is on its way.

mod row;

use leptos::prelude::*;
use satchel_core::model::PageModel;
use satchel_core::protocol::PageModelOffer;

use self::row::ModelRow;
use super::section::{Section, SectionId};
use crate::state::{Arriving, PageModels as Models, Storage};
use crate::ui::models::ArrivingMeter;
use crate::ui::parts::{in_words, sentence};
use crate::work::page_models::{self, Means, picked};

/// The section of models in the page.
#[component]
pub(crate) fn PageModelsSection() -> impl IntoView {
    view! {
        <Section
            id=SectionId::PageModels
            about="Models stored on this device run in this tab: no key, no server, no network, and nothing you write leaves the device."
        >
            <PageModels />
            <p class="row field-hint" data-testid="page-model-means">{means(page_models::means())}</p>
        </Section>
    }
}

/// What a model runs by in this browser, in words.
fn means(Means { threads, has_gpu }: Means) -> String {
    let processor = match threads {
        1 => "on one thread, because this page is not cross-origin isolated (see docs/models.md)".to_owned(),
        threads => format!("on {threads} threads"),
    };
    let card = match has_gpu {
        true => "This browser has WebGPU, so the graphics card is used where possible.",
        false => "This browser has no WebGPU, so the graphics card is not used.",
    };
    format!("Models in the page run {processor}. {card}")
}

/// The rows.
#[component]
fn PageModels() -> impl IntoView {
    let models = Models::of_tab();
    models.read(Storage::expect());
    let (list, failure, arriving) = (models.clone(), models.clone(), models);
    view! {
        {move || match list.list() {
            None => view! { <p class="row field-hint">"Loading…"</p> }.into_any(),
            Some(Err(error)) => view! { <p class="row field-error" role="alert">{sentence(&error)}</p> }.into_any(),
            Some(Ok(models)) if models.is_empty() => view! { <NoneHere /> }.into_any(),
            Some(Ok(models)) => {
                models.into_iter().map(|model| view! { <ModelRow model /> }).collect_view().into_any()
            }
        }}
        {move || {
            let words = failure.failure()?;
            Some(view! { <p class="row field-error" role="alert" data-testid="page-model-error">{sentence(&words)}</p> })
        }}
        {move || match arriving.arriving() {
            Some(arriving) => view! { <ArrivingRow arriving /> }.into_any(),
            None => view! { <Ways /> }.into_any(),
        }}
    }
}

#[component]
fn NoneHere() -> impl IntoView {
    view! {
        <p class="row field-hint">
            "No model is on this device yet."
        </p>
    }
}

/// The ways to get one.
#[component]
fn Ways() -> impl IntoView {
    let models = Models::of_tab();
    let offered = models.clone();
    let on_picked = move |event: leptos::ev::Event| {
        if let Some(file) = picked(&event).pop() {
            models.add(file);
        }
    };
    view! {
        <div class="row row-stack">
            <div class="row-buttons">
                {move || offered.offer().map(|offer| view! { <OfferButton offer /> })}
                <label class="button">
                    "Choose a GGUF file"
                    <input class="unseen" type="file" accept=".gguf" data-testid="page-model-file" on:change=on_picked />
                </label>
            </div>
            <p class="field-hint">
                "A GGUF file of an instruct model is copied to this device. Up to about 2 GB works on most machines; larger ones are slow or do not fit into a tab."
            </p>
        </div>
    }
}

#[component]
fn OfferButton(
    /// What the server has.
    offer: PageModelOffer,
) -> impl IntoView {
    let storage = Storage::expect();
    let words = format!("Get {} from the server ({})", PageModel::name_of(&offer.file), in_words(offer.bytes));
    view! {
        <button
            class="button button-accent"
            type="button"
            data-testid="page-model-fetch"
            on:click=move |_| Models::of_tab().receive(offer.clone(), storage)
        >
            {words}
        </button>
    }
}

/// How far one is that is on its way.
#[component]
fn ArrivingRow(
    /// The one.
    arriving: Arriving,
) -> impl IntoView {
    view! {
        <div class="row" data-testid="page-model-arriving">
            <div class="field">
                <div class="field-label">{arriving.file.clone()}</div>
                <ArrivingMeter arriving class="field-hint" />
            </div>
            <button class="button" type="button" data-testid="page-model-stop" on:click=move |_| Models::of_tab().stop()>
                "Stop"
            </button>
        </div>
    }
}
