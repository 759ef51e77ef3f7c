//! The models that this device knows of, by the place they run in, and which of them answers when a chat has chosen none.

use super::{ModelChoice, ModelPlace};
use crate::protocol::{ModelPrices, ModelSummary, ProviderFormat};

/// The models that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownModels {
    /// One for each place, in the order that they are offered in.
    pub groups: Vec<ModelGroup>,
    /// Whether it is known which places there are; until then a place that is not in the list may still come.
    pub is_complete: bool,
}

/// The models of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelGroup {
    /// The place.
    pub place: ModelPlace,
    /// What is spoken there.
    pub format: ProviderFormat,
    /// Whether it tells its models.
    pub standing: Standing,
    /// Those that it has told, or that the user has named.
    pub models: Vec<ModelSummary>,
}

/// Whether a place tells its models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was asked, and has not answered yet.
    Asked,
    /// It has.
    Here,
    /// It has not, and why: a sentence without its full stop.
    Away(String),
}

/// The model that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenModel {
    /// Where it is, and its name there.
    pub choice: ModelChoice,
    /// What people call it.
    pub label: String,
    /// What is spoken there; none where the place is not known.
    pub format: Option<ProviderFormat>,
    /// How many tokens it takes, where that is known.
    pub context_tokens: Option<u64>,
    /// Whether it may be sent pictures.
    pub sees_images: bool,
    /// What it costs, where that is known.
    pub prices: Option<ModelPrices>,
    /// Why it will hardly answer: a sentence without its full stop.
    pub trouble: Option<String>,
}

impl KnownModels {
    /// The model that answers: the first of these choices that is made, else the first model of the first place that has one. Nothing
    /// while a place that might have it has not answered.
    ///
    /// A choice is never replaced because it cannot be had just now; it says what is the matter instead (R030).
    #[must_use]
    pub fn chosen<'a>(&self, wanted: impl IntoIterator<Item = Option<&'a ModelChoice>>) -> Option<ChosenModel> {
        match wanted.into_iter().flatten().next() {
            Some(choice) => Some(self.describe(choice)),
            None => self.usual().map(|choice| self.describe(&choice)),
        }
    }

    /// The group of a place.
    #[must_use]
    pub fn group(&self, place: &ModelPlace) -> Option<&ModelGroup> {
        self.groups.iter().find(|group| group.place == *place)
    }

    /// Whether there is no model at all, nor any place that might still tell of one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is_complete
            && self.groups.iter().all(|group| group.models.is_empty() && !matches!(group.standing, Standing::Asked))
    }

    /// Whether more about a choice may still be told: it is not known yet which places there are, or its own has not answered.
    #[must_use]
    pub fn is_awaited(&self, choice: &ModelChoice) -> bool {
        match self.group(&choice.place) {
            Some(group) => group.models.is_empty() && group.standing == Standing::Asked,
            None => !self.is_complete,
        }
    }

    /// The places that are still asked before it is known which model answers: that of the choice, or, where there is none, all.
    pub fn awaited<'a>(&'a self, choice: Option<&'a ModelChoice>) -> impl Iterator<Item = &'a ModelPlace> {
        let is_asked = |group: &&ModelGroup| group.models.is_empty() && group.standing == Standing::Asked;
        let asked = self.groups.iter().filter(is_asked).map(|group| &group.place);
        asked.filter(move |place| choice.is_none_or(|choice| choice.place == **place))
    }

    /// The name for people of the model that a provider calls so, where all that have it agree.
    #[must_use]
    pub fn name_of(&self, id: &str) -> Option<&str> {
        let models = self.groups.iter().flat_map(|group| &group.models);
        let mut names = models.filter(|model| model.id == id).map(ModelSummary::label);
        let name = names.next()?;
        names.all(|other| other == name).then_some(name)
    }

    /// Takes over what an older list knew of the places of this one, until they have answered anew.
    pub fn remember(&mut self, older: &Self) {
        for group in self.groups.iter_mut().filter(|group| group.models.is_empty()) {
            if let Some(before) = older.group(&group.place) {
                group.models.clone_from(&before.models);
            }
        }
    }

    fn usual(&self) -> Option<ModelChoice> {
        if !self.is_complete {
            return None;
        }
        for group in &self.groups {
            match (&group.standing, group.models.first()) {
                (Standing::Asked | Standing::Here, Some(model)) => {
                    return Some(ModelChoice { place: group.place.clone(), model: model.id.clone() });
                }
                (Standing::Asked, None) => return None,
                (Standing::Here, None) | (Standing::Away(_), _) => {}
            }
        }
        None
    }

    fn describe(&self, choice: &ModelChoice) -> ChosenModel {
        let group = self.group(&choice.place);
        let model = group.and_then(|group| group.models.iter().find(|model| model.id == choice.model));
        ChosenModel {
            choice: choice.clone(),
            label: model.map_or(choice.model.as_str(), ModelSummary::label).to_owned(),
            format: group.map(|group| group.format),
            context_tokens: model.and_then(|model| model.context_length),
            sees_images: model
                .and_then(|model| model.sees_images)
                .unwrap_or_else(|| is_known_to_see(&choice.model, group.map(|group| group.format))),
            prices: model.and_then(|model| model.prices),
            trouble: self.trouble(choice, group, model),
        }
    }

    fn trouble(
        &self,
        choice: &ModelChoice,
        group: Option<&ModelGroup>,
        model: Option<&ModelSummary>,
    ) -> Option<String> {
        let Some(group) = group else {
            return self.is_complete.then(|| match &choice.place {
                ModelPlace::Server(name) => {
                    format!("{name} is reached through a Satchel server, which is not connected or does not have it")
                }
                ModelPlace::Browser(name) => format!("the endpoint {name} is not set up on this device"),
                ModelPlace::Page => "no model that runs in the page is on this device".to_owned(),
            });
        };
        match &group.standing {
            Standing::Asked => None,
            Standing::Away(reason) => Some(reason.clone()),
            Standing::Here if model.is_some() => None,
            Standing::Here => Some(match &choice.place {
                ModelPlace::Server(name) | ModelPlace::Browser(name) => {
                    format!("{name} no longer lists {}", choice.model)
                }
                ModelPlace::Page => format!("{} is no longer on this device", choice.model),
            }),
        }
    }
}

