//! The list of all models: a field to find one by, and below it those that match. The keys stay in the field; the arrows walk the list.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::model::ModelChoice;

use super::offered::{Offered, OfferedGroup, away, offered};
use crate::browser::page;
use crate::state::Models;
use crate::ui::parts::{Icon, IconName, sentence};
use crate::ui::settings::section::SectionId;

const INPUT: &str = "model-query";
const LIST: &str = "model-list";

/// The list, drawn while it is open.
#[component]
pub(super) fn ModelList(
    /// Told when it is to be closed.
    on_close: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let models = Models::expect();
    // Whoever did not answer when the page was opened may do so now.
    models.read();
    let query = RwSignal::new(String::new());
    let groups = Memo::new(move |_| models.known().with(|known| offered(known, &query.get())));
    // The keys begin at the one that answers now.
    let own = models.chosen_untracked().map(|chosen| chosen.choice);
    let active =
        RwSignal::new(groups.with_untracked(|groups| own.and_then(|own| number_of(groups, &own))).unwrap_or(0));
    let chosen = Memo::new(move |_| models.chosen().map(|chosen| chosen.choice));
    // An effect runs once the field is in the page.
    Effect::new(move |_| page::focus(INPUT));
    let choose = move |choice: ModelChoice| {
        models.choose(choice);
        on_close();
    };
    let go = move |to: usize| {
        active.set(to);
        page::reveal(&row_id(to));
    };
    let on_key = move |event: KeyboardEvent| {
        let last = groups.with_untracked(|groups| count(groups)).saturating_sub(1);
        let here = active.get_untracked().min(last);
        match event.key().as_str() {
            "ArrowDown" => go(if here == last { 0 } else { here + 1 }),
            "ArrowUp" => go(if here == 0 { last } else { here - 1 }),
            "Enter" if !event.is_composing() => {
                if let Some(model) = groups.with_untracked(|groups| at(groups, here).cloned()) {
                    choose(model.choice);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let on_escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.is_composing() {
            event.stop_propagation();
            on_close();
        }
    };
    view! {
        <div class="palette-scrim" aria-hidden="true" on:click=move |_| on_close()></div>
        <div class="palette model-list" role="dialog" aria-label="Models" data-testid="model-list" on:keydown=on_escape>
            <div class="palette-field">
                <input
                    class="palette-input"
                    id=INPUT
                    data-testid="model-query"
                    type="text"
                    role="combobox"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder="Find a model"
                    aria-label="Find a model"
                    aria-haspopup="listbox"
                    aria-expanded="true"
                    aria-controls=LIST
                    aria-activedescendant=move || {
                        groups.with(|groups| at(groups, active.get()).map(|_| row_id(active.get())))
                    }
                    prop:value=move || query.get()
                    on:input=move |event| {
                        query.set(event_target_value(&event));
                        active.set(0);
                    }
                    on:keydown=on_key
                />
                <button class="icon-button" type="button" aria-label="Close" on:click=move |_| on_close()>
                    <Icon name=IconName::Close small=true />
                </button>
            </div>
            <div class="palette-list">
                <Options groups active chosen on_choose=choose />
                <AwayList />
            </div>
            <p class="palette-note model-list-foot">
                <span role="status">{move || groups.with(|groups| note(count(groups)))}</span>
                <a data-testid="model-set-up" href=SectionId::Models.link()>"Set up a model"</a>
            </p>
        </div>
    }
}

/// Those that can be had.
#[component]
fn Options(
    /// The models, by place.
    groups: Memo<Vec<OfferedGroup>>,
    /// The one that the keys are on.
    active: RwSignal<usize>,
    /// The one that answers now.
    chosen: Memo<Option<ModelChoice>>,
    /// Told which was chosen.
    on_choose: impl Fn(ModelChoice) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let option = move |(number, model): (usize, Offered)| {
        let (choice, own) = (model.choice.clone(), model.choice.clone());
        let is_own = Memo::new(move |_| chosen.with(|chosen| chosen.as_ref() == Some(&own)));
        view! {
            <div
                class="palette-item"
                role="option"
                id=row_id(number)
                aria-selected=move || (active.get() == number).to_string()
                data-testid=format!("model-option-{}", model.choice)
                on:click=move |_| on_choose(choice.clone())
            >
                <div class="palette-about">
                    <span class="palette-name">{model.label}</span>
                    <span class="palette-says">{model.facts}</span>
                </div>
                {move || {
                    is_own
                        .get()
                        .then(|| view! { <Icon name=IconName::Check small=true /> <span class="unseen">"in use"</span> })
                }}
            </div>
        }
    };
    move || {
        let shown = groups.get();
        (!shown.is_empty()).then(|| {
            let groups = shown.into_iter().map(|group| {
                view! {
                    <div role="group" aria-label=group.title.clone()>
                        <div class="palette-heading" aria-hidden="true">{group.title.clone()}</div>
                        {group.models.into_iter().map(option).collect_view()}
                    </div>
                }
            });
            view! { <div id=LIST role="listbox" aria-label="Models">{groups.collect_view()}</div> }
        })
    }
}

/// The places that give no models just now, and why.
#[component]
fn AwayList() -> impl IntoView {
    let models = Models::expect();
    let rows = Memo::new(move |_| models.known().with(|known| away(known, models.server_trouble())));
    move || {
        let rows = rows.get().into_iter().map(|away| {
            view! {
                <li class="model-away" data-testid="model-away">
                    <span class="palette-name">{away.title}</span>
                    <span class="field-hint">{sentence(&away.reason)}</span>
                </li>
            }
        });
        view! { <ul class="model-away-list">{rows.collect_view()}</ul> }
    }
}

fn row_id(number: usize) -> String {
    format!("model-row-{number}")
}

fn count(groups: &[OfferedGroup]) -> usize {
    groups.iter().map(|group| group.models.len()).sum()
}

fn at(groups: &[OfferedGroup], number: usize) -> Option<&Offered> {
    groups.iter().flat_map(|group| &group.models).find(|(own, _)| *own == number).map(|(_, model)| model)
}

fn number_of(groups: &[OfferedGroup], choice: &ModelChoice) -> Option<usize> {
    let mut all = groups.iter().flat_map(|group| &group.models);
    all.find(|(_, model)| model.choice == *choice).map(|(number, _)| *number)
}

fn note(count: usize) -> String {
    match count {
        0 => "No model has that name.".into(),
        1 => "1 model. Enter chooses it.".into(),
        count => format!("{count} models. Use the arrow keys; Enter chooses, Esc closes."),
    }
}
