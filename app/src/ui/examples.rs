//! The toolsets that come with the app: a section of the page of toolsets, and an offer where a chat has not begun.

mod card;

use leptos::prelude::*;

use self::card::ExampleCard;
use super::parts::{Icon, IconName};
use crate::state::examples::Example;
use crate::state::{ExampleList, Examples, Storage};

/// The section of the page of toolsets; none without storage, where that page says already that there can be no toolsets.
#[component]
pub(crate) fn ExampleSection() -> impl IntoView {
    Storage::expect().is_kept().then(|| view! { <KeptExamples /> })
}

#[component]
fn KeptExamples() -> impl IntoView {
    let examples = Examples::follow();
    view! {
        <section class="examples" id="examples" aria-labelledby="examples-label">
            <div>
                <h2 id="examples-label">"Examples"</h2>
                <p class="field-hint">
                    "They come with Satchel, work offline and need no setup. Take one apart to see how a toolset is made."
                </p>
            </div>
            {move || match examples.list() {
                ExampleList::Asked => view! { <p class="toolsets-note" role="status">"Loading…"</p> }.into_any(),
                ExampleList::Unknown(error) => {
                    view! { <p class="field-error" role="alert">{format!("The examples cannot be read: {error}.")}</p> }
                        .into_any()
                }
                ExampleList::Known(list) => {
                    let cards = list.into_iter().map(|example| view! { <ExampleCard examples example /> });
                    view! { <div class="toolset-list">{cards.collect_view()}</div> }.into_any()
                }
            }}
        </section>
    }
}

/// The offer on the page of a new chat: one click, and there is something to see.
#[component]
pub(crate) fn ExampleOffer() -> impl IntoView {
    let examples = Examples::follow();
    move || match examples.list() {
        // Who cannot have them can still do everything else here.
        ExampleList::Asked | ExampleList::Unknown(_) => ().into_any(),
        ExampleList::Known(list) => {
            let cards = list.into_iter().filter(|example| example.trial.is_some());
            let cards = cards.map(|example| view! { <OfferCard examples example /> }).collect_view();
            view! { <ul class="start-cards example-offer">{cards}</ul> }.into_any()
        }
    }
}

#[component]
fn OfferCard(
    /// All of them.
    examples: Examples,
    /// This one.
    example: Example,
) -> impl IntoView {
    let Example { id, name, trial, .. } = example;
    let test_id = format!("example-try-{id}");
    let busy_id = id.clone();
    let text = format!("Try {name}: it comes with Satchel and opens in its own chat.");
    view! {
        <li>
            <button
                class="start-card"
                type="button"
                data-testid=test_id
                aria-busy=move || examples.is_busy_with(&busy_id).to_string()
                disabled=move || examples.is_busy()
                on:click=move |_| examples.begin(id.clone(), name.clone())
            >
                <Icon name=IconName::Toolset />
                <span class="start-card-title">{trial}</span>
                <span class="start-card-text">{text}</span>
            </button>
        </li>
    }
}
