//! What is said where there is no model yet: the three ways to have one.

use leptos::prelude::*;

use satchel_core::model::PageModel;

use super::arriving_meter::ArrivingMeter;
use crate::state::{Arriving, Models, PageModels, Storage};
use crate::ui::parts::{Icon, IconName, in_words, sentence};
use crate::ui::settings::section::SectionId;

/// The three ways, while there is no model.
#[component]
pub(crate) fn NoModel() -> impl IntoView {
    let models = Models::expect();
    models.follow();
    let is_empty = Memo::new(move |_| models.is_empty() && !models.is_chosen());
    move || {
        is_empty.get().then(|| {
            view! {
                <section class="no-model" data-testid="no-model" aria-labelledby="no-model-title">
                    <h2 id="no-model-title">"No model is set up yet"</h2>
                    <p>"Everything except answers works without one. There are three ways to get one:"</p>
                    <ul class="start-cards">
                        <Way icon=IconName::Screen section=SectionId::Models title="Your own endpoint">
                            "Ollama, llama.cpp or LM Studio on your machine, or a provider that accepts requests from browsers."
                        </Way>
                        <Way icon=IconName::Server section=SectionId::Server title="Through your server">
                            "It keeps your provider keys, and no page ever sees them."
                        </Way>
                        <InPage />
                    </ul>
                </section>
            }
        })
    }
}

/// The way that needs neither a key nor a network. Where the server has a model to give, it is had from here.
#[component]
fn InPage() -> impl IntoView {
    let (models, storage) = (PageModels::of_tab(), Storage::expect());
    models.read(storage);
    move || {
        if let Some(arriving) = models.arriving() {
            return view! { <OnItsWay arriving /> }.into_any();
        }
        let failure = models.failure().map(|words| {
            view! { <span class="field-error" role="alert" data-testid="no-model-error">{sentence(&words)}</span> }
        });
        match models.offer() {
            None => view! {
                <Way icon=IconName::File section=SectionId::PageModels title="In this page">
                    "A model from a file, run inside this tab. It needs no network."
                </Way>
            }
            .into_any(),
            Some(offer) => {
                let words = format!("Get {} ({})", PageModel::name_of(&offer.file), in_words(offer.bytes));
                let get = move |_| PageModels::of_tab().receive(offer.clone(), storage);
                view! {
                    <li>
                        <div class="start-card">
                            <Icon name=IconName::File />
                            <span class="start-card-title">"In this page"</span>
                            <span class="start-card-text">
                                "Your server offers a small model to show how things work. It runs in this tab, with no key and no network. Do not rely on it for facts."
                            </span>
                            {failure}
                            <button class="button button-accent" type="button" data-testid="no-model-get" on:click=get>
                                {words}
                            </button>
                        </div>
                    </li>
                }
                .into_any()
            }
        }
    }
}

/// How far it is.
#[component]
fn OnItsWay(
    /// The model.
    arriving: Arriving,
) -> impl IntoView {
    view! {
        <li>
            <div class="start-card" data-testid="no-model-arriving">
                <Icon name=IconName::File />
                <span class="start-card-title">{PageModel::name_of(&arriving.file)}</span>
                <ArrivingMeter arriving class="start-card-text" />
                <button class="button" type="button" on:click=move |_| PageModels::of_tab().stop()>"Stop"</button>
            </div>
        </li>
    }
}

/// One way.
#[component]
fn Way(
    /// The picture.
    icon: IconName,
    /// Where it leads.
    section: SectionId,
    /// What it is.
    title: &'static str,
    /// What it means.
    children: Children,
) -> impl IntoView {
    view! {
        <li>
            <a class="start-card" href=section.link()>
                <Icon name=icon />
                <span class="start-card-title">{title}</span>
                <span class="start-card-text">{children()}</span>
            </a>
        </li>
    }
}
