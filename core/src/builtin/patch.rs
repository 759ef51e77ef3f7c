//! Unified diffs: what one says.
//!
//! It is read with care and some patience, because models write it: the numbers of a hunk only say where to look first, and a hunk without
//! numbers is looked for everywhere. What is to be removed or to stand around a change must be there to the letter, at some line; there is
//! no fuzz, because a change in the wrong place is worse than none.

mod apply;
mod parse;

pub use apply::HunkFault;
pub(super) use apply::apply;
pub use parse::PatchFault;
pub(super) use parse::parse;

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The file before; none where it is made.
    pub(super) old: Option<String>,
    /// The file after; none where it goes.
    pub(super) new: Option<String>,
    /// Its hunks, from the front.
    pub(super) hunks: Vec<Hunk>,
}

/// One place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line of the patch it begins at, from 1.
    pub(super) at: usize,
    /// The line of the file it is said to begin at, from 0; none where it does not say.
    pub(super) start: Option<usize>,
    pub(super) lines: Vec<HunkLine>,
}

/// A line of a hunk, without what ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HunkLine {
    pub(super) mark: Mark,
    pub(super) text: String,
    /// Whether the file ends with it, without a line break.
    pub(super) is_open: bool,
}

/// What a line of a hunk means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It is there, and stays.
    Context,
    /// It is there, and goes.
    Remove,
    /// It comes.
    Add,
}

impl Hunk {
    pub(super) fn count(&self, mark: Mark) -> usize {
        self.lines.iter().filter(|line| line.mark == mark).count()
    }
}
