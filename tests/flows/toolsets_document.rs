//! docs/toolsets.md: the toolset that it builds can be installed as it is written there, and its tables have the keys that are read.

use std::collections::BTreeSet;
use std::fs;

use satchel_core::bundle::manifest::{KNOWN_KEYS, OVERRIDE_KEYS, SERVER_KEYS, TOOL_KEYS};
use satchel_core::bundle::{Bundle, BundleLimits};
use satchel_tests::root;

fn document() -> String {
    fs::read_to_string(root().join("docs/toolsets.md")).expect("the document is there")
}

/// The words in backticks of the first column of the first table after a text.
fn keys_after<'d>(document: &'d str, text: &str) -> BTreeSet<&'d str> {
    let (_, after) = document.split_once(text).unwrap_or_else(|| panic!("{text:?} is not in the document"));
    let rows = after.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_tables_have_the_keys_that_are_read() {
    let document = document();
    let check = |text: &str, read: &[&'static str]| {
        assert_eq!(keys_after(&document, text), read.iter().copied().collect(), "{text}");
    };
    check("## The manifest, key by key", &KNOWN_KEYS);
    check("\nFor each tool:", &TOOL_KEYS);
    check("\nFor each of `tool_overrides`", &OVERRIDE_KEYS);
    check("\nFor each of `mcp_servers`", &SERVER_KEYS);
}

/// The blocks of code of the tutorial, each with the language that is written over it.
fn blocks(document: &str) -> Vec<(&str, &str)> {
    let (_, tutorial) = document.split_once("## From nothing").expect("there is a tutorial");
    let (tutorial, _) = tutorial.split_once("\n## ").expect("something comes after it");
    tutorial.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

/// Its manifest, its code, the renderer that is added later and the page, as files.
fn word_desk(document: &str) -> Vec<(String, Vec<u8>)> {
    let [("yaml", manifest), ("python", code), ("yaml", renderer), ("html", page)] = blocks(document)[..] else {
        panic!("the tutorial has other blocks: {:?}", blocks(document));
    };
    let manifest = format!("{manifest}{renderer}");
    [("toolset.yaml", manifest.as_str()), ("tools/words.py", code), ("artifacts/words.html", page)]
        .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
        .into()
}

#[test]
fn the_toolset_of_the_tutorial_can_be_installed() {
    let document = document();
    let files = word_desk(&document);
    for (path, text) in &files {
        // Each says in its first line which file it is.
        let first = String::from_utf8_lossy(text).lines().next().unwrap_or_default().to_owned();
        assert!(first.contains(path.as_str()), "{path}: {first}");
    }
    let bundle = Bundle::open_folder(files, &BundleLimits::default()).expect("is a bundle");
    assert_eq!(bundle.warnings(), [""; 0]);
    let [tool] = &bundle.manifest().tools[..] else { panic!("it has one tool") };
    let renderer = tool.renderer.as_ref().expect("it has a renderer");
    assert_eq!(renderer.artifact(), Some("artifacts/words.html"));
    assert_eq!(tool.entrypoint.as_deref(), Some("tools.words:count_words"));
}
