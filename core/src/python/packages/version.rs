//! Versions of Python packages and what a requirement says about them (PEP 440). This is the only file that uses `pep440_rs`.

use std::fmt;
use std::str::FromStr as _;

/// A version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pep440_rs::Version);

/// What a version has to be, such as `>=2,<3`; empty means any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specifiers(pep440_rs::VersionSpecifiers);

/// A text that should have been a version or a specifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a version of a Python package")]
pub struct VersionError(String);

impl Version {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        pep440_rs::Version::from_str(text).map(Self).map_err(|_unreadable| error(text))
    }

    /// Whether it comes before a release and is only taken when asked for.
    #[must_use]
    pub fn is_pre_release(&self) -> bool {
        self.0.any_prerelease()
    }
}

impl Specifiers {
    /// Reads a list of them, separated by commas.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        pep440_rs::VersionSpecifiers::from_str(text).map(Self).map_err(|_unreadable| error(text))
    }

    /// Those that allow every version.
    #[must_use]
    pub fn any() -> Self {
        Self(pep440_rs::VersionSpecifiers::empty())
    }

    /// Whether any version will do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a version will do.
    #[must_use]
    pub fn allow(&self, version: &Version) -> bool {
        self.0.contains(&version.0)
    }

    /// Whether they name a pre-release, and so ask for them.
    #[must_use]
    pub fn ask_for_pre_releases(&self) -> bool {
        self.0.iter().any(|one| one.any_prerelease())
    }
}

fn error(text: &str) -> VersionError {
    VersionError(text.chars().take(100).collect())
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Specifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).expect("is a version")
    }

    #[test]
    fn versions_are_ordered_as_python_orders_them() {
        let sorted = ["1.0.dev1", "1.0a1", "1.0rc1", "1.0", "1.0.post1", "1.9", "1.10", "1!0.1"];
        for pair in sorted.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
        assert_eq!(version("1.0"), version("v1.0.0"));
    }

    #[test]
    fn specifiers_allow() {
        let check = |specifiers: &str, of: &str, expected: bool| {
            let read = Specifiers::parse(specifiers).expect("are specifiers");
            assert_eq!(read.allow(&version(of)), expected, "{specifiers} {of}");
        };
        check("", "1", true);
        check(">=2,<3", "2.4", true);
        check(">=2,<3", "3.0", false);
        check("~=1.4", "1.9", true);
        check("~=1.4", "2.0", false);
        check("==1.2.*", "1.2.7", true);
        check("!=1.2", "1.2.0", false);
        assert!(Specifiers::parse("newest").is_err());
    }
}
