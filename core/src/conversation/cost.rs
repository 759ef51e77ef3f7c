//! What the answers of a chat have cost together, as their providers counted when they were given (R312). Prices that change later change
//! nothing of it.

use super::AnswerMetadata;
use crate::model::Cost;
use crate::record::{Message, Role};

/// Tokens and money of some answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Answers that a model gave.
    pub answers: u64,
    /// Tokens that the models were sent.
    pub input_tokens: u64,
    /// Those of them that a provider still had.
    pub cached_tokens: u64,
    /// Tokens that they answered with.
    pub output_tokens: u64,
    /// Answers whose tokens nobody has counted.
    pub uncounted: u64,
    /// What the others cost, as far as prices were known; none where no price was.
    pub cost: Option<Cost>,
    /// Answers that were counted and whose price was not known.
    pub unpriced: u64,
}

impl Spent {
    /// What these messages have cost.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let answers = messages.into_iter().filter(|message| message.role == Role::Assistant).map(AnswerMetadata::of);
        // What a user has called by hand stands as an answer too, and no model gave it.
        answers.filter(|answer| answer.model.is_some()).fold(Self::default(), Self::with)
    }

    /// All tokens.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    fn with(mut self, answer: AnswerMetadata) -> Self {
        let usage = answer.usage;
        self.answers += 1;
        self.input_tokens = self.input_tokens.saturating_add(usage.input_tokens.unwrap_or(0));
        self.cached_tokens = self.cached_tokens.saturating_add(usage.cached_tokens.unwrap_or(0));
        self.output_tokens = self.output_tokens.saturating_add(usage.output_tokens.unwrap_or(0));
        match (usage.is_empty(), answer.cost) {
            (true, _) => self.uncounted += 1,
            (false, None) => self.unpriced += 1,
            (false, Some(cost)) => self.cost = Some(self.cost.unwrap_or_default().plus(cost)),
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::message;
    use super::*;
    use crate::model::Usage;
    use crate::protocol::ModelPrices;

    const PRICES: ModelPrices = ModelPrices { input: 3_000_000, output: 15_000_000, cached: None };

    fn answer(number: u32, usage: Usage, prices: Option<ModelPrices>) -> Message {
        let cost = prices.and_then(|prices| prices.cost_of(usage));
        let metadata = AnswerMetadata { model: Some("small".into()), usage, cost, ..AnswerMetadata::default() };
        Message { role: Role::Assistant, metadata: metadata.into_map(), ..message(number, None) }
    }

    fn counted(input: u64, output: u64) -> Usage {
        Usage { input_tokens: Some(input), cached_tokens: None, output_tokens: Some(output) }
    }

    /// R312
    #[test]
    fn answers_are_summed() {
        let by_hand = Message { role: Role::Assistant, ..message(5, None) };
        let messages = [
            message(1, None),
            answer(2, counted(200, 40), Some(PRICES)),
            answer(3, Usage { cached_tokens: Some(100), ..counted(300, 10) }, Some(PRICES)),
            answer(4, counted(5, 5), None),
            by_hand,
            answer(6, Usage::default(), Some(PRICES)),
        ];
        let expected = Spent {
            answers: 4,
            input_tokens: 505,
            cached_tokens: 100,
            output_tokens: 55,
            uncounted: 1,
            cost: Some(PRICES.cost(500, 50)),
            unpriced: 1,
        };
        assert_eq!(Spent::of(&messages), expected);
        assert_eq!(expected.tokens(), 560);
        assert_eq!(Spent::of(&messages[..1]), Spent::default());
    }

    /// R312: nothing is claimed of what nobody has said.
    #[test]
    fn no_price_is_not_a_price_of_nothing() {
        assert_eq!(Spent::of(&[answer(1, counted(5, 5), None)]).cost, None);
    }
}
