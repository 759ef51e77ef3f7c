//! Names and values that need no tree.

use leptos::prelude::*;
use satchel_core::render::Fields;
use serde_json::Value;

use super::surface::{Copied, Surface};

/// The names and values, with what can be done with them.
#[component]
pub(super) fn KeyValueView(
    /// Which.
    fields: Fields,
    /// Why they are not shown as they were to be.
    #[prop(optional_no_strip)]
    note: Option<String>,
) -> impl IntoView {
    let value: serde_json::Map<String, Value> = fields.iter().cloned().collect();
    let copied = Copied::of(move || serde_json::to_string_pretty(&value).unwrap_or_default());
    view! {
        <Surface test_id="renderer-key-value" title="Result" copied note>
            <FieldList fields />
        </Surface>
    }
}

/// Names and values alone.
#[component]
pub(super) fn FieldList(
    /// Which.
    fields: Fields,
) -> impl IntoView {
    let row = |(name, value): (String, Value)| {
        let (kind, text) = match value {
            Value::String(text) => ("text", text),
            Value::Null => ("null", "null".to_owned()),
            Value::Bool(flag) => ("bool", flag.to_string()),
            Value::Number(number) => ("number", number.to_string()),
            other => ("text", other.to_string()),
        };
        view! {
            <dt>{name}</dt>
            <dd class="json-value" data-kind=kind>{text}</dd>
        }
    };
    (!fields.is_empty()).then(|| view! { <dl class="fields">{fields.into_iter().map(row).collect_view()}</dl> })
}
