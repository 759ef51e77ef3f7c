//! What a tool of an MCP server gave back, as a result like that of any other tool.
//!
//! Structured content is the result itself, so that a renderer finds its fields by their names; otherwise the texts are. What is no text goes
//! beside it: a picture is shown, and like all bytes becomes a file, of which the result says where it is (R308). Nothing that came is
//! trusted: it is bounded, decoded, and named by us.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::base64;
use crate::protocol::McpCallResult;

/// A result that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallReading {
    /// The result, an object.
    pub result: Map<String, Value>,
    /// Whether the result is what the tool's output schema speaks of.
    pub is_structured: bool,
    /// What the tool says went wrong.
    pub failure: Option<String>,
    /// What is to be shown, each as a media type and its content.
    pub displays: Vec<BTreeMap<String, String>>,
    /// What is no text, in order.
    pub files: Vec<ReadFile>,
    /// What could not be read, in sentences.
    pub notes: Vec<String>,
}

/// Bytes that a tool gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// What they are, as the tool says.
    pub media_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The pictures that a page can show by itself. SVG is not among them: it is a program.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

impl CallReading {
    /// Reads what a tool gave, of it at most so many bytes that are no text.
    #[must_use]
    pub fn of(given: McpCallResult, most_bytes: usize) -> Self {
        let McpCallResult { content, structured_content, is_error } = given;
        let mut read = Self::default();
        let (mut texts, mut links, mut resources, mut left) = (Vec::new(), Vec::new(), Vec::new(), most_bytes);
        for block in &content {
            let text = |key: &str| block.get(key).and_then(Value::as_str);
            match text("type") {
                Some("text") => texts.push(text("text").unwrap_or_default().to_owned()),
                Some("image" | "audio") => read.bytes(text("data"), text("mimeType"), &mut left),
                Some("resource_link") => links.push(described(block)),
                Some("resource") => {
                    let resource = block.get("resource").unwrap_or(&Value::Null);
                    let inner = |key: &str| resource.get(key).and_then(Value::as_str);
                    match inner("text") {
                        Some(_) => resources.push(described(resource)),
                        None => read.bytes(inner("blob"), inner("mimeType"), &mut left),
                    }
                }
                other => {
                    let kind: String = other.unwrap_or("without a type").chars().take(80).collect();
                    read.notes.push(format!("it returned content of an unknown kind ({kind})"));
                }
            }
        }
        if is_error {
            let said = texts.join("\n");
            read.failure = Some(if said.trim().is_empty() { "the tool says that it failed".into() } else { said });
            return read;
        }
        read.is_structured = structured_content.is_some();
        match structured_content {
            Some(Value::Object(structured)) => read.result = structured,
            Some(other) => drop(read.result.insert("value".into(), other)),
            None if texts.is_empty() => {}
            None => drop(read.result.insert("text".into(), texts.join("\n\n").into())),
        }
        for (key, list) in [("links", links), ("resources", resources)] {
            if !list.is_empty() && !read.is_structured {
                read.result.insert(key.into(), list.into());
            } else if !list.is_empty() {
                // The structured result is the tool's own; what came beside it is shown beside it.
                let text = serde_json::to_string_pretty(&list).unwrap_or_default();
                read.displays.push(BTreeMap::from([("application/json".to_owned(), text)]));
            }
        }
        read
    }

    /// Says in the result where its files are.
    #[must_use]
    pub fn with_files(mut self, paths: &[String]) -> Self {
        if paths.is_empty() || self.failure.is_some() {
            return self;
        }
        let file = |(file, path): (&ReadFile, &String)| json!({"path": path, "media_type": file.media_type, "bytes": file.bytes.len()});
        let files: Vec<Value> = self.files.iter().zip(paths).map(file).collect();
        if self.is_structured {
            self.notes.push(format!("what it returned besides its result is in {}", paths.join(", ")));
        } else {
            self.result.insert("files".into(), files.into());
        }
        self
    }

