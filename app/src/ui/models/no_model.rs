//! What is said where there is no model yet: the three ways to have one.

use leptos::prelude::*;

use crate::state::Models;
use crate::ui::parts::{Icon, IconName};
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
                    <p>"Everything but an answer works without one. There are three ways to have one:"</p>
                    <ul class="start-cards">
                        <Way icon=IconName::Screen section=SectionId::Models title="An endpoint of yours">
                            "Ollama, llama.cpp or LM Studio on your machine, or a provider that lets browsers in."
                        </Way>
                        <Way icon=IconName::Server section=SectionId::Server title="Through your server">
                            "It keeps the keys of your providers, and no page ever sees them."
                        </Way>
                        <Way icon=IconName::File section=SectionId::Models title="In this page">
                            "A model from a file, run by this tab alone. It needs no network."
                        </Way>
                    </ul>
                </section>
            }
        })
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