/// Whether a model of this name is known to see pictures, where nobody says so: most providers do not. A picture that a model cannot see is
/// refused by its provider, with a sentence; one that is held back is never missed.
fn is_known_to_see(model: &str, format: Option<ProviderFormat>) -> bool {
    const FAMILIES: [&str; 16] = [
        "claude",
        "gemini",
        "gemma-3",
        "gemma3",
        "gpt-4.1",
        "gpt-4o",
        "gpt-5",
        "llama-4",
        "llama4",
        "llava",
        "minicpm-v",
        "moondream",
        "pixtral",
        "qwen2.5vl",
        "vision",
        "-vl",
    ];
    let model = model.to_ascii_lowercase();
    format == Some(ProviderFormat::Anthropic) || FAMILIES.iter().any(|family| model.contains(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> ModelChoice {
        ModelChoice::parse(text).expect("is a choice")
    }

    fn group(first: &str, standing: Standing, models: &[&str]) -> ModelGroup {
        ModelGroup {
            place: choice(&format!("{first}/x")).place,
            format: ProviderFormat::OpenAi,
            standing,
            models: models.iter().map(|id| ModelSummary::named(*id)).collect(),
        }
    }

    fn known(groups: Vec<ModelGroup>) -> KnownModels {
        KnownModels { groups, is_complete: true }
    }

    fn usual(groups: Vec<ModelGroup>) -> Option<String> {
        known(groups).chosen([None, None]).map(|chosen| chosen.choice.to_string())
    }

    #[test]
    fn a_choice_is_awaited_until_its_place_has_answered() {
        let wanted = choice("server/p/m");
        let awaited = |standing, models: &[&str]| known(vec![group("server/p", standing, models)]).is_awaited(&wanted);
        assert!(awaited(Standing::Asked, &[]));
        assert!(!awaited(Standing::Asked, &["m"]), "as it was told before");
        assert!(!awaited(Standing::Here, &[]));
        assert!(!awaited(Standing::Away("it is away".into()), &[]));
        assert!(!known(vec![]).is_awaited(&wanted), "there is no such place");
        assert!(KnownModels::default().is_awaited(&wanted), "nobody has said which places there are");
    }

    #[test]
    fn the_first_place_that_has_a_model_gives_the_usual_one() {
        let away = || Standing::Away("it is away".into());
        let server = |standing, models: &[&str]| group("server/p", standing, models);
        let page = || group("page", Standing::Here, &["small"]);
        let first = Some("server/p/m".to_owned());
        let last = Some("page/small".to_owned());
        assert_eq!(usual(vec![server(Standing::Here, &["m", "n"]), page()]), first);
        assert_eq!(usual(vec![server(Standing::Asked, &["m"]), page()]), first, "as it was told before");
        assert_eq!(usual(vec![server(Standing::Asked, &[]), page()]), None, "it may have one");
        assert_eq!(usual(vec![server(away(), &["m"]), page()]), last);
        assert_eq!(usual(vec![server(Standing::Here, &[]), page()]), last);
        assert_eq!(usual(vec![]), None);
        let unheard = KnownModels { is_complete: false, ..known(vec![page()]) };
        assert_eq!(unheard.chosen([None]), None);
    }

    /// R030, R321
    #[test]
    fn a_choice_stays_and_says_what_is_the_matter() {
        let (own, last) = (choice("browser/ollama/m"), choice("page/small"));
        let check = |known: &KnownModels, trouble: Option<&str>| {
            let chosen = known.chosen([Some(&own), Some(&last)]).expect("is chosen");
            assert_eq!((&chosen.choice, chosen.trouble.as_deref()), (&own, trouble));
        };
        check(&KnownModels::default(), None);
        check(&known(vec![]), Some("the endpoint ollama is not set up on this device"));
        check(&known(vec![group("browser/ollama", Standing::Asked, &[])]), None);
        check(&known(vec![group("browser/ollama", Standing::Here, &["m"])]), None);
        check(&known(vec![group("browser/ollama", Standing::Here, &["n"])]), Some("ollama no longer lists m"));
        let away = group("browser/ollama", Standing::Away("nothing answers".into()), &[]);
        check(&known(vec![away]), Some("nothing answers"));
        let chosen = known(vec![]).chosen([None, Some(&last)]).expect("is chosen");
        assert_eq!(chosen.trouble.as_deref(), Some("no model that runs in the page is on this device"));
    }

    #[test]
    fn what_is_known_of_a_model_is_told() {
        let prices = Some(ModelPrices { input: 1, output: 2, cached: None });
        let listed = ModelSummary {
            name: Some("The M".into()),
            context_length: Some(8_192),
            sees_images: Some(true),
            prices,
            ..ModelSummary::named("m")
        };
        let known = known(vec![ModelGroup { models: vec![listed], ..group("browser/ollama", Standing::Here, &[]) }]);
        let expected = ChosenModel {
            choice: choice("browser/ollama/m"),
            label: "The M".into(),
            format: Some(ProviderFormat::OpenAi),
            context_tokens: Some(8_192),
            sees_images: true,
            prices,
            trouble: None,
        };
        assert_eq!(known.chosen([Some(&choice("browser/ollama/m"))]), Some(expected));
    }

    #[test]
    fn a_model_is_called_by_its_name_where_that_is_clear() {
        let named = |place: &str, name: &str| ModelGroup {
            models: vec![ModelSummary { name: Some(name.into()), ..ModelSummary::named("m") }],
            ..group(place, Standing::Here, &[])
        };
        assert_eq!(known(vec![named("browser/a", "The M")]).name_of("m"), Some("The M"));
        assert_eq!(known(vec![named("browser/a", "The M"), named("browser/b", "Another")]).name_of("m"), None);
        assert_eq!(known(vec![group("browser/a", Standing::Here, &["m"])]).name_of("m"), Some("m"));
        assert_eq!(known(vec![]).name_of("m"), None);
    }

    #[test]
    fn who_is_waited_for_is_known() {
        let places = known(vec![
            group("server/p", Standing::Asked, &[]),
            group("browser/e", Standing::Asked, &[]),
            group("browser/f", Standing::Here, &["m"]),
        ]);
        let told = |wanted: Option<&str>| {
            let wanted = wanted.map(choice);
            places.awaited(wanted.as_ref()).map(|place| format!("{place:?}")).collect::<Vec<_>>().len()
        };
        assert_eq!((told(None), told(Some("server/p/m")), told(Some("browser/f/m"))), (2, 1, 0));
    }

    #[test]
    fn a_name_can_say_that_a_model_sees() {
        let check = |model: &str, format, expected| assert_eq!(is_known_to_see(model, format), expected, "{model}");
        check("openai/GPT-4o-mini", None, true);
        check("qwen2.5-vl-7b", None, true);
        check("some-model", Some(ProviderFormat::Anthropic), true);
        check("smollm2-135m", Some(ProviderFormat::OpenAi), false);
    }

    #[test]
    fn an_older_list_is_of_use_until_the_new_one_is_there() {
        let older = known(vec![group("server/p", Standing::Here, &["m"]), group("server/q", Standing::Here, &["n"])]);
        let mut newer =
            known(vec![group("server/p", Standing::Asked, &[]), group("browser/e", Standing::Here, &["o"])]);
        newer.remember(&older);
        assert_eq!(newer.groups[0].models, older.groups[0].models);
        assert_eq!(newer.groups[1].models, [ModelSummary::named("o")]);
        assert!(known(vec![]).is_empty() && !newer.is_empty() && !KnownModels::default().is_empty());
        assert!(!known(vec![group("server/p", Standing::Asked, &[])]).is_empty());
    }
}
