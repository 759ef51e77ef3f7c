//! What the tools interface calls toolsets and tools: a slug, and a version that is only a label (C03, C04).

use crate::text_id::text_id;

/// How many characters a slug or a version may have. Characters, not bytes.
const MOST: usize = 64;

/// Why something is no slug or version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {kind}, which has 1 to {MOST} letters, digits and {marks}")]
pub struct SlugError {
    kind: &'static str,
    marks: &'static str,
    text: String,
}

text_id! {
    /// A name of letters and digits of any script, and `-`. Upper and lower case are different.
    Slug, SlugError
}

text_id! {
    /// A version of a tool: an opaque label, never ordered.
    VersionLabel, SlugError
}

impl Slug {
    /// Reads a slug and says what is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, SlugError> {
        read(text.into(), "slug", "\"-\"", &['-']).map(Self)
    }

    /// The slug of a toolset or tool: its id, with `-` for `_`.
    #[must_use]
    pub fn of_id(id: &str) -> Self {
        Self(id.replace('_', "-"))
    }
}

impl VersionLabel {
    /// Reads a version and says what is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, SlugError> {
        read(text.into(), "version", "\"-\" and \".\"", &['-', '.']).map(Self)
    }
}

fn read(text: String, kind: &'static str, marks: &'static str, allowed: &[char]) -> Result<String, SlugError> {
    let fits = (1..=MOST).contains(&text.chars().count());
    if fits && text.chars().all(|letter| letter.is_alphanumeric() || allowed.contains(&letter)) {
        return Ok(text);
    }
    Err(SlugError { kind, marks, text: text.chars().take(80).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEITHER: [&str; 10] = ["", "a_b", "a b", "a/b", "a\\b", "a\tb", "a\u{0}", "a+b", "a:b", "a\u{2013}b"];

    /// R021, R023, C03
    #[test]
    fn slugs_have_letters_digits_and_hyphens() {
        for slug in ["a", "read-file", "2-3", "Größe", "読む", &"é".repeat(64)] {
            assert_eq!(Slug::parse(slug).expect("is one").as_str(), slug);
        }
        for text in NEITHER.into_iter().chain(["a.b", &"é".repeat(65)]) {
            assert!(Slug::parse(text).is_err(), "{text:?} was read");
        }
        assert_eq!(
            Slug::parse("a_b").expect_err("is none").to_string(),
            "\"a_b\" is not a slug, which has 1 to 64 letters, digits and \"-\""
        );
        assert_ne!(Slug::parse("Read"), Slug::parse("read"));
        let derived = Slug::of_id("analyze_data-2");
        assert_eq!(Slug::parse(derived.as_str()), Ok(derived.clone()));
        assert_eq!(derived.as_str(), "analyze-data-2");
    }

    /// R022, R023, C04
    #[test]
    fn versions_may_have_dots_too_and_mean_nothing() {
        for version in ["1", "1.0.0", "2024-spring", "v1.2-Größe", "..."] {
            assert_eq!(VersionLabel::parse(version).expect("is one").as_str(), version);
        }
        for text in NEITHER.into_iter().chain(["1.0+build", &"1".repeat(65)]) {
            assert!(VersionLabel::parse(text).is_err(), "{text:?} was read");
        }
    }
}
