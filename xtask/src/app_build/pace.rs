//! How much is done to make the app small: everything for what is shipped and tested, little for trying a change.

use std::env;
use std::ffi::OsStr;
use std::process::Command;

/// What is worth more, by `SATCHEL_BUILD`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// Small files.
    Small,
    /// A short wait: nothing is optimised over crates, made smaller or compressed.
    Quick,
}

/// What makes cargo quick with the profile `page`.
const QUICK_PROFILE: [(&str, &str); 4] = [
    ("CARGO_PROFILE_PAGE_LTO", "off"),
    ("CARGO_PROFILE_PAGE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_PAGE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_PAGE_INCREMENTAL", "true"),
];

impl Pace {
    /// Reads the environment; a word that is not known counts as not set.
    pub(crate) fn from_environment() -> Self {
        Self::parse(env::var_os("SATCHEL_BUILD").as_deref())
    }

    fn parse(value: Option<&OsStr>) -> Self {
        match value.and_then(OsStr::to_str) {
            Some("quick") => Self::Quick,
            _ => Self::Small,
        }
    }

    /// What tells builds of different pace apart.
    pub(super) fn identity(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Quick => "quick",
        }
    }

    /// Lets a command that runs cargo know.
    pub(super) fn apply_to(self, command: &mut Command) {
        match self {
            Self::Small => {}
            Self::Quick => {
                command.envs(QUICK_PROFILE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_quick_makes_a_build_quick() {
        assert_eq!(Pace::parse(None), Pace::Small);
        assert_eq!(Pace::parse(Some(OsStr::new(""))), Pace::Small);
        assert_eq!(Pace::parse(Some(OsStr::new("fast"))), Pace::Small);
        assert_eq!(Pace::parse(Some(OsStr::new("quick"))), Pace::Quick);
    }
}
