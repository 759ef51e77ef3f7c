//! A model that is on this device: what it is, whether it runs, and the way to delete it.

use leptos::prelude::*;
use satchel_core::model::PageModel;

use crate::browser::spawn::spawn;
use crate::state::PageModels as Models;
use crate::ui::parts::{in_words, sentence};
use crate::ui::wrench::in_short;
use crate::work::page_models::{self, Tried};

/// A model that is here.
#[component]
pub(super) fn ModelRow(
    /// The model.
    model: PageModel,
) -> impl IntoView {
    let is_sure = RwSignal::new(false);
    let trial = RwSignal::new(Trial::NotBegun);
    let facts = facts(&model);
    let demonstration = model.is_demonstration().then(|| {
        view! {
            <span class="badge" title="A small model: good for seeing how things work, not reliable with tools or facts.">
                "Demonstration"
            </span>
        }
    });
    let name = model.name;
    let (test_id, delete_id, try_id) =
        (format!("page-model-{name}"), format!("page-model-delete-{name}"), format!("page-model-try-{name}"));
    let tried = name.clone();
    let try_out = move |_| {
        trial.set(Trial::Runs);
        let name = tried.clone();
        spawn(async move {
            let outcome = page_models::try_out(name).await;
            // Nobody waits for it if the user has left the page meanwhile.
            trial.try_set(outcome.map_or_else(Trial::Failed, Trial::Ended));
        });
    };
    view! {
        <div class="row" data-testid=test_id>
            <div class="field">
                <div class="field-label">{name.clone()} " " {demonstration}</div>
                <p class="field-hint">{facts}</p>
                <TrialLine trial />
            </div>
            <div class="row-buttons">
                <Show
                    when=move || is_sure.get()
                    fallback=move || {
                        view! {
                            <button
                                class="button"
                                type="button"
                                data-testid=try_id.clone()
                                disabled=move || trial.with(|trial| matches!(trial, Trial::Runs))
                                on:click=try_out.clone()
                            >
                                "Try"
                            </button>
                            <button
                                class="button"
                                type="button"
                                data-testid=delete_id.clone()
                                on:click=move |_| is_sure.set(true)
                            >
                                "Delete"
                            </button>
                        }
                    }
                >
                    <Sure name=name.clone() is_sure />
                </Show>
            </div>
        </div>
    }
}

/// The question before a model is deleted.
#[component]
fn Sure(
    /// Which one.
    name: String,
    /// Whether it is asked.
    is_sure: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <span>"Delete its file?"</span>
        <button class="button" type="button" on:click=move |_| is_sure.set(false)>"Keep"</button>
        <button
            class="button button-danger"
            type="button"
            data-testid="confirm-ok"
            on:click=move |_| Models::of_tab().delete(name.clone())
        >
            "Delete"
        </button>
    }
}

#[derive(Clone)]
enum Trial {
    NotBegun,
    Runs,
    Ended(Tried),
    Failed(String),
}

#[component]
fn TrialLine(
    /// The trial.
    trial: RwSignal<Trial>,
) -> impl IntoView {
    move || match trial.get() {
        Trial::NotBegun => ().into_any(),
        Trial::Runs => {
            view! { <p class="field-hint" role="status">"Loading it. This takes a few seconds…"</p> }.into_any()
        }
        Trial::Failed(words) => view! { <p class="field-error" role="alert">{sentence(&words)}</p> }.into_any(),
        Trial::Ended(Tried { said, took }) => view! {
            <p class="field-hint" role="status" data-testid="page-model-said">
                {format!("It runs here. After {:.1} s it said: {said}", took.as_secs_f64())}
            </p>
        }
        .into_any(),
    }
}

/// What is known of a model, in a line.
fn facts(model: &PageModel) -> String {
    let parameters = model.size_label.as_ref().map(|label| format!("{label} parameters"));
    let tools = if model.knows_tools { "trained to use tools" } else { "tools described in text" };
    let parts = [
        Some(in_words(model.bytes)),
        parameters,
        Some(format!("{} tokens", in_short(model.context_tokens))),
        Some(tools.to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
