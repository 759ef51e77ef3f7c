//! The satchel itself. The same drawing is in `public/icons/favicon.svg` and in the skeleton of `app/index.html`.

use leptos::prelude::*;

/// The logo. Its colours are its own, in light and in dark.
#[component]
pub(crate) fn Logo() -> impl IntoView {
    view! {
        <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
            <path d="M11 9V7.5a3.5 3.5 0 0 1 3.5-3.5h3A3.5 3.5 0 0 1 21 7.5V9" fill="none" stroke="#9c4a1a" stroke-width="2.5" />
            <rect x="3" y="8" width="26" height="21" rx="4.5" fill="#cd7a43" />
            <path d="M3 12.5A4.5 4.5 0 0 1 7.5 8h17a4.5 4.5 0 0 1 4.5 4.5v2c0 4-4.5 5.5-13 5.5S3 18.5 3 14.5z" fill="#9c4a1a" />
            <rect x="13" y="16.5" width="6" height="8" rx="2" fill="#fbe9db" />
        </svg>
    }
}
