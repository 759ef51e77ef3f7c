//! What an answer costs, where its provider says what a token does (R312).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Usage;
use crate::protocol::ModelPrices;

/// An amount of money, in millionths of millionths of a US dollar: what a token costs is a whole number of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cost(u64);

impl ModelPrices {
    /// What so many tokens cost.
    #[must_use]
    pub fn cost(self, input_tokens: u64, output_tokens: u64) -> Cost {
        let (input, output) = (self.input.saturating_mul(input_tokens), self.output.saturating_mul(output_tokens));
        Cost(input.saturating_add(output))
    }

    /// What an answer cost, as its provider has counted it; nothing where that is not known whole. What the provider still had is
    /// reckoned at its own price, or, where none is told, like the rest: rather too much than too little.
    #[must_use]
    pub fn cost_of(self, usage: Usage) -> Option<Cost> {
        let (input, output) = (usage.input_tokens?, usage.output_tokens?);
        let cached = usage.cached_tokens.unwrap_or(0).min(input);
        let of_cached = self.cached.unwrap_or(self.input).saturating_mul(cached);
        Some(self.cost(input - cached, output).plus(Cost(of_cached)))
    }
}

impl Cost {
    /// One and another.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// In dollars, with as many digits as say something: `$0.0012`, `$3.40`.
impl fmt::Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TEN_THOUSANDTH: u64 = 100_000_000;
        let rounded = self.0.saturating_add(TEN_THOUSANDTH / 2) / TEN_THOUSANDTH;
        match rounded {
            0 if self.0 == 0 => out.write_str("$0"),
            0 => out.write_str("under $0.0001"),
            1..1_000 => write!(out, "$0.{rounded:04}"),
            _ => {
                let cents = (rounded + 50) / 100;
                write!(out, "${}.{:02}", cents / 100, cents % 100)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R312
    #[test]
    fn tokens_have_their_price() {
        let prices = ModelPrices { input: 3_000_000, output: 15_000_000, cached: None };
        let check =
            |input, output, expected: &str| assert_eq!(prices.cost(input, output).to_string(), expected, "{input}");
        check(0, 0, "$0");
        check(1, 0, "under $0.0001");
        check(200, 40, "$0.0012");
        check(30_000, 1_000, "$0.11");
        check(1_000_000, 26_667, "$3.40");
        check(u64::MAX, 1, "$18446744.07");
        assert_eq!(prices.cost(100, 0).plus(prices.cost(0, 40)), prices.cost(100, 40));
    }

    /// R312
    #[test]
    fn what_the_provider_still_had_has_its_own_price() {
        let prices = ModelPrices { input: 3_000_000, output: 15_000_000, cached: Some(300_000) };
        let usage = Usage { input_tokens: Some(1_000), cached_tokens: Some(900), output_tokens: Some(10) };
        let whole = |millionths: u64| Some(Cost(millionths * 1_000_000));
        assert_eq!(prices.cost_of(usage), whole(100 * 3 + 270 + 10 * 15));
        assert_eq!(ModelPrices { cached: None, ..prices }.cost_of(usage), whole(1_000 * 3 + 10 * 15));
        assert_eq!(prices.cost_of(Usage { cached_tokens: Some(5_000), ..usage }), whole(300 + 10 * 15));
        assert_eq!(prices.cost_of(Usage { output_tokens: None, ..usage }), None);
    }
}