    fn bytes(&mut self, data: Option<&str>, media_type: Option<&str>, left: &mut usize) {
        let media_type: String = media_type.unwrap_or("application/octet-stream").chars().take(120).collect();
        let data = data.unwrap_or_default();
        if data.len() / 4 * 3 > *left {
            self.notes.push(format!("it returned too much; {media_type} of {} bytes was left out", data.len() / 4 * 3));
            return;
        }
        let Some(bytes) = base64::decode(data) else {
            self.notes.push(format!("it returned {media_type} that cannot be read"));
            return;
        };
        *left = left.saturating_sub(bytes.len());
        if PICTURES.contains(&media_type.as_str()) {
            self.displays.push(BTreeMap::from([(media_type.clone(), base64::encode(&bytes))]));
        }
        self.files.push(ReadFile { media_type, bytes });
    }
}

/// What a link or a resource says of itself, and nothing else of it.
fn described(resource: &Value) -> Value {
    let kept = ["uri", "name", "title", "description", "mimeType", "size", "text"];
    let member = |key: &str| Some((key.to_owned(), resource.get(key)?.clone()));
    Value::Object(kept.into_iter().filter_map(member).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: Value, structured: Option<Value>, is_error: bool) -> CallReading {
        let content = content.as_array().cloned().unwrap_or_default();
        CallReading::of(McpCallResult { content, structured_content: structured, is_error }, 1_000)
    }

    fn check(content: Value, structured: Option<Value>, expected: Value) {
        let paths = ["a.png".to_owned(), "b.wav".to_owned()];
        let read = read(content, structured, false);
        let count = read.files.len();
        assert_eq!(Value::Object(read.with_files(&paths[..count]).result), expected);
    }

    /// R128: every kind of content.
    #[test]
    fn content_becomes_a_result() {
        let text = |text: &str| json!({"type": "text", "text": text});
        check(json!([text("one"), text("two")]), None, json!({"text": "one\n\ntwo"}));
        check(json!([]), None, json!({}));
        check(json!([text("{\"sum\":3}")]), Some(json!({"sum": 3})), json!({"sum": 3}));
        check(json!([]), Some(json!([1])), json!({"value": [1]}));
        check(
            json!([{"type": "resource_link", "uri": "file:///a", "name": "a", "_meta": {}}]),
            None,
            json!({"links": [{"uri": "file:///a", "name": "a"}]}),
        );
        check(
            json!([{"type": "resource", "resource": {"uri": "x:1", "mimeType": "text/plain", "text": "hi"}}]),
            None,
            json!({"resources": [{"uri": "x:1", "mimeType": "text/plain", "text": "hi"}]}),
        );
    }

    /// R128, R308: bytes become files, and a picture is shown.
    #[test]
    fn bytes_become_files() {
        let content = json!([
            {"type": "text", "text": "here"},
            {"type": "image", "data": "Zm9v", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "x:1", "mimeType": "audio/wav", "blob": "Zm8="}},
        ]);
        check(
            content.clone(),
            None,
            json!({"text": "here", "files": [
                {"path": "a.png", "media_type": "image/png", "bytes": 3},
                {"path": "b.wav", "media_type": "audio/wav", "bytes": 2},
            ]}),
        );
        let read = read(content, None, false);
        assert_eq!(read.displays, [BTreeMap::from([("image/png".to_owned(), "Zm9v".to_owned())])]);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let large = "A".repeat(4_000);
        let content = json!([
            {"type": "hologram"},
            {"type": "image", "data": "!!", "mimeType": "image/png"},
            {"type": "audio", "data": large, "mimeType": "audio/wav"},
        ]);
        let read = read(content, None, false);
        assert_eq!(
            read.notes,
            [
                "it returned content of an unknown kind (hologram)",
                "it returned image/png that cannot be read",
                "it returned too much; audio/wav of 3000 bytes was left out",
            ]
        );
        assert_eq!((read.files, read.displays), (vec![], vec![]));
    }

    /// R128: `isError` is a failure with the tool's own words.
    #[test]
    fn an_error_is_one() {
        let said = |content: Value| read(content, None, true).failure;
        assert_eq!(said(json!([{"type": "text", "text": "no such file"}])).as_deref(), Some("no such file"));
        assert_eq!(said(json!([])).as_deref(), Some("the tool says that it failed"));
    }
}
