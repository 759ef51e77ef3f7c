//! A value as a tree that opens where it is wanted. Only what is open is drawn, a hundred entries at a time.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use super::surface::{Copied, Surface};

/// So many entries of one list or object are drawn at once.
const AT_ONCE: usize = 100;
/// A text longer than this is cut until it is wanted whole.
const SHOWN_TEXT: usize = 2_000;

/// A step on the way to a value.
#[derive(Clone)]
enum Step {
    Key(String),
    Place(usize),
}

/// A value within the whole.
#[derive(Clone)]
struct Spot {
    whole: Arc<Value>,
    steps: Arc<Vec<Step>>,
}

impl Spot {
    fn with<T>(&self, look: impl FnOnce(&Value) -> T) -> Option<T> {
        let found = self.steps.iter().try_fold(&*self.whole, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Place(at) => value.get(at),
        });
        found.map(look)
    }

    fn below(&self, step: Step) -> Self {
        let steps = self.steps.iter().cloned().chain([step]).collect();
        Self { whole: Arc::clone(&self.whole), steps: Arc::new(steps) }
    }

    /// The names of what is in it.
    fn entries(&self) -> Vec<(String, Step)> {
        let named = |value: &Value| match value {
            Value::Object(fields) => fields.keys().map(|key| (key.clone(), Step::Key(key.clone()))).collect(),
            Value::Array(list) => (0..list.len()).map(|at| (at.to_string(), Step::Place(at))).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        self.with(named).unwrap_or_default()
    }
}

/// The value, with what can be done with it.
#[component]
pub(crate) fn JsonView(
    /// The value.
    value: Value,
    /// Why it is not shown as it was to be.
    #[prop(optional_no_strip)]
    note: Option<String>,
) -> impl IntoView {
    let whole = Arc::new(value);
    let for_copy = Arc::clone(&whole);
    let copied = Copied::of(move || serde_json::to_string_pretty(&*for_copy).unwrap_or_default());
    let spot = Spot { whole, steps: Arc::default() };
    view! {
        <Surface test_id="renderer-json" title="JSON" copied note>
            <div class="json" tabindex="0" role="group" aria-label="JSON">{node(None, spot, true)}</div>
        </Surface>
    }
}

fn node(name: Option<String>, spot: Spot, is_open: bool) -> AnyView {
    let key = name.map(|name| view! { <span class="json-key">{name}</span> });
    let inside = spot.with(|value| match value {
        Value::Object(fields) if !fields.is_empty() => Some(format!("{{{}}}", fields.len())),
        Value::Array(list) if !list.is_empty() => Some(format!("[{}]", list.len())),
        _leaf => None,
    });
    match inside.flatten() {
        None => view! { <div class="json-leaf">{key} {leaf(&spot)}</div> }.into_any(),
        Some(count) => branch(key.into_any(), count, spot, is_open),
    }
}

fn branch(key: AnyView, count: String, spot: Spot, is_open: bool) -> AnyView {
    let (open, shown) = (RwSignal::new(is_open), RwSignal::new(AT_ONCE));
    let spot = StoredValue::new(spot);
    let entries = move || {
        let entries = spot.with_value(Spot::entries);
        let left = entries.len().saturating_sub(shown.get());
        let drawn = entries
            .into_iter()
            .take(shown.get())
            .map(|(name, step)| node(Some(name), spot.with_value(|spot| spot.below(step)), false))
            .collect_view();
        let more = (left > 0).then(|| {
            view! {
                <button class="button button-small" type="button" on:click=move |_| shown.update(|shown| *shown += AT_ONCE)>
                    {format!("{} more", left.min(AT_ONCE))}
                </button>
            }
        });
        view! { {drawn} {more} }
    };
    view! {
        <div class="json-branch">
            <button
                class="json-toggle"
                type="button"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {key}
                <span class="json-count">{count}</span>
            </button>
            {move || open.get().then(|| view! { <div class="json-inside">{entries}</div> })}
        </div>
    }
    .into_any()
}

fn leaf(spot: &Spot) -> AnyView {
    let (kind, text) = spot
        .with(|value| match value {
            Value::Null => ("null", "null".to_owned()),
            Value::Bool(flag) => ("bool", flag.to_string()),
            Value::Number(number) => ("number", number.to_string()),
            Value::String(text) => ("text", text.clone()),
            Value::Array(_) => ("empty", "[]".to_owned()),
            Value::Object(_) => ("empty", "{}".to_owned()),
        })
        .unwrap_or(("null", String::new()));
    if text.len() <= SHOWN_TEXT {
        return view! { <span class="json-value" data-kind=kind>{text}</span> }.into_any();
    }
    let whole = RwSignal::new(false);
    let cut: String = text.chars().take(SHOWN_TEXT).collect();
    let shown = move || if whole.get() { text.clone() } else { format!("{cut}…") };
    view! {
        <span class="json-value" data-kind=kind>{shown}</span>
        <Show when=move || !whole.get()>
            <button class="button button-small" type="button" on:click=move |_| whole.set(true)>"Show all of it"</button>
        </Show>
    }
    .into_any()
}
