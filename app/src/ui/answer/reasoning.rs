//! What a model thought before it answered, folded: who wants to see it opens it.

use leptos::prelude::*;

/// The thoughts.
#[component]
pub(super) fn Thoughts(
    /// What they are called: they come, or they came.
    title: &'static str,
    /// The thoughts.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    view! {
        <Show when=move || text.with(|text| !text.trim().is_empty())>
            <details class="answer-thoughts" data-testid="answer-reasoning">
                <summary>{title}</summary>
                <p>{move || text.get()}</p>
            </details>
        </Show>
    }
}
