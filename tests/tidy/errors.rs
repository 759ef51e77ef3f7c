//! An error says its reason once.
//!
//! The server prints an error with all its sources, the app prints it alone. So a reason is either a source, or a part of the sentence
//! (`{0}`), and never both; an error that only passes another on is `transparent`.

use satchel_tests::files_below;

use crate::assert_none;

#[test]
fn no_error_says_its_source_in_its_own_sentence() {
    let mut complaints = Vec::new();
    for folder in ["core/src", "app/src", "sync-server/src", "xtask/src"] {
        for file in files_below(folder, &[".rs"]) {
            for variant in said_twice(&file.text) {
                complaints.push(format!("{}: {variant} has its source in its sentence, too", file.path));
            }
        }
    }
    assert_none(&complaints);
}

/// The names of the variants whose source stands in their sentence.
fn said_twice(text: &str) -> Vec<&str> {
    let twice = |declared: &'_ str| -> Option<(usize, usize)> {
        let end = declared.find(")]\n")?;
        let (sentence, rest) = declared.split_at(end);
        let (name, fields) = rest[3..].trim_start().split_once(['(', '{'])?;
        let fields = fields.split(['}', '\n']).next().unwrap_or_default();
        let is_source = fields.starts_with("#[from]") || fields.starts_with("#[source]");
        let is_said =
            (is_source && ["{0}", "{0:"].iter().any(|mark| sentence.contains(mark))) || sentence.contains("{source}");
        let start = declared.len() - rest.len() + rest.find(name)?;
        is_said.then_some((start, start + name.trim_end().len()))
    };
    let declared = text.split("#[error(").skip(1);
    declared.filter_map(|declared| twice(declared).map(|(start, end)| &declared[start..end])).collect()
}

#[test]
fn a_source_in_a_sentence_is_found() {
    let text = "    #[error(\"it failed: {0}\")]\n    Bad(#[from] Inner),\n    #[error(transparent)]\n    Good(#[from] Inner),\n    \
                #[error(\n        \"{path} failed: {source}\"\n    )]\n    Worse { path: String, source: Inner },\n    \
                #[error(\"it failed: {0}\")]\n    Fine(String),\n";
    assert_eq!(said_twice(text), ["Bad", "Worse"]);
}
