//! Which paths a bundle may have, one by one and beside one another.
//!
//! The files never meet a file system on this device, but an exported bundle meets one elsewhere, and `toolset/../../x` must mean
//! the same on all of them: nothing.

use std::collections::BTreeMap;

use super::BundleLimits;

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is nothing between two slashes, or nothing at all.
    #[error("a path with an empty name in it: {0:?}")]
    EmptyName(String),
    /// It climbs (`..`), which on extraction would write beside the target ("zip slip"), or stands still (`.`).
    #[error("a path that leaves the bundle by \".\" or \"..\": {0:?}")]
    Escapes(String),
    /// It begins at the root of a file system.
    #[error("an absolute path: {0:?}")]
    Absolute(String),
    /// It names a drive or a stream of Windows.
    #[error("a path with a drive letter or a colon: {0:?}")]
    Drive(String),
    /// A backslash divides folders on Windows and is a letter elsewhere.
    #[error("a path with a backslash: {0:?}")]
    Backslash(String),
    /// A NUL ends a path early for the programs that take it as an end; other control characters hide parts of it.
    #[error("a path with a NUL or another control character: {0:?}")]
    Control(String),
    /// It is not text.
    #[error("a path that is not UTF-8: {0:?}")]
    NotText(String),
    /// It is too long.
    #[error("a path of {chars} characters, and the limit is {limit}: {path:?}")]
    TooLong {
        /// How it begins.
        path: String,
        /// How long it is.
        chars: usize,
        /// How long it may be.
        limit: usize,
    },
    /// It is too deep.
    #[error("a path of {depth} names, and the limit is {limit}: {path:?}")]
    TooDeep {
        /// How it begins.
        path: String,
        /// How deep it is.
        depth: usize,
        /// How deep it may be.
        limit: usize,
    },
    /// Two entries have this path, and readers differ in which they take.
    #[error("the same path twice: {0:?}")]
    Duplicate(String),
    /// Two paths are one where case does not count.
    #[error("two paths that differ only in case: {0:?} and {1:?}")]
    CaseCollision(String, String),
    /// One path is a file and a folder.
    #[error("a path that is both a file and a folder: {0:?}")]
    FileAndFolder(String),
}

impl PathError {
    /// The path, or how it begins; of two the first.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::EmptyName(path)
            | Self::Escapes(path)
            | Self::Absolute(path)
            | Self::Drive(path)
            | Self::Backslash(path)
            | Self::Control(path)
            | Self::NotText(path)
            | Self::TooLong { path, .. }
            | Self::TooDeep { path, .. }
            | Self::Duplicate(path)
            | Self::CaseCollision(path, _)
            | Self::FileAndFolder(path) => path,
        }
    }
}

/// Checks one path; a folder's ends with `/`.
pub(super) fn check(path: &str, limits: &BundleLimits) -> Result<(), PathError> {
    let shown = || path.chars().take(120).collect::<String>();
    let chars = path.chars().count();
    if chars > limits.path_chars {
        return Err(PathError::TooLong { path: shown(), chars, limit: limits.path_chars });
    }
    if path.chars().any(char::is_control) {
        return Err(PathError::Control(shown()));
    }
    if path.contains('\\') {
        return Err(PathError::Backslash(shown()));
    }
    if path.starts_with('/') {
        return Err(PathError::Absolute(shown()));
    }
    if path.contains(':') {
        return Err(PathError::Drive(shown()));
    }
    let names: Vec<&str> = path.strip_suffix('/').unwrap_or(path).split('/').collect();
    if names.iter().any(|name| matches!(*name, "." | "..")) {
        return Err(PathError::Escapes(shown()));
    }
    if names.iter().any(|name| name.is_empty()) {
        return Err(PathError::EmptyName(shown()));
    }
    if names.len() > limits.path_depth {
        return Err(PathError::TooDeep { path: shown(), depth: names.len(), limit: limits.path_depth });
    }
    Ok(())
}

/// The files and folders seen so far, to find those that cannot be beside one another.
#[derive(Default)]
pub(super) struct Neighbours {
    /// By the path in lower case: how it was spelled, and whether it is a file.
    seen: BTreeMap<String, (String, bool)>,
}

