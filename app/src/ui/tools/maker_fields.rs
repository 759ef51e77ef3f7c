//! The fields of the form for an HTTP tool. Each is one text of the recipe.

use leptos::prelude::*;
use satchel_core::http_tool::{Recipe, RecipeStep};

/// One text of a form: how it is read and written.
#[derive(Clone, Copy)]
pub(super) struct Place {
    read: Signal<String>,
    write: Callback<String>,
}

impl Place {
    /// A text of the tool.
    pub(super) fn of(recipe: RwSignal<Recipe>, place: fn(&mut Recipe) -> &mut String) -> Self {
        Self {
            read: Signal::derive(move || recipe.with(|recipe| place(&mut recipe.clone()).clone())),
            write: Callback::new(move |text| recipe.update(|recipe| *place(recipe) = text)),
        }
    }

    /// A text of one of its requests; empty once that is gone.
    pub(super) fn of_step(recipe: RwSignal<Recipe>, at: usize, place: fn(&mut RecipeStep) -> &mut String) -> Self {
        let read = move |recipe: &Recipe| recipe.steps.get(at).map(|step| place(&mut step.clone()).clone());
        Self {
            read: Signal::derive(move || recipe.with(read).unwrap_or_default()),
            write: Callback::new(move |text| {
                recipe.update(|recipe| {
                    if let Some(step) = recipe.steps.get_mut(at) {
                        *place(step) = text;
                    }
                });
            }),
        }
    }
}

/// A field with what it is above it and more of that below.
#[component]
fn Labelled(
    /// What it is.
    label: &'static str,
    /// More of that.
    hint: &'static str,
    /// The field.
    children: Children,
) -> impl IntoView {
    view! {
        <label class="field">
            <span class="field-label">{label}</span>
            {children()}
            {(!hint.is_empty()).then(|| view! { <span class="field-hint">{hint}</span> })}
        </label>
    }
}

/// A line of text.
#[component]
pub(super) fn Text(
    /// What it is.
    label: &'static str,
    /// More of that.
    #[prop(optional)]
    hint: &'static str,
    /// Names it for tests.
    #[prop(into)]
    test_id: String,
    /// Which text of the form.
    place: Place,
) -> impl IntoView {
    view! {
        <Labelled label hint>
            <input
                class="input"
                type="text"
                autocapitalize="off"
                spellcheck="false"
                data-testid=test_id
                prop:value=place.read
                on:input=move |event| place.write.run(event_target_value(&event))
            />
        </Labelled>
    }
}

/// Several lines.
#[component]
pub(super) fn Lines(
    /// What it is.
    label: &'static str,
    /// More of that.
    hint: &'static str,
    /// Names it for tests.
    #[prop(into)]
    test_id: String,
    /// Which text of the form.
    place: Place,
) -> impl IntoView {
    view! {
        <Labelled label hint>
            <textarea
                class="input input-code"
                rows="3"
                autocapitalize="off"
                spellcheck="false"
                data-testid=test_id
                prop:value=place.read
                on:input=move |event| place.write.run(event_target_value(&event))
            ></textarea>
        </Labelled>
    }
}

/// One of a few words.
#[component]
pub(super) fn Choice(
    /// What it is.
    label: &'static str,
    /// Names it for tests.
    #[prop(into)]
    test_id: String,
    /// The words; the first is what stands for none.
    options: &'static [&'static str],
    /// Which text of the form.
    place: Place,
) -> impl IntoView {
    let first = options.first().copied().unwrap_or_default();
    let is_chosen = move |option: &str| {
        place.read.with(|chosen| if chosen.is_empty() { option == first } else { option == chosen })
    };
    view! {
        <Labelled label hint="">
            <select
                class="input"
                data-testid=test_id
                on:change=move |event| place.write.run(event_target_value(&event))
            >
                {options
                    .iter()
                    .map(|option| view! { <option value={*option} selected=move || is_chosen(option)>{in_words(option)}</option> })
                    .collect_view()}
            </select>
        </Labelled>
    }
}

