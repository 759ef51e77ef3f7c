//! What the documents name is there.

use satchel_tests::{files_below, root};

use crate::assert_none;

/// Folders of the repository that a path in a document begins with.
const TOP: [&str; 9] = ["core/", "app/", "sync-server/", "public/", "tests/", "xtask/", "docs/", "examples/", ".ci/"];

#[test]
fn paths_named_in_the_documents_exist() {
    let mut complaints = Vec::new();
    for document in files_below(".", &[".md"]) {
        for path in named_paths(&document.text) {
            if !root().join(&path).exists() {
                complaints.push(format!("{} names {path}, which is not there", document.path));
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut complaints = Vec::new();
    for document in files_below(".", &[".md"]) {
        let folder = root().join(&document.path).parent().expect("a file is in a folder").to_owned();
        for target in link_targets(&document.text) {
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") && !folder.join(file).exists() {
                complaints.push(format!("{} links to {target}, which is not there", document.path));
            }
        }
    }
    assert_none(&complaints);
}

/// The texts between backticks that are paths from the root; a `::name` behind one is a test's.
fn named_paths(text: &str) -> Vec<String> {
    let is_path =
        |quoted: &&str| TOP.iter().any(|top| quoted.starts_with(top)) && !quoted.contains([' ', '*', '{', '<', '…']);
    (text.split('`').skip(1).step_by(2).filter(is_path))
        .map(|quoted| quoted.split("::").next().unwrap_or_default().trim_end_matches('/').to_owned())
        .collect()
}

fn link_targets(text: &str) -> Vec<String> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

#[test]
fn quoted_paths_and_links_are_found() {
    let text =
        "See `core/src/lib.rs`, `core/x.rs::a_test` and [the map](architecture.md#map), not `cargo xtask` or `app/*`.";
    assert_eq!(named_paths(text), ["core/src/lib.rs", "core/x.rs"]);
    assert_eq!(link_targets(text), ["architecture.md#map"]);
}
