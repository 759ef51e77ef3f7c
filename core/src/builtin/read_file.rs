//! `read_file`: a text, whole or by lines; of anything else, how its bytes begin.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::lines::lines;
use super::view::path;
use super::{Failure, View};
use crate::record::RendererKind;
use crate::store::Store;
use crate::workspace::{ContentKind, HEX_LINE, WorkspacePath, hex_line};

pub(super) const TOOL: Builtin = Builtin {
    which: Which::ReadFile,
    name: "read_file",
    title: "Read file",
    description: "Reads a text file of the workspace, whole or a range of its lines. A long text is returned in parts, and the result says how to ask for the next one; for a file that is not text, the first bytes are returned in hexadecimal.",
    writes: false,
    input_schema,
    output_schema,
    renderer: Some((RendererKind::Code, || json!({"file": "$return.path"}))),
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path of the file."},
            "start_line": {"type": "integer", "default": 1, "description": "The first line to return, counting from 1. A negative number counts from the end of the file."},
            "end_line": {"type": "integer", "minimum": 1, "description": "The last line to return. The end of the file if omitted."},
            "line_numbers": {"type": "boolean", "default": false, "description": "Put the line number before each line."},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "start_line": {"type": "integer"},
            "end_line": {"type": "integer"},
            "total_lines": {"type": "integer"},
            "size": {"type": "integer"},
            "binary": {"const": true},
            "media_type": {"type": "string"},
            "truncated": {"type": "string"},
        },
        "required": ["path", "content", "size"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: String,
    start_line: Option<i64>,
    end_line: Option<usize>,
    #[serde(default)]
    line_numbers: bool,
}

pub(super) async fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let path = path(&arguments.path)?;
    let file = view.file(&path)?;
    let bytes = view.bytes(&path, file).await?;
    let mut result = match ContentKind::of(&path, &bytes) {
        ContentKind::Text | ContentKind::DrawnText(_) => {
            let text = str::from_utf8(&bytes).expect("a text is UTF-8");
            part(&path, text, &arguments, view.limits.told_bytes)?
        }
        ContentKind::Picture(media_type) => binary(&bytes, Some(media_type), view.limits.hex_bytes),
        ContentKind::Bytes => binary(&bytes, None, view.limits.hex_bytes),
    };
    result["path"] = path.as_str().into();
    result["size"] = file.size.into();
    Ok(result)
}

/// The lines that are asked for, as far as they fit.
fn part(path: &WorkspacePath, text: &str, arguments: &Arguments, most: usize) -> Result<Value, Failure> {
    let all = lines(text);
    let total = all.len();
    let asked = arguments.start_line.unwrap_or(1);
    let start = match usize::try_from(asked) {
        Ok(start) => start.max(1),
        Err(_negative) => total.saturating_sub(usize::try_from(asked.unsigned_abs()).unwrap_or(usize::MAX)) + 1,
    };
    if start > total && start > 1 {
        return Err(Failure::NoSuchLine { path: path.clone(), lines: total, asked: start });
    }
    let end = arguments.end_line.unwrap_or(total).min(total);
    let (mut content, mut told, mut truncated) = (String::new(), start - 1, None);
    for (at, line) in all.iter().enumerate().take(end).skip(start - 1) {
        let numbered = if arguments.line_numbers { format!("{:>6}\t{line}", at + 1) } else { (*line).to_owned() };
        if content.len() + numbered.len() > most {
            if content.is_empty() {
                // One line that is too long is told as far as it goes.
                content.push_str(&numbered[..numbered.floor_char_boundary(most)]);
                told = at + 1;
                truncated = Some(format!("line {told} has {} bytes, of which the first {most} are shown", line.len()));
            } else {
                truncated = Some(format!(
                    "lines {start} to {told} of {total} are shown; continue with \"start_line\": {}",
                    told + 1
                ));
            }
            break;
        }
        content.push_str(&numbered);
        told = at + 1;
    }
    let mut result =
        json!({"path": "", "content": content, "start_line": start, "end_line": told, "total_lines": total, "size": 0});
    if let Some(truncated) = truncated {
        result["truncated"] = truncated.into();
    }
    Ok(result)
}

