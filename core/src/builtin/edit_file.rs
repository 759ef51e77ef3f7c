//! `edit_file`: a piece of a text is replaced by another, exactly.

use std::ops::Range;

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::lines::{bare, cut, diff, line_break, line_of, lines};
use super::view::path;
use super::{Failure, View};
use crate::store::Store;

pub(super) const TOOL: Builtin = Builtin {
    which: Which::EditFile,
    name: "edit_file",
    title: "Edit file",
    description: "Replaces one piece of a text file of the workspace with another and returns the difference. old_string must match the file exactly and occur once: include surrounding lines to make it unique, or set replace_all to replace every occurrence.",
    writes: true,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path of the file."},
            "old_string": {"type": "string", "minLength": 1, "description": "The text to replace, exactly as it is in the file."},
            "new_string": {"type": "string", "description": "The text to put in its place. Empty to remove it."},
            "replace_all": {"type": "boolean", "default": false, "description": "Replace every occurrence."},
        },
        "required": ["path", "old_string", "new_string"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "replacements": {"type": "integer"},
            "lines": {"type": "array", "items": {"type": "integer"}, "description": "The lines where the replacements begin; only the first few."},
            "size": {"type": "integer"},
            "diff": {"type": "string"},
        },
        "required": ["path", "replacements", "lines", "size", "diff"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

pub(super) async fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let Arguments { path: at, old_string, new_string, replace_all } = arguments;
    let path = path(&at)?;
    if old_string == new_string {
        return Err(Failure::SameStrings);
    }
    let text = view.text(&path).await?;
    let (mut old, mut new) = (old_string, new_string);
    let mut places = places(&text, &old);
    if places.is_empty() && line_break(&text) == "\r\n" && !old.contains('\r') {
        // A model writes its lines with a line feed, whatever the file does.
        (old, new) = (old.replace('\n', "\r\n"), new.replace('\n', "\r\n"));
        places = self::places(&text, &old);
    }
    if places.is_empty() {
        return Err(Failure::NoOldString { hint: nearest(&text, &old), path });
    }
    let named = view.limits.named_places;
    let told: Vec<usize> = places.iter().take(named).map(|range| line_of(&text, range.start)).collect();
    if places.len() > 1 && !replace_all {
        return Err(Failure::NotUnique { path, count: places.len(), lines: told });
    }
    let shown = cut(&diff(path.as_str(), &text, &places, &new), view.limits.told_bytes);
    let file = view.put(path.clone(), replace(&text, &places, &new))?;
    Ok(json!({"path": path.as_str(), "replacements": places.len(), "lines": told, "size": file.size, "diff": shown}))
}

/// Where a text is in another, from the front and without overlaps.
fn places(text: &str, old: &str) -> Vec<Range<usize>> {
    text.match_indices(old).map(|(at, found)| at..at + found.len()).collect()
}

fn replace(text: &str, places: &[Range<usize>], new: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        replaced.push_str(&text[at..place.start]);
        replaced.push_str(new);
        at = place.end;
    }
    replaced.push_str(&text[at..]);
    replaced
}

/// What comes nearest to a text that is not there: the same lines with other blanks, else the place where its first line is.
fn nearest(text: &str, old: &str) -> String {
    let wanted: Vec<&str> = lines(old).into_iter().map(|line| bare(line).trim()).collect();
    let there: Vec<&str> = lines(text).into_iter().map(|line| bare(line).trim()).collect();
    if wanted.iter().any(|line| !line.is_empty())
        && let Some(at) = there.windows(wanted.len()).position(|part| part == wanted)
    {
        let more = if wanted.len() > 1 { format!(" to {}", at + wanted.len()) } else { String::new() };
        return format!("; lines {}{more} differ from it in blanks only, read them and copy them as they are", at + 1);
    }
    let first = wanted.iter().find(|line| line.chars().count() > 3);
    let at = first.and_then(|first| there.iter().position(|line| line.contains(first)));
    match at {
        Some(at) => format!("; line {} is like one of its lines, but the lines around it differ", at + 1),
        None => "; read the file to see what is there".into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sample::{changes, check, refuses};
    use super::*;

    const FILES: &[(&str, &str)] =
        &[("a.py", "def f():\n    return 1\n\ndef g():\n    return 1\n"), ("win.txt", "a\r\nb\r\nc\r\n"), ("b", "\0")];

    #[test]
    fn a_piece_is_replaced() {
        let arguments =
            json!({"path": "a.py", "old_string": "def f():\n    return 1", "new_string": "def f():\n    return 2"});
        let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n def f():\n-    return 1\n+    return 2\n \n def g():\n     return 1\n";
        check(
            FILES,
            "edit_file",
            arguments.clone(),
            json!({"path": "a.py", "replacements": 1, "lines": [1], "size": 45, "diff": diff}),
        );
        let after = [
            ("a.py", "def f():\n    return 2\n\ndef g():\n    return 1\n"),
            ("b", "\0"),
            ("win.txt", "a\r\nb\r\nc\r\n"),
        ];
        changes(FILES, "edit_file", arguments, &after);
    }

    #[test]
    fn all_pieces_are_replaced_if_that_is_said() {
        let arguments = json!({"path": "a.py", "old_string": "return 1", "new_string": "pass", "replace_all": true});
        let after =
            [("a.py", "def f():\n    pass\n\ndef g():\n    pass\n"), ("b", "\0"), ("win.txt", "a\r\nb\r\nc\r\n")];
        changes(FILES, "edit_file", arguments, &after);
    }

    #[test]
    fn the_lines_of_a_file_end_as_they_did() {
        let after = [FILES[0], ("b", "\0"), ("win.txt", "a\r\nx\r\ny\r\nc\r\n")];
        changes(
            FILES,
            "edit_file",
            json!({"path": "win.txt", "old_string": "a\nb\n", "new_string": "a\nx\ny\n"}),
            &after,
        );
    }

    #[test]
    fn what_cannot_be_edited_is_said() {
        let edit = |path: &str, old: &str, new: &str, message: &str| {
            refuses(FILES, "edit_file", json!({"path": path, "old_string": old, "new_string": new}), message);
        };
        edit(
            "a.py",
            "return 1",
            "",
            "old_string occurs 2 times in \"a.py\" (lines 2, 5); add lines around it until it is there once, or ask with \"replace_all\": true",
        );
        edit("a.py", "return 3", "", "old_string is not in \"a.py\"; read the file to see what is there");
        edit(
            "a.py",
            "def f():\n  return 1",
            "",
            "old_string is not in \"a.py\"; lines 1 to 2 differ from it in blanks only, read them and copy them as they are",
        );
        edit(
            "a.py",
            "def g():\n    pass",
            "",
            "old_string is not in \"a.py\"; line 4 is like one of its lines, but the lines around it differ",
        );
        edit("a.py", "x", "x", "old_string and new_string are the same; nothing would change");
        edit("b", "x", "y", "\"b\" is not text (binary, 1 bytes); read_file and file_info say what is in it");
        edit("c.py", "x", "y", "there is no file \"c.py\" in this workspace; did you mean \"a.py\"?");
    }

    proptest! {
        /// Taking back an edit of something that is there once gives the text of before.
        #[test]
        fn an_edit_can_be_taken_back(before in "[ab\n]{0,20}", after in "[ab\n]{0,20}", new in "[cd]{1,5}") {
            let text = format!("{before}OLD{after}");
            let edited = replace(&text, &places(&text, "OLD"), &new);
            prop_assert_eq!(places(&edited, &new).len(), 1);
            prop_assert_eq!(replace(&edited, &places(&edited, &new), "OLD"), text);
        }
    }
}
