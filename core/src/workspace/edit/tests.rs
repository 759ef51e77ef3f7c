//! Changes to workspaces, and those that are refused.

use super::*;
use crate::at_once::at_once;
use crate::store::Commit;
use crate::workspace::fixtures::{LIMITS, TestStore, built, contents, file, files, path, trees};
use crate::workspace::{LimitError, flatten, gather, read};

const BEFORE: &[(&str, &str)] = &[("a.txt", "a"), ("lib/b.txt", "b"), ("lib/deep/c.txt", "c"), ("other/d.txt", "d")];

/// Edits [`BEFORE`] and compares the files, or the refusal.
fn check(changes: Changes, expected: Result<&[(&str, &str)], &str>) {
    let before = built(&files(BEFORE));
    let edited = edit(&trees(&[&before]), before.root, &changes, &LIMITS);
    match (edited, expected) {
        (Ok(edited), Ok(expected)) => {
            assert_eq!(flatten(&trees(&[&before, &edited]), edited.root), Ok(files(expected)));
            assert_eq!(edited.root, built(&files(expected)).root);
        }
        (edited, expected) => {
            assert_eq!(
                edited.map_err(|error| error.to_string()).map(|_| ()),
                expected.map(|_| ()).map_err(str::to_owned)
            );
        }
    }
}

fn changes() -> Changes {
    Changes::default()
}

#[test]
fn files_and_folders_come_and_go() {
    check(changes(), Ok(BEFORE));
    check(
        changes().put(path("new/e.txt"), file("e")).delete(path("other/d.txt")),
        Ok(&[("a.txt", "a"), ("lib/b.txt", "b"), ("lib/deep/c.txt", "c"), ("new/e.txt", "e")]),
    );
    check(changes().delete(path("lib")), Ok(&[("a.txt", "a"), ("other/d.txt", "d")]));
    check(
        changes().delete(path("lib")).put(path("lib"), file("now a file")),
        Ok(&[("a.txt", "a"), ("lib", "now a file"), ("other/d.txt", "d")]),
    );
    check(
        changes().delete(path("lib")).delete(path("a.txt")).put(path("a.txt/x"), file("x")),
        Ok(&[("a.txt/x", "x"), ("other/d.txt", "d")]),
    );
    check(["a.txt", "lib", "other"].into_iter().fold(changes(), |changes, at| changes.delete(path(at))), Ok(&[]));
    check(changes().delete(path("nothing/here")).delete(path("a.txt/below")), Ok(BEFORE));
}

/// R319: what was deleted, renamed or replaced comes back, and what was done since stays.
#[test]
fn changes_can_be_taken_back() {
    let done = changes().delete(path("lib")).put(path("a.txt"), file("other")).put(path("new"), file("new"));
    let before = built(&files(BEFORE));
    let after = edit(&trees(&[&before]), before.root, &done, &LIMITS).expect("is fine");
    let since = edit(&trees(&[&before, &after]), after.root, &changes().put(path("since"), file("s")), &LIMITS);
    let since = since.expect("is fine");
    let undo = done.undo(&files(BEFORE));
    let undone = edit(&trees(&[&before, &after, &since]), since.root, &undo, &LIMITS).expect("is fine");
    let mut expected = files(BEFORE);
    expected.insert(path("since"), file("s"));
    assert_eq!(undone.root, built(&expected).root);
}

#[test]
fn a_path_is_a_file_or_a_folder() {
    let refused = |path: &str| format!("{path:?} would be a file and a folder at once; rename or delete one of them");
    check(changes().put(path("a.txt/x"), file("x")), Err(&refused("a.txt")));
    check(changes().put(path("lib/deep"), file("x")), Err(&refused("lib/deep")));
    check(changes().put(path("n"), file("x")).put(path("n/m"), file("x")), Err(&refused("n")));
}

/// R044
#[test]
fn a_new_name_that_differs_by_case_is_refused() {
    let refused = r#""lib/B.txt" and "lib/b.txt" differ only in upper and lower case; rename one of them"#;
    check(changes().put(path("lib/B.txt"), file("x")), Err(refused));
    check(
        changes().delete(path("other")).put(path("Other/d.txt"), file("d")),
        Ok(&[("Other/d.txt", "d"), ("a.txt", "a"), ("lib/b.txt", "b"), ("lib/deep/c.txt", "c")]),
    );
}

/// C60
#[test]
fn by_products_of_python_are_not_kept() {
    check(changes().put(path("lib/__pycache__/b.pyc"), file("x")), Ok(BEFORE));
    assert_eq!(built(&files(&[("a", "a"), ("__pycache__/a.pyc", "x")])), built(&files(&[("a", "a")])));
}

/// R036
#[test]
fn no_change_makes_no_tree() {
    let before = built(&files(BEFORE));
    let all = trees(&[&before]);
    for changes in [changes(), changes().put(path("a.txt"), file("a")), changes().delete(path("nothing"))] {
        let edited = edit(&all, before.root, &changes, &LIMITS).expect("is allowed");
        assert_eq!((edited.root, edited.trees), (before.root, vec![]));
    }
}

