//! How a result is shown whose tool declares no renderer: by what is in it, and where that does not tell, by what its tool is called (C19).
//!
//! Only what is plainly one thing is shown as it. Everything else is the result as it is, a tree.

use serde_json::{Map, Value};

use super::patch::is_patch;
use super::picture::DataPicture;
use super::table::{Table, names_in};

/// A way to show a result that nobody declared. What is beside the thing itself is kept, as `rest`.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// What a program wrote.
    Terminal(TerminalText),
    /// A file before and after.
    Difference {
        /// The file, if it is known.
        path: Option<String>,
        /// What it was, or the part of it that was changed.
        before: String,
        /// What it became.
        after: String,
        /// The other fields.
        rest: Fields,
    },
    /// A unified patch.
    Patch {
        /// The file, if it is one that is known.
        path: Option<String>,
        /// The patch.
        text: String,
        /// The other fields.
        rest: Fields,
    },
    /// Rows and columns.
    Table {
        /// The table.
        table: Table,
        /// The other fields.
        rest: Fields,
    },
    /// A picture.
    Picture {
        /// The picture.
        picture: DataPicture,
        /// The other fields.
        rest: Fields,
    },
    /// Names and values that need no tree.
    KeyValue(Fields),
    /// Anything.
    Tree(Value),
}

/// Names and values, in order.
pub type Fields = Vec<(String, Value)>;

/// What a program wrote, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalText {
    /// What was run, if the result or the arguments say.
    pub command: Option<String>,
    /// What it wrote.
    pub output: String,
    /// What it wrote as errors.
    pub errors: String,
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// The other fields.
    pub rest: Fields,
}

/// So many names and values are read at a glance.
const MOST_FIELDS: usize = 40;
/// A text longer than this is no value among others.
const LONGEST_VALUE: usize = 2_000;

/// Names of tools that run something in a terminal.
const TERMINALS: [&str; 8] = ["bash", "sh", "shell", "terminal", "run_command", "execute_command", "run_shell", "exec"];
/// Pairs of fields that hold a text before and after.
const PAIRS: [(&str, &str); 7] = [
    ("before", "after"),
    ("old_content", "new_content"),
    ("old_text", "new_text"),
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("original", "modified"),
    ("old", "new"),
];

impl Plain {
    /// Chooses the view of a result. `tool` is the tool's id, whole or bare.
    #[must_use]
    pub fn of(tool: &str, args: &Value, result: Value) -> Self {
        let name = bare(tool);
        let fields = match result {
            Value::Object(fields) => fields,
            Value::Array(list) if is_table(&list) => {
                return match Table::of_objects(list) {
                    Ok(table) => Self::Table { table, rest: Vec::new() },
                    Err(list) => Self::Tree(Value::Array(list)),
                };
            }
            Value::String(text) => return of_text(&name, args, text),
            other => return Self::Tree(other),
        };
        by_content(&name, args, &fields).unwrap_or_else(|| table(fields))
    }

