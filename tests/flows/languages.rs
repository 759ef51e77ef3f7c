//! The languages that core names and those that the code view has colours for.

use std::collections::BTreeSet;
use std::fs;

use satchel_tests::root;

/// R213: what core takes a file for is shown in colours, and nothing has colours that no file gets.
#[test]
fn every_language_that_is_named_has_colours() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("the file is there");
    let core = read("core/src/render/language.rs");
    let (core, _tests) = core.split_once("#[cfg(test)]").expect("the tests come last");
    let named: BTreeSet<&str> = (core.split("=> "))
        .skip(1)
        .filter_map(|after| after.trim_start_matches("return ").strip_prefix('"')?.split('"').next())
        .filter(|language| *language != "text")
        .collect();
    let editor = read("app/editor/languages.ts");
    let coloured: BTreeSet<&str> =
        editor.lines().filter_map(|line| Some(line.strip_prefix("  ")?.split_once(": async () =>")?.0)).collect();
    assert!(named.contains("python") && named.contains("makefile"), "{named:?}");
    assert_eq!(named, coloured);
}