/// Cost grows with what changed: of many folders, only those on the way are read and written.
#[test]
fn only_touched_folders_are_read_and_written() {
    let paths: Vec<String> = (0..50).map(|number| format!("folder{number}/file")).collect();
    let many: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), path.as_str())).collect();
    let before = built(&files(&many));
    let mut known = Trees::default();
    let mut loaded = 0;
    let changes = changes().put(path("folder7/file"), file("changed"));
    let edited = loop {
        match edit(&known, before.root, &changes, &LIMITS) {
            Err(WorkspaceError::Missing(ids)) => {
                loaded += ids.len();
                let stored = before.trees.iter().filter(|blob| ids.contains(&blob.id()));
                stored.for_each(|blob| known.insert(blob.id(), Some(blob.bytes())));
            }
            other => break other.expect("is allowed"),
        }
    };
    assert_eq!((before.trees.len(), loaded, edited.trees.len()), (51, 2, 2));
}

/// R324
#[test]
fn limits_hold_for_builds_and_edits() {
    let limits = WorkspaceLimits { file_bytes: 3, workspace_bytes: 5, files: 2 };
    let check = |contents: &[(&str, &str)], expected: LimitError| {
        assert_eq!(build(&files(contents), &limits), Err(WorkspaceError::Limit(expected)));
    };
    check(&[("a", "four")], LimitError::FileBytes { path: path("a"), size: 4, limit: 3 });
    check(&[("a", "abc"), ("b", "def")], LimitError::WorkspaceBytes { size: 6, limit: 5 });
    check(&[("a", "1"), ("b/c", "2"), ("b/d", "3")], LimitError::Files { files: 3, limit: 2 });
}

/// R031, R032, R033: the files come back byte for byte, nested and binary ones too, and equal contents are one blob.
#[test]
fn stored_files_come_back_byte_for_byte() {
    let wanted = &[("bin", "\0\u{1}\u{fffd}"), ("x/y/z.txt", "same"), ("x/copy.txt", "same"), ("empty", "")];
    let store = TestStore::new();
    let snapshot = built(&files(wanted));
    let root = snapshot.root;
    let blobs = contents(wanted).into_iter().chain(snapshot.trees).collect();
    store.apply(crate::store::Commit { blobs, ..crate::store::Commit::default() });
    let expected = wanted.iter().map(|(path, content)| ((*path).to_owned(), content.as_bytes().to_vec())).collect();
    assert_eq!(store.materialise(root), expected);
    assert_eq!(snapshot.contents.len(), 3);
}

/// A few small trees that claim to hold the same folder many times over are not walked.
#[test]
fn trees_that_lie_about_what_they_hold_are_refused() {
    let inner = built(&files(&[("a", "a"), ("b", "b")]));
    let lie = format!("satchel tree 1\ntree {} 1 1 x\n", inner.root).into_bytes();
    let root = BlobId::of(&lie);
    let mut all = trees(&[&inner]);
    all.insert(root, Some(&lie));
    let refused = WorkspaceError::Damaged { tree: inner.root, fault: crate::workspace::TreeFault::Totals };
    assert_eq!(flatten(&all, root), Err(refused));
}

/// R044: what is stored is checked again when it is read.
#[test]
fn altered_and_absent_trees_are_refused() {
    let snapshot = built(&files(&[("a", "a")]));
    let mut all = Trees::default();
    all.insert(snapshot.root, Some(b"something else"));
    let fault = |all: &Trees| flatten(all, snapshot.root).expect_err("is damaged").to_string();
    assert!(fault(&all).starts_with("a folder of this workspace is damaged: its bytes do not match its name; run the"));
    all.insert(snapshot.root, None);
    assert!(fault(&all).starts_with("a folder of this workspace is damaged: it is not stored; run the storage check"));
}

/// P1: a change reads the folders on its way, however many others there are.
#[test]
fn only_the_folders_on_the_way_are_read() {
    let names: Vec<String> = (0..500).map(|number| format!("folder-{}/file-{number}", number / 5)).collect();
    let all: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let before = built(&files(&all));
    let store = TestStore::new();
    store.apply(Commit { blobs: before.trees.clone(), ..Commit::default() });
    let changes = changes().put(path("folder-7/file-35"), file("y")).delete(path("folder-9"));
    let mut known = Trees::default();
    let asked = read(&store.0, &mut known, |trees| {
        Ok((gather(trees, before.root, changes.paths())?, edit(trees, before.root, &changes, &LIMITS)?))
    });
    let (gathered, edited) = at_once(asked).expect("is fine");
    assert_eq!(gathered.len(), 6);
    assert_eq!(edited.totals, Totals { bytes: 495, files: 495 });
    // The top folder and the two that something happens in.
    assert_eq!(known.len(), 3);
}