    /// Whether a result is something to look at, rather than names and values to read. It builds nothing: a chat asks it of every call.
    #[must_use]
    pub fn is_to_be_seen(tool: &str, args: &Value, result: &Value) -> bool {
        let name = bare(tool);
        match result {
            Value::Object(fields) => by_content(&name, args, fields).is_some() || table_in(fields).is_some(),
            Value::Array(list) => is_table(list),
            Value::String(text) => !matches!(of_text(&name, args, text.clone()), Self::Tree(_)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

fn bare(tool: &str) -> String {
    tool.rsplit([':', '/']).next().unwrap_or(tool).to_ascii_lowercase()
}

fn by_content(name: &str, args: &Value, fields: &Map<String, Value>) -> Option<Plain> {
    // What the tool gave says more than what it was asked: where a change is, and whether it was made.
    terminal(name, args, fields)
        .or_else(|| difference_given(args, fields))
        .or_else(|| patch_given(args, fields))
        .or_else(|| difference_asked(name, args, fields))
        .or_else(|| patch_asked(args, fields))
        .or_else(|| picture(fields))
}

fn of_text(name: &str, args: &Value, text: String) -> Plain {
    if is_patch(&text) {
        return Plain::Patch { path: text_of(args, &PATHS), text, rest: Vec::new() };
    }
    if let Some(picture) = DataPicture::of_address(&text) {
        return Plain::Picture { picture, rest: Vec::new() };
    }
    if TERMINALS.contains(&name) {
        let command = text_of(args, &["command", "cmd"]);
        return Plain::Terminal(TerminalText { command, output: text, ..TerminalText::default() });
    }
    Plain::Tree(Value::String(text))
}

fn terminal(name: &str, args: &Value, fields: &Map<String, Value>) -> Option<Plain> {
    // So many fields beside it are read at a glance; something that has more to say is no terminal.
    const MOST_BESIDE: usize = 6;
    let text = |key: &'static str| Some((key, fields.get(key)?.as_str()?));
    let number = |key: &'static str| Some((key, fields.get(key)?.as_i64()?));
    let is_terminal = TERMINALS.contains(&name);
    let errors = text("stderr");
    let output = text("stdout").or_else(|| text("output").filter(|_| is_terminal));
    output.or(errors)?;
    let command = ["command", "cmd"].into_iter().find_map(text);
    let exit_code = ["exit_code", "exitcode", "returncode", "return_code", "code"].into_iter().find_map(number);
    let shown: Vec<&str> = [output, errors, command].into_iter().flatten().map(|(key, _)| key).collect();
    let shown = [shown, exit_code.iter().map(|(key, _)| *key).collect()].concat();
    let rest = without(fields, &shown);
    let text = |found: Option<(&str, &str)>| found.map(|(_, text)| text.to_owned());
    (rest.len() <= MOST_BESIDE).then(|| {
        Plain::Terminal(TerminalText {
            command: text(command).or_else(|| text_of(args, &["command", "cmd", "script"])),
            output: text(output).unwrap_or_default(),
            errors: text(errors).unwrap_or_default(),
            exit_code: exit_code.map(|(_, code)| code),
            rest,
        })
    })
}

/// What holds the path of a file.
const PATHS: [&str; 4] = ["path", "file_path", "filename", "file"];

/// The file that a result is about.
fn path_of(args: &Value, fields: &Map<String, Value>) -> Option<String> {
    let given = PATHS.iter().find_map(|key| fields.get(*key)?.as_str());
    given.map(str::to_owned).or_else(|| text_of(args, &PATHS))
}

/// A text before and after, and the two fields that hold them.
fn pair(of: impl Fn(&str) -> Option<String>) -> Option<(String, String, [&'static str; 2])> {
    PAIRS.iter().find_map(|(before, after)| Some((of(before)?, of(after)?, [*before, *after])))
}

/// A file before and after, in the result.
fn difference_given(args: &Value, fields: &Map<String, Value>) -> Option<Plain> {
    let (before, after, keys) = pair(|key| fields.get(key).and_then(Value::as_str).map(str::to_owned))?;
    let path = path_of(args, fields);
    let is_text = before.contains('\n') || after.contains('\n') || path.is_some();
    is_text.then(|| Plain::Difference { path, before, after, rest: without(fields, &keys) })
}

/// A file before and after, in the arguments of a tool that edits.
fn difference_asked(name: &str, args: &Value, fields: &Map<String, Value>) -> Option<Plain> {
    let edits = ["edit", "replace", "write", "update", "patch"].iter().any(|word| name.contains(word));
    let (before, after, _) = pair(|key| text_of(args, &[key])).filter(|_| edits)?;
    Some(Plain::Difference { path: path_of(args, fields), before, after, rest: without(fields, &[]) })
}

/// A patch in the result.
fn patch_given(args: &Value, fields: &Map<String, Value>) -> Option<Plain> {
    let (key, text) = fields.iter().find_map(|(key, value)| {
        let text = value.as_str().filter(|text| is_patch(text))?;
        Some((key.as_str(), text.to_owned()))
    })?;
    Some(Plain::Patch { path: path_of(args, fields), text, rest: without(fields, &[key]) })
}

/// A patch that was asked for.
fn patch_asked(args: &Value, fields: &Map<String, Value>) -> Option<Plain> {
    let text = text_of(args, &["patch", "diff"]).filter(|text| is_patch(text))?;
    // A tool that says which files it changed, and that it was one.
    let only = match fields.get("files").and_then(Value::as_array).map(Vec::as_slice) {
        Some([one]) if one.get("action").and_then(Value::as_str) != Some("deleted") => text_of(one, &PATHS),
        _other => None,
    };
    Some(Plain::Patch { path: path_of(args, fields).or(only), text, rest: without(fields, &[]) })
}

fn picture(fields: &Map<String, Value>) -> Option<Plain> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let typed = ["media_type", "mime_type", "mimeType", "content_type"].iter().find_map(|key| Some((*key, text(key)?)));
    if let Some((type_key, media_type)) = typed {
        let data = ["data", "base64", "image", "content"].iter().find_map(|key| Some((*key, text(key)?)));
        if let Some((data_key, data)) = data
            && let Some(picture) = DataPicture::new(media_type, data)
        {
            return Some(Plain::Picture { picture, rest: without(fields, &[type_key, data_key, "type"]) });
        }
    }
    let found = fields.iter().find_map(|(key, value)| {
        let picture = DataPicture::of_address(value.as_str()?)?;
        Some((key.as_str(), picture))
    });
    found.map(|(key, picture)| Plain::Picture { picture, rest: without(fields, &[key]) })
}

/// Where a table is in a result.
enum TableAt {
    /// Rows in this field, and the names of their columns beside them.
    Named(&'static str, Vec<String>),
    /// One list of objects among small fields.
    Objects(String),
}

fn table_in(fields: &Map<String, Value>) -> Option<TableAt> {
    let names = fields
        .get("columns")
        .and_then(Value::as_array)
        .and_then(|columns| columns.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>());
    let names = names.filter(|names| Table::takes(names));
    let is_row = |row: &Value| row.is_array() || row.is_object();
    let is_list = |key: &&str| fields.get(*key).and_then(Value::as_array).is_some_and(|list| list.iter().all(is_row));
    if let (Some(names), Some(key)) = (names, ["rows", "data"].into_iter().find(is_list)) {
        return Some(TableAt::Named(key, names));
    }
    let mut large = fields.iter().filter(|(_, value)| value.is_array() || value.is_object());
    let (Some((key, Value::Array(list))), None) = (large.next(), large.next()) else { return None };
    is_table(list).then(|| TableAt::Objects(key.clone()))
}

/// Whether a list is the rows of a table. One row with more inside is better seen as a tree.
fn is_table(list: &[Value]) -> bool {
    let is_flat = |row: &Value| {
        row.as_object().is_some_and(|row| !row.values().any(|value| value.is_object() || value.is_array()))
    };
    match list {
        [] => false,
        [one] => is_flat(one) && names_in(list).is_some(),
        _several => names_in(list).is_some(),
    }
}

/// A table in the result, or names and values, or a tree.
fn table(mut fields: Map<String, Value>) -> Plain {
    let take = |fields: &mut Map<String, Value>, key: &str| match fields.get_mut(key).map(Value::take) {
        Some(Value::Array(list)) => list,
        _not_a_list => Vec::new(),
    };
    match table_in(&fields) {
        Some(TableAt::Named(key, names)) => {
            let list = take(&mut fields, key);
            if let Some(table) = Table::of_lists(names, list.clone()) {
                return Plain::Table { table, rest: without(&fields, &[key, "columns", "index"]) };
            }
            fields.insert(key.to_owned(), Value::Array(list));
        }
        Some(TableAt::Objects(key)) => match Table::of_objects(take(&mut fields, &key)) {
            Ok(table) => return Plain::Table { table, rest: without(&fields, &[&key]) },
            Err(list) => drop(fields.insert(key, Value::Array(list))),
        },
        None => {}
    }
    let is_small = |value: &Value| match value {
        Value::String(text) => text.len() <= LONGEST_VALUE,
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    };
    if !fields.is_empty() && fields.len() <= MOST_FIELDS && fields.values().all(is_small) {
        return Plain::KeyValue(fields.into_iter().collect());
    }
    Plain::Tree(Value::Object(fields))
}

fn without(fields: &Map<String, Value>, keys: &[&str]) -> Fields {
    (fields.iter())
        .filter(|(key, _)| !keys.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn text_of(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| value.get(key)?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(tool: &str, args: Value, result: Value) -> String {
        let keys = |rest: &Fields| rest.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(",");
        let is_seen = Plain::is_to_be_seen(tool, &args, &result);
        let plain = Plain::of(tool, &args, result);
        assert_eq!(is_seen, !matches!(plain, Plain::KeyValue(_) | Plain::Tree(_)), "{plain:?}");
        match plain {
            Plain::Terminal(text) => {
                let TerminalText { command, output, errors, exit_code, rest } = text;
                format!("terminal {command:?} {output:?} {errors:?} {exit_code:?} [{}]", keys(&rest))
            }
            Plain::Difference { path, before, after, rest } => {
                format!("difference {path:?} {before:?} {after:?} [{}]", keys(&rest))
            }
            Plain::Patch { path, rest, .. } => format!("patch {path:?} [{}]", keys(&rest)),
            Plain::Table { table, rest } => {
                format!("table {}x{} [{}]", table.len(), table.columns().len(), keys(&rest))
            }
            Plain::Picture { picture, rest } => format!("picture {} [{}]", picture.media_type(), keys(&rest)),
            Plain::KeyValue(fields) => format!("key-value [{}]", keys(&fields)),
            Plain::Tree(value) => format!("tree {value}"),
        }
    }

    /// C19
    #[test]
    fn the_content_tells_the_view() {
        let check = |result: Value, expected: &str| assert_eq!(told("mine:tool", json!({}), result), expected);
        check(json!({"stdout": "a\n", "stderr": "", "exit_code": 2}), r#"terminal None "a\n" "" Some(2) []"#);
        check(json!({"before": "a\n", "after": "b\n", "n": 1}), r#"difference None "a\n" "b\n" [n]"#);
        check(json!({"diff": "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b", "ok": true}), "patch None [ok]");
        check(json!({"rows": [{"a": 1}, {"a": 2}], "total": 2}), "table 2x1 [total]");
        check(json!({"rows": [{"a": 1, "b": "x"}], "total": 1}), "table 1x2 [total]");
        check(json!([{"a": 1}]), "table 1x1 []");
        check(json!({"rows": [{"a": {"b": 1}}]}), r#"tree {"rows":[{"a":{"b":1}}]}"#);
        check(json!({"columns": ["a", "b"], "data": [[1, 2]], "index": [0]}), "table 1x2 []");
        check(json!({"image": "data:image/png;base64,iVBORw0KGgo=", "width": 3}), "picture image/png [width]");
        check(json!({"type": "image", "mimeType": "image/jpeg", "data": "/9j/"}), "picture image/jpeg []");
        check(json!({"a": 1, "b": "x", "c": null}), "key-value [a,b,c]");
        check(json!({"a": {"b": 1}}), r#"tree {"a":{"b":1}}"#);
        check(json!({}), "tree {}");
        check(json!([{"a": 1}, {"a": 2}]), "table 2x1 []");
        check(json!([1, 2]), "tree [1,2]");
        check(json!("text"), r#"tree "text""#);
        check(json!({"rows": [1, 2, 3]}), r#"tree {"rows":[1,2,3]}"#);
    }

    /// C19: the name, and what it was called with.
    #[test]
    fn the_name_of_the_tool_tells_where_the_content_does_not() {
        let args = json!({"command": "ls"});
        assert_eq!(told("bash", args.clone(), json!({"output": "x"})), r#"terminal Some("ls") "x" "" None []"#);
        assert_eq!(told("mine:bash", args, json!("x")), r#"terminal Some("ls") "x" "" None []"#);
        let args = json!({"path": "a.py", "old_string": "1", "new_string": "2"});
        assert_eq!(told("edit_file", args.clone(), json!({"ok": true})), r#"difference Some("a.py") "1" "2" [ok]"#);
        assert_eq!(told("count", args, json!({"ok": true})), "key-value [ok]");
    }

    /// What the tool gave comes before what it was asked: a dry run is told as one, and a change where it was made.
    #[test]
    fn the_built_in_tools_that_edit_show_what_changed() {
        const PATCH: &str = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+2\n";
        let args = json!({"path": "a.py", "old_string": "1", "new_string": "2"});
        let result = json!({"path": "a.py", "replacements": 1, "lines": [1], "size": 2, "diff": PATCH});
        assert_eq!(told("edit_file", args, result), r#"patch Some("a.py") [path,replacements,lines,size]"#);
        let result = json!({"dry_run": true, "files": [{"path": "a.py", "action": "changed"}]});
        assert_eq!(
            told("apply_patch", json!({"patch": PATCH, "dry_run": true}), result),
            r#"patch Some("a.py") [dry_run,files]"#
        );
        for tool in crate::builtin::TOOLS.iter().filter(|tool| ["edit_file", "apply_patch"].contains(&tool.name)) {
            assert!(tool.renderer.is_none(), "{}", tool.name);
        }
    }

    /// What a terminal does not show stands beside it.
    #[test]
    fn nothing_beside_a_terminal_is_lost() {
        let result = json!({"stdout": "a", "status": "done", "duration": 3, "cwd": "/x", "code": 1});
        assert_eq!(told("t", json!({}), result), r#"terminal None "a" "" Some(1) [status,duration,cwd]"#);
        let result = json!({"stdout": "a", "output": "b", "exit_code": "zero"});
        assert_eq!(told("t", json!({}), result), r#"terminal None "a" "" None [output,exit_code]"#);
        let much = json!({"stdout": "a", "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1});
        assert_eq!(told("t", json!({}), much), "key-value [stdout,b,c,d,e,f,g,h]");
    }

    #[test]
    fn what_only_resembles_something_is_a_tree() {
        // A short answer with two words is no difference of files.
        assert_eq!(told("t", json!({}), json!({"old": "a", "new": "b"})), "key-value [old,new]");
        let picture = json!({"image": "data:image/png;base64,not base64!"});
        assert_eq!(told("t", json!({}), picture), "key-value [image]");
        let svg = json!({"image": "data:text/html;base64,PGI+"});
        assert_eq!(told("t", json!({}), svg), "key-value [image]");
    }
}
