//! A switch: on or off, at once.

use leptos::prelude::*;

/// A switch.
#[component]
pub(crate) fn Switch(
    /// What is so when it is on, for screen readers.
    label: String,
    /// The name tests know it by.
    test_id: String,
    /// Whether it is on.
    on: bool,
    /// Told what the user wants.
    on_change: impl Fn(bool) + 'static,
) -> impl IntoView {
    view! {
        <input
            class="switch"
            type="checkbox"
            role="switch"
            aria-label=label
            data-testid=test_id
            checked=on
            on:change=move |event| on_change(event_target_checked(&event))
        />
    }
}
