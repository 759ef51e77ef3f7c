//! Regular expressions. This is the only file that uses the crate for them.
//!
//! The engine has no backtracking: a match takes time linear in the text, times the size of the pattern, which is limited here.

use std::ops::Range;

use regex_lite::{Regex, RegexBuilder};

/// Bytes that a pattern may have as it is kept for matching, tried in this order: a short pattern such as `a{0,3000}` can be a large one, and the
/// crate tells no sizes.
const COMPILED_BYTES: [usize; 5] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// How deep the groups of a pattern may be in one another.
const NESTING: u32 = 50;

/// A pattern that can be matched.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    compiled_bytes: usize,
}

/// Whether upper and lower case are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// They are.
    Exact,
    /// They are not; this holds for the letters of ASCII.
    Ignored,
}

/// Why a pattern cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct PatternError(String);

impl Pattern {
    /// Reads a pattern.
    pub(crate) fn read(pattern: &str, case: Case) -> Result<Self, PatternError> {
        let mut builder = RegexBuilder::new(pattern);
        builder.case_insensitive(case == Case::Ignored).nest_limit(NESTING);
        let mut refused = PatternError(String::new());
        for compiled_bytes in COMPILED_BYTES {
            match builder.size_limit(compiled_bytes).build() {
                Ok(regex) => return Ok(Self { regex, compiled_bytes }),
                Err(error) => refused = PatternError(error.to_string()),
            }
        }
        Err(refused)
    }

    /// About how many bytes it has as it is kept for matching. Each byte of a text may be looked at for each of them.
    pub(crate) fn compiled_bytes(&self) -> usize {
        self.compiled_bytes
    }

    /// A pattern for a text that stands for itself.
    pub(crate) fn literal(text: &str, case: Case) -> Result<Self, PatternError> {
        Self::read(&escape(text), case)
    }

    /// Whether it matches anywhere in a text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Where it first matches.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.regex.find(text).map(|found| found.range())
    }
}

/// A text as a pattern that matches nothing else.
pub(crate) fn escape(text: &str) -> String {
    regex_lite::escape(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_bounded() {
        assert!(Pattern::read("(a+)+b", Case::Exact).is_ok());
        for wrong in ["(", "a{2}{3}{1000}{1000}", &"(".repeat(60), r"(a)\1"] {
            assert!(Pattern::read(wrong, Case::Exact).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_short_pattern_can_be_a_large_one() {
        let check = |pattern: &str, expected: usize| {
            let read = Pattern::read(pattern, Case::Exact).expect("is a pattern");
            assert_eq!(read.compiled_bytes(), expected, "{pattern}");
        };
        check(r"^\d{4}-\d\d-\d\d$", 1 << 10);
        check("^[a-z][a-z0-9-]{0,62}$", 16 << 10);
        check("a{0,3000}b", 256 << 10);
    }

    #[test]
    fn a_literal_stands_for_itself() {
        let literal = Pattern::literal("a.(b", Case::Ignored).expect("is a pattern");
        assert_eq!(literal.find("xxA.(Bx"), Some(2..6));
        assert!(!literal.is_match("axxb"));
    }
}
