//! `file_info`: what is known of a file or a folder without telling its content.

use serde::Deserialize;
use serde_json::{Value, json};

use super::declaration::{Builtin, Which};
use super::lines::{line_break, lines};
use super::view::path;
use super::{Failure, View};
use crate::store::Store;
use crate::workspace::{ContentKind, files_at};

pub(super) const TOOL: Builtin = Builtin {
    which: Which::FileInfo,
    name: "file_info",
    title: "File info",
    description: "Returns what a file of the workspace is without reading it out: its size, its SHA-256, whether it is text, a picture or binary, and how many lines a text has. For a folder it returns the number of files and their total size.",
    writes: false,
    input_schema,
    output_schema,
    renderer: None,
};

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"path": {"type": "string", "description": "The path of the file or folder."}},
        "required": ["path"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "type": {"enum": ["file", "folder"]},
            "size": {"type": "integer"},
            "files": {"type": "integer"},
            "sha256": {"type": "string"},
            "content": {"enum": ["text", "picture", "binary"]},
            "media_type": {"type": "string"},
            "lines": {"type": "integer"},
            "line_break": {"enum": ["lf", "crlf"]},
        },
        "required": ["path", "type", "size"],
        "additionalProperties": false,
    })
}

/// What it is asked.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: String,
}

pub(super) async fn run<S: Store>(arguments: Arguments, view: &mut View<'_, S>) -> Result<Value, Failure> {
    let path = path(arguments.path.strip_suffix('/').unwrap_or(&arguments.path))?;
    let Some(file) = view.files.get(&path).copied() else {
        let inside: Vec<u64> = files_at(view.files, &path).map(|(_, file)| file.size).collect();
        if inside.is_empty() {
            return Err(view.not_found(&path));
        }
        let (files, size) = (inside.len(), inside.iter().sum::<u64>());
        return Ok(json!({"path": path.as_str(), "type": "folder", "size": size, "files": files}));
    };
    let bytes = view.bytes(&path, file).await?;
    let mut info = json!({"path": path.as_str(), "type": "file", "size": file.size, "sha256": file.sha256.to_string()});
    let kind = ContentKind::of(&path, &bytes);
    let (content, media_type) = match kind {
        ContentKind::Text => ("text", None),
        ContentKind::DrawnText(media_type) => ("text", Some(media_type)),
        ContentKind::Picture(media_type) => ("picture", Some(media_type)),
        ContentKind::Bytes => ("binary", None),
    };
    info["content"] = content.into();
    if let Some(media_type) = media_type {
        info["media_type"] = media_type.into();
    }
    if content == "text" {
        let text = str::from_utf8(&bytes).expect("a text is UTF-8");
        info["lines"] = lines(text).len().into();
        info["line_break"] = if line_break(text) == "\n" { "lf" } else { "crlf" }.into();
    }
    Ok(info)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{check, refuses};
    use super::*;
    use crate::digest::BlobId;

    const FILES: &[(&str, &str)] = &[("a.txt", "1\r\n2"), ("src/b", "\0"), ("src/c.svg", "<svg/>")];

    #[test]
    fn files_and_folders_say_what_they_are() {
        let sha256 = |content: &str| BlobId::of(content.as_bytes()).to_string();
        check(
            FILES,
            "file_info",
            json!({"path": "a.txt"}),
            json!({"path": "a.txt", "type": "file", "size": 4, "sha256": sha256("1\r\n2"), "content": "text", "lines": 2, "line_break": "crlf"}),
        );
        check(
            FILES,
            "file_info",
            json!({"path": "src/b"}),
            json!({"path": "src/b", "type": "file", "size": 1, "sha256": sha256("\0"), "content": "binary"}),
        );
        let svg = json!({"path": "src/c.svg", "type": "file", "size": 6, "sha256": sha256("<svg/>"), "content": "text",
            "media_type": "image/svg+xml", "lines": 1, "line_break": "lf"});
        check(FILES, "file_info", json!({"path": "src/c.svg"}), svg);
        check(
            FILES,
            "file_info",
            json!({"path": "src/"}),
            json!({"path": "src", "type": "folder", "size": 7, "files": 2}),
        );
    }

    #[test]
    fn what_is_not_there_is_said() {
        refuses(
            FILES,
            "file_info",
            json!({"path": "A.txt"}),
            "there is no file \"A.txt\" in this workspace; did you mean \"a.txt\"?",
        );
    }
}
