//! Names that differ only in upper and lower case, which many systems cannot keep apart.

use std::collections::{BTreeMap, BTreeSet};

use super::{WorkspaceError, WorkspacePath};

/// Refuses paths of which two, or the folders they are in, differ only by case; the refusal names both.
pub fn refuse_case_collisions<'p>(paths: impl IntoIterator<Item = &'p WorkspacePath>) -> Result<(), WorkspaceError> {
    let mut all = BTreeSet::new();
    for path in paths.into_iter().map(WorkspacePath::as_str) {
        all.extend(path.match_indices('/').map(|(at, _)| &path[..at]));
        all.insert(path);
    }
    match collisions(all).next() {
        None => Ok(()),
        Some((first, second)) => {
            Err(WorkspaceError::CaseCollision { first: first.to_owned(), second: second.to_owned() })
        }
    }
}

/// The pairs of names that differ only by case.
pub(super) fn collisions<'n>(names: impl IntoIterator<Item = &'n str>) -> impl Iterator<Item = (&'n str, &'n str)> {
    let mut seen = BTreeMap::new();
    names.into_iter().filter_map(move |name| seen.insert(name.to_lowercase(), name).map(|other| (other, name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::fixtures::path;

    /// R044
    #[test]
    fn paths_that_differ_by_case_are_refused_with_both_names() {
        let check = |paths: &[&str], expected: &[(&str, &str)]| {
            let paths: Vec<_> = paths.iter().map(|text| path(text)).collect();
            let refused = refuse_case_collisions(&paths).err().map(|error| error.to_string());
            let expected = expected.first().map(|(first, second)| {
                format!("{first:?} and {second:?} differ only in upper and lower case; rename one of them")
            });
            assert_eq!(refused, expected, "{paths:?}");
        };
        check(&["a", "b", "a/b", "c/a", "a"], &[]);
        check(&["README.md", "readme.md"], &[("README.md", "readme.md")]);
        check(&["src/a", "Src/b"], &[("Src", "src")]);
        check(&["x/É", "x/é"], &[("x/É", "x/é")]);
    }
}
