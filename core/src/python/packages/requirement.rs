//! A requirement, as a manifest or a wheel writes it: `attrs`, `numpy>=2`, `requests[socks]>=2 ; python_version < "4"`.

use std::fmt;

use super::marker::Marker;
use super::name::{PackageName, PackageNameError};
use super::version::{Specifiers, VersionError};

/// What is required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The package.
    pub name: PackageName,
    /// The parts of it that are not always wanted.
    pub extras: Vec<String>,
    /// Which versions will do.
    pub specifiers: Specifiers,
    /// Whether it names an address to get the package from. None is ever fetched: that would be a way around the user's source.
    pub has_address: bool,
    marker: Option<Marker>,
}

/// A text that should have been a [`Requirement`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequirementError {
    /// It does not begin with a name.
    #[error(transparent)]
    Name(#[from] PackageNameError),
    /// What follows the name is not about versions.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// Its brackets are not closed.
    #[error("the extras of {0:?} are not closed by \"]\"")]
    Extras(String),
    /// Its condition makes no sense.
    #[error("the condition after \";\" of {0:?} makes no sense")]
    Marker(String),
}

impl Requirement {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Self, RequirementError> {
        let shown = || text.chars().take(100).collect::<String>();
        let (what, marker) = match text.split_once(';') {
            Some((what, marker)) => {
                (what, Some(Marker::parse(marker).ok_or_else(|| RequirementError::Marker(shown()))?))
            }
            None => (text, None),
        };
        let what = what.trim();
        let is_of_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
        let (name, rest) = what.split_at(what.find(|char| !is_of_name(char)).unwrap_or(what.len()));
        let name = PackageName::parse(name)?;
        let rest = rest.trim();
        let (extras, rest) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (extras, rest) = rest.split_once(']').ok_or_else(|| RequirementError::Extras(shown()))?;
                let extras = extras.split(',').map(str::trim).filter(|extra| !extra.is_empty());
                (extras.map(str::to_owned).collect(), rest.trim())
            }
            None => (Vec::new(), rest),
        };
        let has_address = rest.starts_with('@');
        let versions = if has_address { "" } else { rest };
        // Wheels of old have brackets around them.
        let versions = versions.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(versions);
        Ok(Self { name, extras, specifiers: Specifiers::parse(versions.trim())?, has_address, marker })
    }

    /// One that any version of a package meets.
    pub(super) fn any(name: PackageName) -> Self {
        let specifiers = Specifiers::any();
        Self { name, extras: Vec::new(), specifiers, has_address: false, marker: None }
    }

    /// Whether it holds in the cage, when these extras of whoever requires it are wanted.
    #[must_use]
    pub fn applies(&self, extras: &[String]) -> bool {
        self.marker.as_ref().is_none_or(|marker| marker.holds(extras))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.specifiers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read() {
        let check = |text: &str, expected: (&str, &[&str], &str, bool)| {
            let read = Requirement::parse(text).expect("is a requirement");
            let extras: Vec<&str> = read.extras.iter().map(String::as_str).collect();
            let found = (read.name.as_str(), extras.as_slice(), read.specifiers.to_string(), read.has_address);
            assert_eq!(found, (expected.0, expected.1, expected.2.to_owned(), expected.3), "{text}");
        };
        check("attrs", ("attrs", &[], "", false));
        check("numpy>=2", ("numpy", &[], ">=2", false));
        check("Foo.Bar ~= 1.4, !=1.5", ("foo-bar", &[], "~=1.4, !=1.5", false));
        check("requests[socks, use-idna] (>=2.0)", ("requests", &["socks", "use-idna"], ">=2.0", false));
        check("x @ https://example.com/x.whl ; os_name == 'posix'", ("x", &[], "", true));
    }

    #[test]
    fn the_condition_is_of_this_environment() {
        let applies = |text: &str| Requirement::parse(text).expect("is a requirement").applies(&[]);
        assert!(applies("colorama>=0.4 ; sys_platform == 'emscripten'"));
        assert!(!applies("colorama>=0.4 ; sys_platform == 'win32'"));
    }

    #[test]
    fn what_is_none_is_refused_with_a_sentence() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Requirement::parse(text).expect_err("is refused").to_string(), expected);
        };
        check("", "\"\" is not the name of a Python package");
        check("a>=newest", "\">=newest\" is not a version of a Python package");
        check("a[b", "the extras of \"a[b\" are not closed by \"]\"");
        check("a; nonsense", "the condition after \";\" of \"a; nonsense\" makes no sense");
    }
}
