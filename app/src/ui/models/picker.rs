//! The model that answers, in one line under the composer. Pressing it opens the list of all.

use leptos::prelude::*;
use satchel_core::model::ChosenModel;

use super::list::ModelList;
use super::spent::ChatSpent;
use crate::browser::page;
use crate::state::Models;
use crate::ui::parts::{Icon, IconName, sentence};
use crate::ui::settings::section::SectionId;

/// The id of the button.
const BUTTON: &str = "model-picker";

/// The line.
#[component]
pub(crate) fn ModelPicker() -> impl IntoView {
    let models = Models::expect();
    models.follow();
    let is_open = RwSignal::new(false);
    let chosen = Memo::new(move |_| models.chosen());
    let is_empty = Memo::new(move |_| models.is_empty() && !models.is_chosen());
    let close = move || {
        is_open.set(false);
        page::focus(BUTTON);
    };
    move || {
        if is_empty.get() {
            return view! {
                <a class="model-picker" data-testid="model-picker" href=SectionId::Models.link()>
                    <Icon name=IconName::Plus small=true />
                    "Set up a model"
                </a>
            }
            .into_any();
        }
        view! {
            <button
                class="model-picker"
                id=BUTTON
                type="button"
                data-testid="model-picker"
                aria-haspopup="dialog"
                aria-expanded=move || is_open.get().to_string()
                aria-label=move || said(chosen.get().as_ref())
                title=move || chosen.get().and_then(|chosen| chosen.trouble).map(|trouble| sentence(&trouble))
                on:click=move |_| is_open.set(!is_open.get_untracked())
            >
                {move || has_trouble(chosen).then(|| view! { <Icon name=IconName::Warning small=true /> })}
                <span class="model-picker-name">{move || shown(chosen.get().as_ref(), models)}</span>
                <Icon name=IconName::Down small=true />
            </button>
            <ChatSpent />
            {move || is_open.get().then(|| view! { <ModelList on_close=close /> })}
        }
        .into_any()
    }
}

fn has_trouble(chosen: Memo<Option<ChosenModel>>) -> bool {
    chosen.with(|chosen| chosen.as_ref().is_some_and(|chosen| chosen.trouble.is_some()))
}

/// What the button shows.
fn shown(chosen: Option<&ChosenModel>, models: Models) -> String {
    match chosen {
        Some(chosen) => chosen.label.clone(),
        None if models.is_known() => "Choose a model".to_owned(),
        None => "Looking for models…".to_owned(),
    }
}

/// What the button says to screen readers.
fn said(chosen: Option<&ChosenModel>) -> String {
    match chosen {
        None => "Choose a model".to_owned(),
        Some(ChosenModel { label, trouble: None, .. }) => format!("Model: {label}"),
        Some(ChosenModel { label, trouble: Some(trouble), .. }) => format!("Model: {label}. {}", sentence(trouble)),
    }
}
