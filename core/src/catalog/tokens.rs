//! How much of a model's context a tool takes: an estimate, the same everywhere and without a model's own tables.
//!
//! The rule is that of hypertool-mcp, so that numbers can be compared: name, description and the compact JSON of the schema are one text;
//! a word of it counts one up to three letters, a fifth of its letters up to seven, and a quarter of them beyond, rounded up.

use serde_json::Value;

/// The estimate for a tool's definition as a model is sent it.
#[must_use]
pub fn definition_tokens(name: &str, description: &str, input_schema: Option<&Value>) -> u64 {
    let schema = input_schema.map(ToString::to_string).unwrap_or_default();
    format!("{name} {description} {schema}").split_whitespace().map(word_tokens).sum()
}

fn word_tokens(word: &str) -> u64 {
    match word.chars().count() as u64 {
        0..=3 => 1,
        letters @ 4..=7 => letters.div_ceil(5),
        letters => letters.div_ceil(4),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_count_by_their_length() {
        let check = |text: &str, expected: u64| assert_eq!(definition_tokens(text, "", None), expected, "{text}");
        check("", 0);
        check("a to the", 3);
        check("file", 1);
        check("reading", 2);
        check("searched", 2);
        check("searching", 3);
        check("äöüäöü", 2);
        // {"type":"object"} has 17 letters.
        assert_eq!(definition_tokens("count", "Counts the lines", Some(&json!({"type": "object"}))), 1 + 2 + 1 + 1 + 5);
    }
}
