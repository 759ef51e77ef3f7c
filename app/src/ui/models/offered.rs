//! What a list of models shows: those that can be had, by place, and the places that have none to give just now.

use satchel_core::model::{KnownModels, ModelChoice, ModelGroup, ModelPlace, Standing};
use satchel_core::protocol::ModelSummary;

/// A model in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offered {
    /// What choosing it means.
    pub(super) choice: ModelChoice,
    /// What people call it.
    pub(super) label: String,
    /// What is known of it.
    pub(super) facts: String,
}

/// The models of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OfferedGroup {
    /// What the place is called.
    pub(super) title: String,
    /// The models, each with its number in the whole list.
    pub(super) models: Vec<(usize, Offered)>,
}

/// A place that gives no models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Away {
    /// What the place is called.
    pub(super) title: String,
    /// Why: a sentence without its full stop.
    pub(super) reason: String,
}

/// The models that what was typed leaves over, numbered through.
pub(super) fn offered(known: &KnownModels, query: &str) -> Vec<OfferedGroup> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut number = 0;
    let mut groups = Vec::new();
    for group in known.groups.iter().filter(|group| !matches!(group.standing, Standing::Away(_))) {
        let title = title(&group.place);
        let found = group.models.iter().filter(|model| {
            let all = format!("{title} {} {}", model.id, model.label()).to_lowercase();
            words.iter().all(|word| all.contains(word))
        });
        let models: Vec<(usize, Offered)> = found
            .map(|model| {
                number += 1;
                (number - 1, offer(&group.place, model))
            })
            .collect();
        if !models.is_empty() {
            groups.push(OfferedGroup { title, models });
        }
    }
    groups
}

/// The places that were to give models and do not, or not yet.
pub(super) fn away(known: &KnownModels, server_trouble: Option<String>) -> Vec<Away> {
    let of_group = |group: &ModelGroup| {
        let reason = match &group.standing {
            Standing::Away(reason) => reason.clone(),
            Standing::Asked if group.models.is_empty() => "its models are being loaded".to_owned(),
            Standing::Here if group.models.is_empty() => "it has no models".to_owned(),
            Standing::Asked | Standing::Here => return None,
        };
        Some(Away { title: title(&group.place), reason })
    };
    let mut away: Vec<Away> = known.groups.iter().filter_map(of_group).collect();
    let is_said = |reason: &String| away.iter().any(|away| away.reason == *reason);
    if let Some(reason) = server_trouble.filter(|reason| !is_said(reason)) {
        away.insert(0, Away { title: "Through the server".into(), reason });
    }
    away
}

fn title(place: &ModelPlace) -> String {
    match place {
        ModelPlace::Server(name) => format!("{name} · through the server"),
        ModelPlace::Browser(name) => format!("{name} · from this browser"),
        ModelPlace::Page => "In this page".to_owned(),
    }
}

fn offer(place: &ModelPlace, model: &ModelSummary) -> Offered {
    let mut facts = Vec::new();
    if model.label() != model.id {
        facts.push(model.id.clone());
    }
    if let Some(tokens) = model.context_length {
        facts.push(format!("{} tokens", thousands(tokens)));
    }
    if model.sees_images == Some(true) {
        facts.push("sees pictures".to_owned());
    }
    if let Some(prices) = model.prices {
        facts.push(match (prices.input, prices.output) {
            (0, 0) => "free".to_owned(),
            (input, output) => format!("${} in, ${} out per million", dollars(input), dollars(output)),
        });
    }
    Offered {
        choice: ModelChoice { place: place.clone(), model: model.id.clone() },
        label: model.label().to_owned(),
        facts: facts.join(" · "),
    }
}

/// A number of tokens as people say it: `8k`, `200k`, `1M`.
fn thousands(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{}M", tokens / 1_000_000),
    }
}

/// Millionths of a dollar as dollars, with no more digits than there are.
fn dollars(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    let short = text.trim_end_matches('0').trim_end_matches('.');
    match short.split_once('.') {
        Some((whole, cents)) if cents.len() == 1 => format!("{whole}.{cents}0"),
        _ => short.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use satchel_core::protocol::{ModelPrices, ProviderFormat, ProviderName};
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn group(name: &str, standing: Standing, models: Vec<ModelSummary>) -> ModelGroup {
        let place = ModelPlace::Browser(ProviderName::parse(name).expect("is a name"));
        ModelGroup { place, format: ProviderFormat::OpenAi, standing, models }
    }

    #[wasm_bindgen_test]
    fn what_is_typed_leaves_over_what_has_every_word() {
        let models = ["llama-8b", "qwen-8b"].map(ModelSummary::named).to_vec();
        let groups = vec![
            group("gone", Standing::Away("nothing answers".into()), models.clone()),
            group("one", Standing::Here, models.clone()),
            group("two", Standing::Asked, models),
        ];
        let known = KnownModels { groups, is_complete: true };
        let found = |query: &str| -> Vec<(usize, String)> {
            let groups = offered(&known, query).into_iter();
            groups.flat_map(|group| group.models).map(|(at, model)| (at, model.choice.to_string())).collect()
        };
        assert_eq!(found("").len(), 4);
        let expected = vec![(0, "browser/two/qwen-8b".to_owned())];
        assert_eq!(found("two QWEN"), expected);
        assert_eq!(away(&known, None).len(), 1);
    }

    #[wasm_bindgen_test]
    fn facts_are_short() {
        let prices = Some(ModelPrices { input: 150_000, output: 2_500_000, cached: None });
        let model = ModelSummary {
            name: Some("The M".into()),
            context_length: Some(131_072),
            sees_images: Some(true),
            prices,
            ..ModelSummary::named("m")
        };
        let facts = offer(&ModelPlace::Page, &model).facts;
        assert_eq!(facts, "m · 131k tokens · sees pictures · $0.15 in, $2.50 out per million");
        assert_eq!(offer(&ModelPlace::Page, &ModelSummary::named("m")).facts, "");
    }
}
