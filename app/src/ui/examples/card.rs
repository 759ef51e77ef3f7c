//! One example on the page of toolsets.

use leptos::prelude::*;

use crate::state::examples::{BuildFile, Example, Presence};
use crate::state::{Examples, Importing};
use crate::ui::parts::in_words;
use crate::work::toolsets::import::Source;
use satchel_core::counted::counted;

/// An example, what is installed of it, and what can be done.
#[component]
pub(crate) fn ExampleCard(
    /// All of them.
    examples: Examples,
    /// This one.
    example: Example,
) -> impl IntoView {
    let test_id = format!("example-card-{}", example.id);
    let facts = format!("{} · {} · {}", example.id, counted(example.tools, "tool"), in_words(example.size));
    let state = match &example.presence {
        Presence::Absent => None,
        Presence::Same => Some(("good", "Installed".to_owned())),
        Presence::Older { version } => Some(("caution", format!("{version} is installed"))),
        Presence::Other => Some(("caution", "Installed with other contents".to_owned())),
    };
    view! {
        <article class="toolset-card" data-testid=test_id>
            <div class="toolset-about">
                <h3 class="toolset-title">
                    {example.name.clone()} " " <span class="toolset-version">{example.version.clone()}</span>
                </h3>
                <p>{example.description.clone()}</p>
                <p class="field-hint">{facts}</p>
            </div>
            {state.map(|(kind, words)| view! { <span class="badge" data-kind=kind>{words}</span> })}
            <Actions examples example />
        </article>
    }
}

#[component]
fn Actions(
    /// All of them.
    examples: Examples,
    /// This one.
    example: Example,
) -> impl IntoView {
    let importing = Importing::expect();
    let Example { id, name, trial, presence, path, sha256, .. } = example;
    let [install_test_id, try_test_id, look_test_id] =
        ["install", "try", "look"].map(|what| format!("example-{what}-{id}"));
    let install_word = match presence {
        Presence::Absent => Some("Install"),
        Presence::Older { .. } => Some("Upgrade"),
        Presence::Same | Presence::Other => None,
    };
    // What is not theirs to replace unasked is shown as any bundle is, with the question.
    let look_word = if presence == Presence::Other { "Replace…" } else { "See what is in it" };
    let file = BuildFile { path, digest: sha256 };
    let (try_id, try_name, busy_id) = (id.clone(), name.clone(), id.clone());
    let labels = [install_word.unwrap_or_default(), "Try it", look_word].map(|word| format!("{word}: {name}"));
    let [install_label, try_label, look_label] = labels;
    view! {
        <div class="toolset-actions" aria-busy=move || examples.is_busy_with(&busy_id).to_string()>
            {install_word
                .map(|word| {
                    view! {
                        <button
                            class="button button-small button-accent"
                            type="button"
                            aria-label=install_label
                            data-testid=install_test_id
                            disabled=move || examples.is_busy()
                            on:click=move |_| examples.install(id.clone(), name.clone())
                        >
                            {word}
                        </button>
                    }
                })}
            {trial
                .map(|trial| {
                    view! {
                        <button
                            class="button button-small"
                            type="button"
                            aria-label=try_label
                            title=trial
                            data-testid=try_test_id
                            disabled=move || examples.is_busy()
                            on:click=move |_| examples.begin(try_id.clone(), try_name.clone())
                        >
                            "Try it"
                        </button>
                    }
                })}
            <button
                class="button button-small"
                type="button"
                aria-label=look_label
                data-testid=look_test_id
                on:click=move |_| importing.take(Ok(Source::Shipped(file.clone())))
            >
                {look_word}
            </button>
        </div>
    }
}
