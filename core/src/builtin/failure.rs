//! Why a built-in tool could not do what it was asked: a sentence that says what to do instead.

use super::patch::{HunkFault, PatchFault};
use crate::counted::counted;
use crate::record::ErrorKind;
use crate::store::StoreError;
use crate::workspace::{MoveError, PathError, WorkspacePath};

/// What a built-in tool fails with. Nothing is changed then.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The arguments cannot be read although they fit the schema.
    #[error("the arguments cannot be used: {0}")]
    Arguments(String),
    /// A path is none.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A path that no workspace keeps.
    #[error("\"{0}\" is a by-product of Python, which no workspace keeps; choose another name")]
    LeftOut(WorkspacePath),
    /// There is no such file or folder.
    #[error("there is no file \"{path}\" in this workspace{}", hint(.near))]
    NotFound {
        /// The path.
        path: WorkspacePath,
        /// Files whose paths are alike.
        near: Vec<String>,
    },
    /// There is no such folder.
    #[error("there is no folder \"{path}\" in this workspace{}", hint(.near))]
    NoFolder {
        /// The path.
        path: WorkspacePath,
        /// Folders whose paths are alike.
        near: Vec<String>,
    },
    /// A folder is where a file is wanted.
    #[error("\"{path}\" is a folder of {}; name a file in it, or list it", counted(*.files, "file"))]
    IsFolder {
        /// The path.
        path: WorkspacePath,
        /// How many files are in it.
        files: usize,
    },
    /// A folder would go with everything in it.
    #[error("\"{path}\" is a folder of {}; ask with \"recursive\": true to delete it with all of them", counted(*.files, "file"))]
    FolderStays {
        /// The path.
        path: WorkspacePath,
        /// How many files are in it.
        files: usize,
    },
    /// A file is there already.
    #[error("\"{path}\" already exists, with {size} bytes; ask with \"overwrite\": true to replace it")]
    Exists {
        /// The path.
        path: WorkspacePath,
        /// Its size.
        size: u64,
    },
    /// Something cannot be moved.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A file is no text.
    #[error("\"{path}\" is not text ({kind}, {size} bytes); read_file and file_info say what is in it")]
    NotText {
        /// The path.
        path: WorkspacePath,
        /// What it is.
        kind: &'static str,
        /// Its size.
        size: u64,
    },
    /// A text is larger than is worked on.
    #[error("\"{path}\" has {size} bytes, and this tool works on text of at most {limit} bytes")]
    TooLarge {
        /// The path.
        path: WorkspacePath,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The lines that are asked for are not there.
    #[error("\"{path}\" has {}, and line {asked} was asked for", counted(*.lines, "line"))]
    NoSuchLine {
        /// The path.
        path: WorkspacePath,
        /// How many lines there are.
        lines: usize,
        /// Which was asked for.
        asked: usize,
    },
    /// A pattern of names cannot be read.
    #[error("the pattern {pattern:?} cannot be read: {why}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// The text to be replaced is not there.
    #[error("old_string is not in \"{path}\"{hint}")]
    NoOldString {
        /// The path.
        path: WorkspacePath,
        /// What comes nearest.
        hint: String,
    },
    /// The text to be replaced is there more than once.
    #[error(
        "old_string occurs {count} times in \"{path}\" ({}); add lines around it until it is there once, or ask with \"replace_all\": true",
        lines_at(.lines, *.count)
    )]
    NotUnique {
        /// The path.
        path: WorkspacePath,
        /// How often.
        count: usize,
        /// In which lines, as far as they are told.
        lines: Vec<usize>,
    },
    /// Nothing would change.
    #[error("old_string and new_string are the same; nothing would change")]
    SameStrings,
    /// A patch cannot be read.
    #[error("the patch cannot be read: {0}")]
    Patch(PatchFault),
    /// A hunk of a patch does not fit.
    #[error(
        "hunk {number} of \"{path}\" (line {line} of the patch) does not apply: {fault}; read the file and write the hunk again"
    )]
    Hunk {
        /// The file.
        path: WorkspacePath,
        /// Which hunk of it, from 1.
        number: usize,
        /// Where it is in the patch.
        line: usize,
        /// Why.
        fault: HunkFault,
    },
    /// A patch makes a file that is there.
    #[error("the patch creates \"{0}\", which already exists; change it, or delete it first")]
    PatchMakes(WorkspacePath),
    /// A patch deletes a file and leaves some of it.
    #[error("the patch deletes \"{0}\" and leaves lines of it; remove all of them, or change the file instead")]
    PatchLeaves(WorkspacePath),
    /// A file is no JSON.
    #[error("\"{path}\" is not JSON: {why}, in line {line}, column {column}")]
    NotJson {
        /// The path.
        path: WorkspacePath,
        /// Where, from 1.
        line: usize,
        /// Where in that line.
        column: usize,
        /// What is wrong.
        why: String,
    },
    /// The bytes of a file are damaged or gone.
    #[error("the bytes of \"{0}\" are damaged or not stored; run the storage check in Settings")]
    Damaged(WorkspacePath),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<PatchFault> for Failure {
    fn from(error: PatchFault) -> Self {
        Self::Patch(error)
    }
}

impl Failure {
    /// What kind of failure it is: arguments that could never do, or a state of the files in which they do not.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Arguments(_)
            | Self::Path(_)
            | Self::LeftOut(_)
            | Self::Pattern { .. }
            | Self::SameStrings
            | Self::Patch(_) => ErrorKind::InvalidArgs,
            Self::NotFound { .. }
            | Self::NoFolder { .. }
            | Self::IsFolder { .. }
            | Self::FolderStays { .. }
            | Self::Exists { .. }
            | Self::Move(_)
            | Self::NotText { .. }
            | Self::TooLarge { .. }
            | Self::NoSuchLine { .. }
            | Self::NoOldString { .. }
            | Self::NotUnique { .. }
            | Self::Hunk { .. }
            | Self::PatchMakes(_)
            | Self::PatchLeaves(_)
            | Self::NotJson { .. }
            | Self::Damaged(_)
            | Self::Store(_) => ErrorKind::Failed,
        }
    }
}

fn hint(near: &[String]) -> String {
    match near {
        [] => "; list_files and find_files say what is there".into(),
        [one] => format!("; did you mean \"{one}\"?"),
        [first @ .., last] => format!("; did you mean \"{}\" or \"{last}\"?", first.join("\", \"")),
    }
}

fn lines_at(lines: &[usize], count: usize) -> String {
    let told: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let more = if count > lines.len() { format!(" and {} more", count - lines.len()) } else { String::new() };
    format!("lines {}{more}", told.join(", "))
}
