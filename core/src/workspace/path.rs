//! Where a file is in a workspace.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A path that stays in its workspace: names joined by `/`, none of which means another folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkspacePath(String);

/// Why a path is refused. Each kind of refusal is its own variant, because each has its own way out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is nothing.
    #[error("a path must not be empty; give the file a name")]
    Empty,
    /// It begins at the top of a disk.
    #[error(
        "{0:?} is an absolute path; write it from the workspace's top folder, without a leading \"/\" or drive letter"
    )]
    Absolute(String),
    /// It leads out of the workspace, or might.
    #[error("{0:?} contains \"..\", which may lead out of the workspace; write the folders by name")]
    Escaping(String),
    /// One of its names is `.`.
    #[error("{0:?} contains \".\" as a name; leave it out")]
    Dot(String),
    /// Two slashes follow each other, or one ends it.
    #[error("{0:?} has an empty name in it; use one \"/\" between names and none at the end")]
    EmptyName(String),
    /// It has a backslash, which is a separator elsewhere.
    #[error("{0:?} contains a backslash; use \"/\" between folders")]
    Backslash(String),
    /// It has a character that cannot be seen.
    #[error("{0:?} contains a control character; take it out of the name")]
    Control(String),
    /// It is longer than a path may be.
    #[error(
        "the path that begins with {path:?} has {length} characters; use at most {}",
        WorkspacePath::MAX_CHARACTERS
    )]
    TooLong {
        /// How it begins.
        path: String,
        /// How long it is.
        length: usize,
    },
    /// It is in too many folders.
    #[error("{path:?} is {depth} names deep; use at most {}", WorkspacePath::MAX_DEPTH)]
    TooDeep {
        /// The path.
        path: String,
        /// How deep it is.
        depth: usize,
    },
}

impl WorkspacePath {
    /// How many characters a path may have.
    pub const MAX_CHARACTERS: usize = 240;
    /// How many names a path may consist of.
    pub const MAX_DEPTH: usize = 16;

    /// Reads a path from outside and says what is wrong with it.
    pub fn parse(path: impl Into<String>) -> Result<Self, PathError> {
        let path = path.into();
        match fault(&path) {
            None => Ok(Self(path)),
            Some(error) => Err(error),
        }
    }

    /// The path as it is shown, stored and sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folders from the top, then the file's own name.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The file's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.names().next_back().expect("a path has at least one name")
    }

    /// Whether this is one of Python's own by-products, which are never kept (C60).
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        self.names().any(|name| name == "__pycache__")
    }
}

fn fault(path: &str) -> Option<PathError> {
    let shown = || path.chars().take(80).collect::<String>();
    let length = path.chars().count();
    let depth = path.split('/').count();
    let drive = matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    if path.is_empty() {
        Some(PathError::Empty)
    } else if length > WorkspacePath::MAX_CHARACTERS {
        Some(PathError::TooLong { path: shown(), length })
    } else if path.starts_with('/') || drive {
        Some(PathError::Absolute(shown()))
    } else if path.contains('\\') {
        Some(PathError::Backslash(shown()))
    } else if path.contains(char::is_control) {
        Some(PathError::Control(shown()))
    } else if path.split('/').any(|name| name == "..") {
        Some(PathError::Escaping(shown()))
    } else if path.split('/').any(|name| name == ".") {
        Some(PathError::Dot(shown()))
    } else if path.split('/').any(str::is_empty) {
        Some(PathError::EmptyName(shown()))
    } else if depth > WorkspacePath::MAX_DEPTH {
        Some(PathError::TooDeep { path: shown(), depth })
    } else {
        None
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkspacePath({:?})", self.0)
    }
}

impl TryFrom<String> for WorkspacePath {
    type Error = PathError;

    fn try_from(path: String) -> Result<Self, Self::Error> {
        Self::parse(path)
    }
}

impl From<WorkspacePath> for String {
    fn from(path: WorkspacePath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R044
    #[test]
    fn paths_that_are_refused_say_why() {
        let check = |path: &str, expected: &str| {
            assert_eq!(WorkspacePath::parse(path).expect_err("is refused").to_string(), expected);
        };
        let absolute = |path: &str| {
            format!(
                "{path:?} is an absolute path; write it from the workspace's top folder, without a leading \"/\" or drive letter"
            )
        };
        check("", "a path must not be empty; give the file a name");
        for path in ["/", "/etc/passwd", "//host/share", "C:/x", "c:\\x"] {
            check(path, &absolute(path));
        }
        for path in ["..", "../x", "a/../../x", "a/.."] {
            let expected = "contains \"..\", which may lead out of the workspace; write the folders by name";
            check(path, &format!("{path:?} {expected}"));
        }
        check("./a", "\"./a\" contains \".\" as a name; leave it out");
        for path in ["a//b", "a/"] {
            check(path, &format!("{path:?} has an empty name in it; use one \"/\" between names and none at the end"));
        }
        check("a\\..\\b", r#""a\\..\\b" contains a backslash; use "/" between folders"#);
        check("a\0b", r#""a\0b" contains a control character; take it out of the name"#);
        check("a\nb", r#""a\nb" contains a control character; take it out of the name"#);
        let long = "é".repeat(241);
        check(&long, &format!("the path that begins with {:?} has 241 characters; use at most 240", "é".repeat(80)));
        let deep = ["a"; 17].join("/");
        check(&deep, &format!("{deep:?} is 17 names deep; use at most 16"));
    }

    /// R044: what is odd but harmless is kept as it is.
    #[test]
    fn other_paths_are_kept_as_they_are() {
        for path in ["a", "a/b.txt", ".hidden", "a..b", "...", "wo rd ", "é/ü", &"é".repeat(240), &["a"; 16].join("/")]
        {
            assert_eq!(WorkspacePath::parse(path).expect("is a path").as_str(), path);
        }
    }

    /// R044: a stored or sent path is checked as well.
    #[test]
    fn paths_are_checked_when_they_are_read_from_json() {
        assert!(serde_json::from_str::<WorkspacePath>(r#""../x""#).is_err());
        assert!(serde_json::from_str::<WorkspacePath>(r#""x""#).is_ok());
    }

    /// C60
    #[test]
    fn by_products_of_python_are_left_out() {
        let check = |path: &str, expected: bool| {
            assert_eq!(WorkspacePath::parse(path).expect("is a path").is_left_out(), expected, "{path}");
        };
        check("__pycache__/a.pyc", true);
        check("lib/__pycache__/a.pyc", true);
        check("lib/my__pycache__/a", false);
    }
}