impl Neighbours {
    /// Takes a checked path in.
    pub(super) fn add(&mut self, path: &str) -> Result<(), PathError> {
        let (path, is_file) = match path.strip_suffix('/') {
            Some(folder) => (folder, false),
            None => (path, true),
        };
        for (end, _) in path.match_indices('/') {
            self.insert(&path[..end], false)?;
        }
        self.insert(path, is_file)
    }

    fn insert(&mut self, path: &str, is_file: bool) -> Result<(), PathError> {
        match self.seen.get(&path.to_lowercase()) {
            None => {
                self.seen.insert(path.to_lowercase(), (path.into(), is_file));
                Ok(())
            }
            Some((other, _)) if other != path => Err(PathError::CaseCollision(other.clone(), path.into())),
            Some((_, was_file)) if *was_file != is_file => Err(PathError::FileAndFolder(path.into())),
            Some(_) if is_file => Err(PathError::Duplicate(path.into())),
            Some(_) => Ok(()),
        }
    }
}

/// Whether a system or a tool left this behind: nobody means it to be part of a bundle.
pub(super) fn is_left_behind(path: &str) -> bool {
    path.split('/').any(|name| matches!(name, "__MACOSX" | ".DS_Store" | ".git" | "__pycache__"))
}

/// The one folder that everything is in, with its slash, where a folder was packed as a whole.
pub(super) fn common_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = paths.next()?;
    let folder = &first[..=first.find('/')?];
    paths.all(|path| path.starts_with(folder)).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F19, R060
    #[test]
    fn paths_that_are_refused_say_why() {
        let check = |path: &str, expected: &str| {
            let error = check(path, &BundleLimits::default()).expect_err("is refused");
            assert_eq!(error.to_string(), expected);
        };
        check("../x", r#"a path that leaves the bundle by "." or "..": "../x""#);
        check("a/../../x", r#"a path that leaves the bundle by "." or "..": "a/../../x""#);
        check("/etc/passwd", r#"an absolute path: "/etc/passwd""#);
        check("C:/x", r#"a path with a drive letter or a colon: "C:/x""#);
        check("a\\..\\x", r#"a path with a backslash: "a\\..\\x""#);
        check("a.py\0.txt", r#"a path with a NUL or another control character: "a.py\0.txt""#);
        check("a//b", r#"a path with an empty name in it: "a//b""#);
        check("", r#"a path with an empty name in it: """#);
        let long = "a".repeat(241);
        check(&long, &format!("a path of 241 characters, and the limit is 240: {:?}", &long[..120]));
        check(&"a/".repeat(17), &format!("a path of 17 names, and the limit is 16: {:?}", "a/".repeat(17)));
    }

    #[test]
    fn neighbours_that_are_refused_say_why() {
        let check = |paths: [&str; 2], expected: &str| {
            let mut neighbours = Neighbours::default();
            let error = paths.iter().try_for_each(|path| neighbours.add(path)).expect_err("is refused");
            assert_eq!(error.to_string(), expected);
        };
        check(["a/x", "a/x"], r#"the same path twice: "a/x""#);
        check(["a/x", "a/X"], r#"two paths that differ only in case: "a/x" and "a/X""#);
        check(["a/x", "A/y"], r#"two paths that differ only in case: "a" and "A""#);
        check(["a", "a/x"], r#"a path that is both a file and a folder: "a""#);
        let mut neighbours = Neighbours::default();
        assert_eq!(["a/", "a/x", "a/y"].iter().try_for_each(|path| neighbours.add(path)), Ok(()));
    }

    #[test]
    fn one_folder_around_everything_is_found() {
        assert_eq!(common_folder(["a/x", "a/b/y"].into_iter()), Some("a/"));
        assert_eq!(common_folder(["a/x", "ab/y"].into_iter()), None);
        assert_eq!(common_folder(["a/x", "y"].into_iter()), None);
        assert_eq!(common_folder(std::iter::empty()), None);
    }
}
