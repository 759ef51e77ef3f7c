//! `search_text`: lines that contain a text, or fit a regular expression.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::glob::Glob;
use super::lines::{bare, cut, lines};
use super::list_files::no_folder;
use super::view::{below, folder, is_in};
use super::{Failure, View};
use crate::pattern::{Case, Pattern};
use crate::store::Store;
use crate::workspace::{ContentKind, FileEntry, WorkspacePath};

pub(super) const TOOL: Builtin = Builtin {
    which: Which::SearchText,
    name: "search_text",
    title: "Search text",
    description: "Searches the text files of the workspace for lines that contain a text or, with regex, match a regular expression. Returns each matching line with its path, line number and column; files that are not text are skipped.",
    writes: false,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "description": "The text or regular expression to look for, within one line."},
            "regex": {"type": "boolean", "default": false, "description": "Treat the pattern as a regular expression. Look-around and back-references are not supported."},
            "ignore_case": {"type": "boolean", "default": false, "description": "Match upper and lower case alike."},
            "path": {"type": "string", "description": "The folder or file to search. The whole workspace if omitted."},
            "glob": {"type": "string", "description": "Search only files whose paths match this glob pattern, for example \"*.py\"."},
            "context": {"type": "integer", "minimum": 0, "maximum": 10, "default": 0, "description": "How many lines to return before and after each match."},
            "max_matches": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200, "description": "The most matches to return."},
        },
        "required": ["pattern"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    let lines = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "properties": {
            "matches": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "line": {"type": "integer"},
                    "column": {"type": "integer"},
                    "text": {"type": "string"},
                    "before": lines,
                    "after": lines,
                },
            }},
            "files_searched": {"type": "integer"},
            "files_skipped": {"type": "integer", "description": "Files that are not text, or are damaged."},
            "truncated": {"type": "string"},
        },
        "required": ["matches", "files_searched", "files_skipped"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    pattern: String,
    #[serde(default)]
    regex: bool,
    #[serde(default)]
    ignore_case: bool,
    path: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    context: usize,
    max_matches: Option<usize>,
}

/// What was found so far, and what may still be told.
struct Found {
    matches: Vec<Value>,
    most: usize,
    bytes_left: usize,
    truncated: Option<String>,
}

/// How many lines are looked at between two looks at the clock.
const LINES_A_LOOK: usize = 256;

