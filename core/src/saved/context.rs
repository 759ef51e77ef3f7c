//! How much of a model's context tools take, and when that is much.

use serde::Serialize;

/// What tools may take where nobody knows how much the model takes in all.
pub const BUDGET_TOKENS: u64 = 10_000;

/// Of a model that is known, tools may take this part: one in so many.
const PART: u64 = 4;

/// An estimate, alone and beside all that there is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextShare {
    /// Tokens.
    pub tokens: u64,
    /// The part of all tools that are known, between 0 and 1; none where there are none.
    pub percent_total: Option<f64>,
}

impl ContextShare {
    /// So many tokens of so many.
    #[must_use]
    pub fn of(tokens: u64, total: u64) -> Self {
        // Thousandths are told, which a float holds.
        let thousandths = (tokens * 1_000).checked_div(total).map(|part| u32::try_from(part).unwrap_or(1_000));
        Self { tokens, percent_total: thousandths.map(|part| f64::from(part) / 1_000.0) }
    }
}

/// What is said where tools take more than they should. `context_tokens` is what the model takes in all, where that is known.
#[must_use]
pub fn budget_warning(tokens: u64, context_tokens: Option<u64>) -> Option<String> {
    let budget = context_tokens.map_or(BUDGET_TOKENS, |whole| whole / PART);
    (tokens > budget).then(|| {
        let of = match context_tokens {
            Some(whole) => format!("a quarter of the model's {whole}"),
            None => format!("{budget}"),
        };
        format!("Context budget: these tools take about {tokens} tokens of every request, more than {of}; choose fewer")
    })
}