/// A word of a definition, for people.
fn in_words(option: &'static str) -> &'static str {
    match option {
        "" => "none",
        "bearer" => "bearer token",
        "apiKey" => "API key in a header",
        "query" => "API key in the query",
        "basic" => "user name and password",
        "fail" => "a failure",
        "empty" => "an empty result",
        "auto" => "whatever it says it is",
        "text" => "text",
        "file" => "a file in the chat",
        "image" => "a picture",
        "string" => "text",
        "number" => "number",
        "integer" => "whole number",
        "boolean" => "yes or no",
        "array" => "list of text",
        other => other,
    }
}

/// What stands in the texts: the arguments, with what is to be known of each, and the secrets.
#[component]
pub(super) fn Arguments(
    /// The form.
    recipe: RwSignal<Recipe>,
) -> impl IntoView {
    let names = Memo::new(move |_| recipe.with(Recipe::argument_names));
    let secrets = Memo::new(move |_| recipe.with(Recipe::secret_names));
    view! {
        <fieldset class="maker-arguments" hidden=move || names.with(Vec::is_empty)>
            <legend>"Arguments"</legend>
            <For each=move || names.get() key=Clone::clone let:name>
                <ArgumentRow recipe name />
            </For>
        </fieldset>
        <p class="field-hint" data-testid="maker-secrets" hidden=move || secrets.with(Vec::is_empty)>
            {move || format!("Needs these secrets, which you enter in Settings: {}.", secrets.get().join(", "))}
        </p>
    }
}

#[component]
fn ArgumentRow(
    /// The form.
    recipe: RwSignal<Recipe>,
    /// The argument.
    name: String,
) -> impl IntoView {
    const KINDS: [&str; 5] = ["string", "number", "integer", "boolean", "array"];
    let own = StoredValue::new(name.clone());
    let known = move || recipe.with(|recipe| recipe.arguments.get(&own.get_value()).cloned().unwrap_or_default());
    let change = move |change: &dyn Fn(&mut satchel_core::http_tool::Argument)| {
        recipe.update(|recipe| change(recipe.arguments.entry(own.get_value()).or_default()));
    };
    let is_kind = move |kind: &str| known().kind == kind;
    // What a tool that is there takes may be of another kind, and stays so unless it is changed.
    let declared = known().kind;
    let other = (!KINDS.contains(&declared.as_str())).then(|| {
        let words = if declared.is_empty() { "anything".to_owned() } else { format!("as declared: {declared}") };
        let own = declared.clone();
        view! { <option value=declared selected=move || is_kind(&own)>{words}</option> }
    });
    view! {
        <div class="maker-argument" data-testid=format!("maker-argument-{name}")>
            <code>{name.clone()}</code>
            <select
                class="input"
                aria-label=format!("Type of {name}")
                data-testid=format!("maker-kind-{name}")
                on:change=move |event| {
                    let kind = event_target_value(&event);
                    change(&|argument| argument.kind = kind.clone());
                }
            >
                {other}
                {KINDS
                    .into_iter()
                    .map(|kind| view! { <option value=kind selected=move || is_kind(kind)>{in_words(kind)}</option> })
                    .collect_view()}
            </select>
            <label class="maker-required">
                <input
                    type="checkbox"
                    data-testid=format!("maker-required-{name}")
                    prop:checked=move || known().required
                    on:change=move |event| {
                        let required = event_target_checked(&event);
                        change(&|argument| argument.required = required);
                    }
                />
                "required"
            </label>
            <input
                class="input"
                type="text"
                placeholder="description"
                aria-label=format!("Description of {name}")
                data-testid=format!("maker-about-{name}")
                prop:value=move || known().description
                on:input=move |event| {
                    let text = event_target_value(&event);
                    change(&|argument| argument.description = text.clone());
                }
            />
        </div>
    }
}