/// How bytes that are no text begin, as a hex view shows them.
fn binary(bytes: &[u8], media_type: Option<&str>, most: usize) -> Value {
    let told = &bytes[..bytes.len().min(most)];
    let hex: Vec<String> = told.chunks(HEX_LINE).enumerate().map(|(at, line)| hex_line(at * HEX_LINE, line)).collect();
    let mut result = json!({"path": "", "content": hex.join("\n"), "size": 0, "binary": true});
    if let Some(media_type) = media_type {
        result["media_type"] = media_type.into();
    }
    if told.len() < bytes.len() {
        result["truncated"] = format!("the first {} of {} bytes are shown", told.len(), bytes.len()).into();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::BuiltinLimits;
    use super::super::sample::{check, check_with, refuses};
    use super::*;

    const FILES: &[(&str, &str)] =
        &[("a.txt", "one\ntwo\nthree\n"), ("empty", ""), ("b.bin", "a\0b"), ("src/c.py", "x")];

    fn told(content: &str, start: usize, end: usize) -> Value {
        json!({"path": "a.txt", "content": content, "start_line": start, "end_line": end, "total_lines": 3, "size": 14})
    }

    #[test]
    fn a_text_is_read_whole_or_by_lines() {
        let read = |arguments: Value, expected: Value| check(FILES, "read_file", arguments, expected);
        read(json!({"path": "a.txt"}), told("one\ntwo\nthree\n", 1, 3));
        read(json!({"path": "/workspace/a.txt", "start_line": 2}), told("two\nthree\n", 2, 3));
        read(json!({"path": "./a.txt", "start_line": 2, "end_line": 2}), told("two\n", 2, 2));
        read(json!({"path": "a.txt", "start_line": -1}), told("three\n", 3, 3));
        read(json!({"path": "a.txt", "start_line": -99, "end_line": 99}), told("one\ntwo\nthree\n", 1, 3));
        read(json!({"path": "a.txt", "end_line": 1, "line_numbers": true}), told("     1\tone\n", 1, 1));
        let empty =
            json!({"path": "empty", "content": "", "start_line": 1, "end_line": 0, "total_lines": 0, "size": 0});
        read(json!({"path": "empty"}), empty);
    }

    #[test]
    fn a_long_text_comes_in_parts() {
        let read = |most: usize, arguments: Value, expected: Value| {
            let limits = BuiltinLimits { told_bytes: most, ..BuiltinLimits::default() };
            check_with(&limits, FILES, "read_file", arguments, expected);
        };
        let mut part = told("one\ntwo\n", 1, 2);
        part["truncated"] = "lines 1 to 2 of 3 are shown; continue with \"start_line\": 3".into();
        read(10, json!({"path": "a.txt"}), part);
        read(10, json!({"path": "a.txt", "start_line": 3}), told("three\n", 3, 3));
        let mut line = told("th", 3, 3);
        line["truncated"] = "line 3 has 6 bytes, of which the first 2 are shown".into();
        read(2, json!({"path": "a.txt", "start_line": 3}), line);
    }

    #[test]
    fn what_is_no_text_tells_how_it_begins() {
        let content = "00000000  61 00 62                                          a.b";
        check(
            FILES,
            "read_file",
            json!({"path": "b.bin"}),
            json!({"path": "b.bin", "content": content, "size": 3, "binary": true}),
        );
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let read = |arguments: Value, message: &str| refuses(FILES, "read_file", arguments, message);
        read(json!({"path": "c.py"}), "there is no file \"c.py\" in this workspace; did you mean \"src/c.py\"?");
        read(json!({"path": "src"}), "\"src\" is a folder of 1 file; name a file in it, or list it");
        read(json!({"path": "a.txt", "start_line": 4}), "\"a.txt\" has 3 lines, and line 4 was asked for");
        read(
            json!({"path": "/etc/passwd"}),
            "\"/etc/passwd\" is an absolute path; write it from the workspace's top folder, without a leading \"/\" or drive letter",
        );
    }
}
