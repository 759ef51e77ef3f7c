//! A piece of JSON that can be folded away: a schema, a configuration.

use leptos::prelude::*;
use serde_json::Value;

/// Nothing where there is none.
#[component]
pub(crate) fn JsonPart(
    /// What it is.
    title: &'static str,
    /// The JSON, if there is any.
    value: Option<Value>,
) -> impl IntoView {
    value.map(|value| {
        let text = serde_json::to_string_pretty(&value).unwrap_or_default();
        view! {
            <details class="part">
                <summary>{title}</summary>
                <pre class="file-text tool-schema" tabindex="0">{text}</pre>
            </details>
        }
    })
}
