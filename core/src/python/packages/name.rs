//! The names of Python packages, as PEP 503 compares them: `Zope.Interface` and `zope-interface` are one.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A name in its normal form: lower case, with single dashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PackageName(String);

/// A text that should have been a [`PackageName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the name of a Python package")]
pub struct PackageNameError(String);

impl PackageName {
    /// Reads a name in any of its spellings.
    pub fn parse(text: &str) -> Result<Self, PackageNameError> {
        const LONGEST: usize = 100;
        let is_edge = |char: char| char.is_ascii_alphanumeric();
        let is_good = text.len() <= LONGEST
            && text.starts_with(is_edge)
            && text.ends_with(is_edge)
            && text.chars().all(|char| is_edge(char) || is_separator(char));
        if !is_good {
            return Err(PackageNameError(text.chars().take(LONGEST).collect()));
        }
        let words = text.split(is_separator).filter(|word| !word.is_empty());
        Ok(Self(words.collect::<Vec<_>>().join("-").to_ascii_lowercase()))
    }

    /// The normal form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_separator(char: char) -> bool {
    matches!(char, '-' | '_' | '.')
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for PackageName {
    type Error = PackageNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<PackageName> for String {
    fn from(name: PackageName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_one() {
        let check = |text: &str, expected: &str| {
            assert_eq!(PackageName::parse(text).expect("is a name").as_str(), expected);
        };
        check("attrs", "attrs");
        check("Zope.Interface", "zope-interface");
        check("a__b-.c", "a-b-c");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "-a", "a-", "a b", "a/b", "é", &"a".repeat(101)] {
            assert!(PackageName::parse(text).is_err(), "{text}");
        }
    }
}
