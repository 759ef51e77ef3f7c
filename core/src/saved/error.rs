//! Why something was not done with saved toolsets.

use crate::record::NoReference;

/// Most tools of a saved toolset.
pub(super) const MOST_TOOLS: usize = 100;

/// Why not. Each is a sentence for whoever asked, be it a person or a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// It cannot be called that (C11).
    #[error("a saved toolset's name has 2 to 50 lower-case letters, digits and \"-\"; {0:?} does not fit")]
    Name(String),
    /// There is one of that name.
    #[error("there is already a saved toolset {0:?}; choose another name, or delete that one first")]
    Exists(String),
    /// There is none of that name.
    #[error("there is no saved toolset {0:?}; list-saved-toolsets shows which there are")]
    NotFound(String),
    /// Nothing was chosen.
    #[error("a saved toolset needs at least one tool")]
    NoTools,
    /// Too much was chosen.
    #[error("a saved toolset has at most {MOST_TOOLS} tools, and these are {0}")]
    TooMany(usize),
    /// Some of the tools that were named are not there.
    #[error("nothing was saved: {}", .0.join("; "))]
    Unknown(Vec<String>),
    /// A name has no server in it.
    #[error("{0:?} is not written as \"server.tool\"")]
    Spelling(String),
    /// A reference names nothing (R028).
    #[error(transparent)]
    NoReference(#[from] NoReference),
    /// A text is too long.
    #[error("{what} has more than {most} characters")]
    TooLong {
        /// Which text.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// Nothing is equipped.
    #[error("no saved toolset is equipped; equip-toolset equips one")]
    NothingEquipped,
    /// The tool is not in the equipped saved toolset.
    #[error("{0:?} is not in the equipped saved toolset")]
    NotInIt(String),
    /// Nobody has said that it may go.
    #[error("{0:?} would be gone for good; send \"confirm\": true to delete it")]
    Unconfirmed(String),
    /// What was given makes no sense.
    #[error("the arguments are not valid: {0}")]
    Arguments(String),
    /// A file that is none of hypertool's.
    #[error("this is not a file of saved toolsets: {0}")]
    File(String),
}
