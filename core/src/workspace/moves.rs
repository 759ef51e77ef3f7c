//! Giving files other names.

use std::collections::BTreeSet;

use super::{Changes, Files, PathError, WorkspacePath};

/// Why something cannot be moved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// There is nothing to move.
    #[error("\"{0}\" no longer exists; it was renamed or deleted elsewhere")]
    Nothing(WorkspacePath),
    /// Something else has that name.
    #[error("\"{0}\" already exists; choose another name, or delete that one first")]
    Taken(WorkspacePath),
    /// A folder cannot be in itself.
    #[error("\"{to}\" is inside \"{from}\"; choose a place outside of it")]
    IntoItself {
        /// The folder.
        from: WorkspacePath,
        /// The place in it.
        to: WorkspacePath,
    },
    /// A path would not be one.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// The files at a path: the file itself, or everything in the folder.
pub fn files_at<'f>(
    files: &'f Files,
    at: &'f WorkspacePath,
) -> impl Iterator<Item = (&'f WorkspacePath, &'f super::FileEntry)> {
    files.iter().filter(move |(path, _)| *path == at || is_below(path, at))
}

/// The changes that move a file, or a folder with everything in it, to another path. The files at the two paths are enough.
pub fn rename(files: &Files, from: &WorkspacePath, to: &WorkspacePath) -> Result<Changes, MoveError> {
    if from == to {
        return Ok(Changes::default());
    }
    if is_below(to, from) {
        return Err(MoveError::IntoItself { from: from.clone(), to: to.clone() });
    }
    if files_at(files, to).next().is_some() {
        return Err(MoveError::Taken(to.clone()));
    }
    let mut changes = Changes::default().delete(from.clone());
    let mut moved = false;
    for (path, file) in files_at(files, from) {
        let rest = &path.as_str()[from.as_str().len()..];
        changes = changes.put(WorkspacePath::parse(format!("{to}{rest}"))?, *file);
        moved = true;
    }
    if moved { Ok(changes) } else { Err(MoveError::Nothing(from.clone())) }
}

/// This path, or where it is taken the first of `name 2.txt`, `name 3.txt` and so on that is not. The names of its folder are
/// those of [`names_beside`](super::names_beside): names that differ only by case count as taken.
pub fn free_path(names: &BTreeSet<String>, wanted: &WorkspacePath) -> Result<WorkspacePath, PathError> {
    let (mut path, mut number) = (wanted.clone(), 1);
    while names.contains(&path.name().to_lowercase()) {
        number += 1;
        path = WorkspacePath::parse(numbered(wanted, number))?;
    }
    Ok(path)
}

fn numbered(path: &WorkspacePath, number: u32) -> String {
    let folder = &path.as_str()[..path.as_str().len() - path.name().len()];
    match path.name().rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        Some((stem, ending)) => format!("{folder}{stem} {number}.{ending}"),
        None => format!("{path} {number}"),
    }
}

fn is_below(path: &WorkspacePath, folder: &WorkspacePath) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::fixtures::{self, built, file, path, trees};
    use crate::workspace::names_beside;

    fn files() -> Files {
        fixtures::files(&["notes.md", "src/a.py", "src/lib/b.py", "srcs"].map(|name| (name, name)))
    }

    #[test]
    fn a_file_and_a_folder_move_whole() {
        let moved = |from: &str, to: &str| rename(&files(), &path(from), &path(to)).expect("is fine");
        let one = Changes::default().delete(path("notes.md")).put(path("docs/notes.md"), file("notes.md"));
        assert_eq!(moved("notes.md", "docs/notes.md"), one);
        let folder = Changes::default()
            .delete(path("src"))
            .put(path("lib/src/a.py"), file("src/a.py"))
            .put(path("lib/src/lib/b.py"), file("src/lib/b.py"));
        assert_eq!(moved("src", "lib/src"), folder);
        assert!(moved("src", "src").is_empty());
    }

    #[test]
    fn a_move_that_cannot_be_says_why() {
        let check = |from: &str, to: &str, expected: &str| {
            assert_eq!(rename(&files(), &path(from), &path(to)).expect_err("is refused").to_string(), expected);
        };
        check("gone", "x", "\"gone\" no longer exists; it was renamed or deleted elsewhere");
        check("notes.md", "srcs", "\"srcs\" already exists; choose another name, or delete that one first");
        check("notes.md", "src", "\"src\" already exists; choose another name, or delete that one first");
        check("src", "src/lib/c", "\"src/lib/c\" is inside \"src\"; choose a place outside of it");
        let deep = vec!["d"; WorkspacePath::MAX_DEPTH].join("/");
        assert!(matches!(rename(&files(), &path("src"), &path(&deep)), Err(MoveError::Path(_))));
    }

    #[test]
    fn a_free_path_is_numbered_before_its_ending() {
        let check = |wanted: &str, expected: &str| {
            let snapshot = built(&files());
            let names = names_beside(&trees(&[&snapshot]), snapshot.root, &path(wanted)).expect("all trees are there");
            assert_eq!(free_path(&names, &path(wanted)).expect("is a path").as_str(), expected);
        };
        check("new.md", "new.md");
        check("notes.md", "notes 2.md");
        check("NOTES.md", "NOTES 2.md");
        check("src/a.py", "src/a 2.py");
        check("src/LIB", "src/LIB 2");
        check("elsewhere/a.py", "elsewhere/a.py");
        check("src", "src 2");
        check(".hidden", ".hidden");
        check("srcs", "srcs 2");
    }
}