pub(super) async fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let pattern = read_pattern(&arguments, view.limits.pattern_bytes)?;
    let files = chosen(&arguments, view)?;
    let limits = view.limits;
    let mut found = Found {
        matches: Vec::new(),
        most: view.entries(arguments.max_matches),
        bytes_left: limits.told_bytes,
        truncated: None,
    };
    let (mut searched, mut skipped, mut bytes_seen) = (0_usize, 0_usize, 0_u64);
    let ends = (view.now)().as_millis().saturating_add(limits.search_millis);
    for (path, file) in &files {
        if bytes_seen.saturating_add(file.size) > limits.searched_bytes {
            found.truncated = Some(format!(
                "{searched} of {} files were searched, which is {bytes_seen} bytes; narrow it by path or glob",
                files.len()
            ));
            break;
        }
        bytes_seen += file.size;
        // A damaged file must not hide what is in the others.
        let bytes = match view.bytes(path, *file).await {
            Ok(bytes) => bytes,
            Err(Failure::Damaged(_)) => {
                skipped += 1;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let text = match ContentKind::of(path, &bytes) {
            ContentKind::Text | ContentKind::DrawnText(_) => str::from_utf8(&bytes).expect("a text is UTF-8"),
            ContentKind::Picture(_) | ContentKind::Bytes => {
                skipped += 1;
                continue;
            }
        };
        searched += 1;
        let is_late = || (view.now)().as_millis() > ends;
        found.search(path, text, &pattern, arguments.context, limits.line_bytes, &is_late);
        if found.truncated.is_some() {
            break;
        }
    }
    let mut result = json!({"matches": found.matches, "files_searched": searched, "files_skipped": skipped});
    if let Some(truncated) = found.truncated {
        result["truncated"] = truncated.into();
    }
    Ok(result)
}

fn read_pattern(arguments: &Arguments, longest: usize) -> Result<Pattern, Failure> {
    let Arguments { pattern, regex, ignore_case, .. } = arguments;
    let refused = |why: String| Failure::Pattern { pattern: cut(pattern, 80), why };
    if pattern.len() > longest {
        return Err(refused(format!("it has {} bytes, and the limit is {longest}", pattern.len())));
    }
    if !regex && pattern.contains('\n') {
        return Err(refused(
            "it has a line break, and lines are searched one by one; look for one of its lines".into(),
        ));
    }
    let case = if *ignore_case { Case::Ignored } else { Case::Exact };
    let read = if *regex { Pattern::read(pattern, case) } else { Pattern::literal(pattern, case) };
    read.map_err(|error| refused(error.to_string()))
}

/// The files to look in, sorted by path.
fn chosen<S: Store>(arguments: &Arguments, view: &View<'_, S>) -> Result<Vec<(WorkspacePath, FileEntry)>, Failure> {
    let place = folder(arguments.path.as_deref())?;
    let glob = arguments.glob.as_deref().map(|glob| Glob::read(glob, view.limits.pattern_bytes)).transpose()?;
    let is_itself = |path: &WorkspacePath| place.as_ref() == Some(path);
    let inside = view.files.iter().filter(|(path, _)| is_itself(path) || is_in(path, place.as_ref()));
    let inside: Vec<(&WorkspacePath, &FileEntry)> = inside.collect();
    if let (Some(path), true) = (&place, inside.is_empty()) {
        return Err(no_folder(view, path));
    }
    let fits = |path: &WorkspacePath| {
        glob.as_ref()
            .is_none_or(|glob| glob.fits(if is_itself(path) { path.name() } else { below(path, place.as_ref()) }))
    };
    Ok(inside.into_iter().filter(|(path, _)| fits(path)).map(|(path, file)| (path.clone(), *file)).collect())
}

impl Found {
    fn search(
        &mut self,
        path: &WorkspacePath,
        text: &str,
        pattern: &Pattern,
        context: usize,
        line_bytes: usize,
        is_late: &dyn Fn() -> bool,
    ) {
        let all = lines(text);
        for (at, line) in all.iter().enumerate() {
            if at % LINES_A_LOOK == 0 && is_late() {
                self.truncated =
                    Some(format!("the search took too long and stopped in \"{path}\"; narrow it by path or glob"));
                return;
            }
            let line = bare(line);
            let Some(place) = pattern.find(line) else { continue };
            if self.matches.len() == self.most {
                self.truncated = Some(format!(
                    "the first {} are shown, and there are more; narrow the search, or raise max_matches",
                    self.most
                ));
                return;
            }
            let shown = |lines: &[&str]| lines.iter().map(|line| cut(bare(line), line_bytes)).collect::<Vec<_>>();
            let column = line[..place.start].chars().count() + 1;
            // What was looked for is to be seen, also far to the right of a long line.
            let from = line.floor_char_boundary(place.start.saturating_sub(line_bytes / 2));
            let from = if line.len() <= line_bytes { 0 } else { from };
            let lead = if from > 0 { "…" } else { "" };
            let mut found = json!({"path": path.as_str(), "line": at + 1, "column": column, "text": format!("{lead}{}", cut(&line[from..], line_bytes))});
            if context > 0 {
                found["before"] = shown(&all[at.saturating_sub(context)..at]).into();
                found["after"] = shown(&all[at + 1..(at + 1 + context).min(all.len())]).into();
            }
            let size = found.to_string().len();
            if size > self.bytes_left {
                let told = self.matches.len();
                self.truncated =
                    Some(format!("the first {told} are shown, and there are more; narrow it by path or glob"));
                return;
            }
            self.bytes_left -= size;
            self.matches.push(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::BuiltinLimits;
    use super::super::sample::{check, check_with, refuses};
    use super::*;

    const FILES: &[(&str, &str)] = &[
        ("a.txt", "one\r\ntwo\r\nThree.\r\n"),
        ("b.bin", "two\0"),
        ("src/c.py", "x = 'two'\n# é two two\n"),
        ("src/d.md", "nothing\n"),
    ];

    fn found(matches: &[(&str, usize, usize, &str)], searched: usize, skipped: usize) -> Value {
        let line = |(path, line, column, text): &(&str, usize, usize, &str)| json!({"path": path, "line": line, "column": column, "text": text});
        let matches: Vec<Value> = matches.iter().map(line).collect();
        json!({"matches": matches, "files_searched": searched, "files_skipped": skipped})
    }

    #[test]
    fn lines_are_found_with_their_places() {
        let search = |arguments: Value, expected: Value| check(FILES, "search_text", arguments, expected);
        let two = [("a.txt", 2, 1, "two"), ("src/c.py", 1, 6, "x = 'two'"), ("src/c.py", 2, 5, "# é two two")];
        search(json!({"pattern": "two"}), found(&two, 3, 1));
        search(json!({"pattern": "TWO", "ignore_case": true, "path": "a.txt"}), found(&two[..1], 1, 0));
        search(json!({"pattern": "two", "path": "src/", "glob": "*.md"}), found(&[], 1, 0));
        search(json!({"pattern": "e."}), found(&[("a.txt", 3, 5, "Three.")], 3, 1));
        search(json!({"pattern": "^t..$", "regex": true}), found(&two[..1], 3, 1));
    }

    #[test]
    fn what_is_around_a_line_is_told_if_asked_for() {
        let expected = json!({"matches": [{"path": "a.txt", "line": 2, "column": 1, "text": "two", "before": ["one"], "after": ["Three."]}],
            "files_searched": 1, "files_skipped": 0});
        check(FILES, "search_text", json!({"pattern": "two", "path": "a.txt", "context": 2}), expected);
    }

    #[test]
    fn what_is_too_much_is_cut_and_said() {
        let mut cut = found(&[("a.txt", 2, 1, "two")], 2, 1);
        cut["truncated"] = "the first 1 are shown, and there are more; narrow the search, or raise max_matches".into();
        check(FILES, "search_text", json!({"pattern": "two", "max_matches": 1}), cut);
        let limits = BuiltinLimits { told_bytes: 60, ..BuiltinLimits::default() };
        let mut cut = found(&[("a.txt", 2, 1, "two")], 2, 1);
        cut["truncated"] = "the first 1 are shown, and there are more; narrow it by path or glob".into();
        check_with(&limits, FILES, "search_text", json!({"pattern": "two"}), cut);
        let limits = BuiltinLimits { searched_bytes: 20, ..BuiltinLimits::default() };
        let mut cut = found(&[("a.txt", 2, 1, "two")], 1, 0);
        cut["truncated"] = "1 of 4 files were searched, which is 18 bytes; narrow it by path or glob".into();
        check_with(&limits, FILES, "search_text", json!({"pattern": "two"}), cut);
        let long = [("long.txt", "aaaaaaaaaaaaaaaaaaaaneedleaaaaaaaaaaaa")];
        let limits = BuiltinLimits { line_bytes: 10, ..BuiltinLimits::default() };
        check_with(
            &limits,
            &long,
            "search_text",
            json!({"pattern": "needle"}),
            found(&[("long.txt", 1, 21, "…aaaaaneedl…")], 1, 0),
        );
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_refused() {
        let search = |arguments: Value, message: &str| refuses(FILES, "search_text", arguments, message);
        search(
            json!({"pattern": "a\nb"}),
            "the pattern \"a\\nb\" cannot be read: it has a line break, and lines are searched one by one; look for one of its lines",
        );
        search(
            json!({"pattern": "x", "path": "sr"}),
            "there is no folder \"sr\" in this workspace; did you mean \"src\"?",
        );
        search(
            json!({"pattern": "(a", "regex": true}),
            "the pattern \"(a\" cannot be read: found open group without closing ')'",
        );
    }
}
