//! Fields that the forms of endpoints and of providers share, and what a try came to.

use leptos::prelude::*;
use satchel_core::protocol::{ModelSummary, ProviderFormat};

use crate::ui::parts::{Choice, ChoiceOption, sentence};

/// A line of text.
#[component]
pub(super) fn TextField(
    /// What it is.
    label: &'static str,
    /// What to know about it.
    #[prop(into)]
    hint: String,
    /// The name tests know it by.
    test_id: &'static str,
    /// An example.
    #[prop(optional)]
    placeholder: &'static str,
    /// Whether it can be left empty.
    #[prop(optional)]
    optional: bool,
    /// Whether it is shown as it is typed; a secret is not.
    #[prop(optional)]
    secret: bool,
    /// Whether it can be changed.
    #[prop(optional)]
    fixed: bool,
    /// What stands in it.
    text: RwSignal<String>,
) -> impl IntoView {
    let kind = if secret { "password" } else { "text" };
    // A browser that remembers passwords must not take a key for one.
    let autocomplete = if secret { "new-password" } else { "off" };
    view! {
        <label class="field">
            <span class="field-label">{label}</span>
            <input
                class="input"
                type=kind
                required=!optional
                readonly=fixed
                autocomplete=autocomplete
                autocapitalize="off"
                spellcheck="false"
                placeholder=placeholder
                data-testid=test_id
                bind:value=text
            />
            <span class="field-hint">{hint}</span>
        </label>
    }
}

/// The models that are named by hand.
#[component]
pub(super) fn ModelsField(
    /// The name tests know it by.
    test_id: &'static str,
    /// One a line.
    text: RwSignal<String>,
) -> impl IntoView {
    view! {
        <label class="field">
            <span class="field-label">"Models"</span>
            <textarea
                class="input models-named"
                rows="2"
                autocomplete="off"
                spellcheck="false"
                data-testid=test_id
                bind:value=text
            ></textarea>
            <span class="field-hint">"One per line. If empty, the endpoint is asked for its list."</span>
        </label>
    }
}

/// Which of the two formats is spoken.
#[component]
pub(super) fn FormatField(
    /// Tells the two forms' choices apart.
    name: &'static str,
    /// The format.
    format: RwSignal<ProviderFormat>,
) -> impl IntoView {
    let options = vec![
        ChoiceOption { value: ProviderFormat::OpenAi, label: "OpenAI", icon: None },
        ChoiceOption { value: ProviderFormat::Anthropic, label: "Anthropic", icon: None },
    ];
    view! {
        <div class="field">
            <span class="field-label">"Format"</span>
            <div>
                <Choice name label="Format" options chosen=format on_choose=move |option| format.set(option.value) />
            </div>
            <span class="field-hint">"Nearly everything except Anthropic itself uses OpenAI's."</span>
        </div>
    }
}

/// What a try came to.
pub(super) type Tried = RwSignal<Option<Result<Vec<ModelSummary>, String>>>;

/// What a try came to, in a sentence.
#[component]
pub(super) fn TriedLine(
    /// What it came to.
    tried: Tried,
    /// The name tests know it by.
    #[prop(into)]
    test_id: String,
) -> impl IntoView {
    let words = move |outcome: Result<Vec<ModelSummary>, String>| match outcome {
        Ok(models) => view! {
            <span class="badge" data-kind="good">"Works"</span>
            " "
            {listed(&models)}
        }
        .into_any(),
        Err(reason) => view! {
            <span class="badge" data-kind="bad">"Does not work"</span>
            " "
            {sentence(&reason)}
        }
        .into_any(),
    };
    view! { <p class="tried" role="status" data-testid=test_id>{move || tried.get().map(words)}</p> }
}

/// How many models there are, and how the first are called.
fn listed(models: &[ModelSummary]) -> String {
    let first: Vec<&str> = models.iter().take(5).map(|model| model.id.as_str()).collect();
    match models.len() {
        0 => "It answers, but lists no models.".to_owned(),
        1 => format!("It has one model: {}.", first[0]),
        count @ 2..=5 => format!("It has {count} models: {}.", first.join(", ")),
        count => format!("It has {count} models: {}, …", first.join(", ")),
    }
}

/// The lines of a text that say something.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
