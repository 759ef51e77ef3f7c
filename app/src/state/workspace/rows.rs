//! The tree as rows: which are there is decided by what is open, so a workspace of thousands of files draws what can be seen.

use std::collections::{BTreeMap, BTreeSet};

use satchel_core::workspace::WorkspacePath;

use crate::work::workspace::{Listing, Mark};

/// Up to so many files all folders are open at first; beyond, all are closed.
const OPEN_UP_TO: usize = 60;
/// So many entries of one folder are shown; the others wait behind a last row.
const SHOWN_AT_ONCE: usize = 400;

/// One line of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Row {
    /// The path of the file or folder; for [`RowKind::More`] that of the folder whose rest it stands for.
    pub(crate) path: String,
    /// What it is called.
    pub(crate) name: String,
    /// How deep it is, from 1.
    pub(crate) level: usize,
    /// What it stands for.
    pub(crate) kind: RowKind,
}

/// What a row stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKind {
    /// A folder, whether it is open, and whether something in it is marked.
    Folder { open: bool, marked: bool },
    /// A file.
    File { size: u64, mark: Option<&'static str> },
    /// The rest of a long folder.
    More { hidden: usize },
}

/// How the user left the tree.
pub(super) struct Layout<'a> {
    pub(super) toggled: &'a BTreeSet<String>,
    pub(super) whole: &'a BTreeSet<String>,
    pub(super) empty_folders: &'a [WorkspacePath],
}

impl Mark {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}

#[derive(Default)]
struct Folder<'l> {
    /// By lower-case name first, as people look for them.
    folders: BTreeMap<(String, &'l str), Folder<'l>>,
    files: BTreeMap<(String, &'l str), (u64, Option<&'static str>)>,
    marked: bool,
}

/// The rows to draw.
pub(super) fn rows(listing: &Listing, layout: &Layout<'_>) -> Vec<Row> {
    let mut top = Folder::default();
    let there = listing.files.iter().map(|(path, file)| (path, file.size));
    let gone = listing.deleted.iter().map(|(path, file)| (path, file.size));
    for (path, size) in there.chain(gone) {
        let mark = listing.marks.get(path).map(|mark| mark.word());
        let (folders, name) = split(path);
        let folder = folders.into_iter().fold(&mut top, |folder, name| {
            folder.marked |= mark.is_some();
            folder.folders.entry((name.to_lowercase(), name)).or_default()
        });
        folder.marked |= mark.is_some();
        folder.files.insert((name.to_lowercase(), name), (size, mark));
    }
    for path in layout.empty_folders {
        path.names().fold(&mut top, |folder, name| folder.folders.entry((name.to_lowercase(), name)).or_default());
    }
    let open_at_first = listing.files.len() + listing.deleted.len() <= OPEN_UP_TO;
    let mut rows = Vec::new();
    emit(&top, "", 1, open_at_first, layout, &mut rows);
    rows
}

fn emit(folder: &Folder<'_>, above: &str, level: usize, open_at_first: bool, layout: &Layout<'_>, rows: &mut Vec<Row>) {
    let here = above.trim_end_matches('/');
    let all = folder.folders.len() + folder.files.len();
    let shown = if layout.whole.contains(here) { all } else { SHOWN_AT_ONCE.min(all) };
    for ((_, name), inside) in folder.folders.iter().take(shown) {
        let path = format!("{above}{name}");
        let open = open_at_first != layout.toggled.contains(&path);
        let kind = RowKind::Folder { open, marked: inside.marked };
        rows.push(Row { path: path.clone(), name: (*name).to_owned(), level, kind });
        if open {
            emit(inside, &format!("{path}/"), level + 1, open_at_first, layout, rows);
        }
    }
    let left = shown.saturating_sub(folder.folders.len());
    for ((_, name), (size, mark)) in folder.files.iter().take(left) {
        let kind = RowKind::File { size: *size, mark: *mark };
        rows.push(Row { path: format!("{above}{name}"), name: (*name).to_owned(), level, kind });
    }
    if shown < all {
        let kind = RowKind::More { hidden: all - shown };
        rows.push(Row { path: here.to_owned(), name: String::new(), level, kind });
    }
}

fn split(path: &WorkspacePath) -> (Vec<&str>, &str) {
    let mut names: Vec<&str> = path.names().collect();
    let name = names.pop().unwrap_or_default();
    (names, name)
}

#[cfg(test)]
mod tests {
    use satchel_core::digest::BlobId;
    use satchel_core::record::Node;
    use satchel_core::workspace::{FileEntry, Files};
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).expect("is a path")
    }

    fn listing(paths: impl IntoIterator<Item = String>) -> Listing {
        let file = FileEntry { sha256: BlobId::of(b""), size: 1 };
        let files: Files = paths.into_iter().map(|text| (path(&text), file)).collect();
        let (marks, deleted) = (BTreeMap::default(), Files::default());
        Listing { node: Node::Root, files, marks, deleted, since_run: false, rivals: Vec::new() }
    }

    fn drawn(listing: &Listing, toggled: &[&str], empty: &[&str]) -> Vec<String> {
        let toggled = toggled.iter().map(ToString::to_string).collect();
        let empty: Vec<_> = empty.iter().map(|text| path(text)).collect();
        let layout = Layout { toggled: &toggled, whole: &BTreeSet::new(), empty_folders: &empty };
        let told = |row: Row| match row.kind {
            RowKind::Folder { open, marked } => format!("{}{} {open} {marked}", "  ".repeat(row.level - 1), row.path),
            RowKind::File { mark, .. } => format!("{}{} {mark:?}", "  ".repeat(row.level - 1), row.path),
            RowKind::More { hidden } => format!("more {hidden}"),
        };
        rows(listing, &layout).into_iter().map(told).collect()
    }

    /// R229, R230: folders first, marks on files and on the folders they are in.
    #[wasm_bindgen_test]
    fn a_small_tree_is_open() {
        let mut all = listing(["b.txt", "A.txt", "src/x.py"].map(String::from));
        all.marks.insert(path("src/x.py"), Mark::Changed);
        let expected = ["src true true", "  src/x.py Some(\"changed\")", "A.txt None", "b.txt None"];
        assert_eq!(drawn(&all, &[], &[]), expected);
        assert_eq!(drawn(&all, &["src"], &["new"])[..3], ["new true false", "src false true", "A.txt None"]);
    }

    #[wasm_bindgen_test]
    fn a_large_tree_draws_little() {
        let in_folders = listing((0..2_000).map(|n| format!("f{}/{n}.txt", n % 50)));
        assert_eq!(drawn(&in_folders, &[], &[]).len(), 50);
        let in_one = listing((0..2_000).map(|n| format!("{n}.txt")));
        let rows = drawn(&in_one, &[], &[]);
        assert_eq!((rows.len(), rows.last().map(String::as_str)), (401, Some("more 1600")));
    }
}
