//! Results that are too large for a row or a model, or no text: they become files of the workspace (R308).

use serde_json::Value;

use super::RunLimits;
use super::limits::beginning;
use crate::ids::ToolCallId;
use crate::record::Spilled;
use crate::store::Blob;
use crate::workspace::{Changes, FileEntry, WorkspacePath};

/// The folder of a workspace in which large results are.
const RESULTS: &str = ".satchel/results";

/// What a call gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Produced<'a> {
    /// JSON.
    Json(&'a Value),
    /// Bytes of some media type.
    Bytes {
        /// The media type.
        media_type: &'a str,
        /// The bytes.
        bytes: &'a [u8],
    },
}

/// A result that becomes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    /// What the call's row says of it.
    pub row: Spilled,
    /// The content of the file.
    pub content: Blob,
    /// The file.
    path: WorkspacePath,
}

impl Spill {
    /// A part of a result that is no text, by its place among those of the call.
    pub(super) fn of_part(id: &ToolCallId, at: usize, media_type: String, bytes: Vec<u8>) -> Self {
        let (path, content) = (result_path(id, at, &media_type), Blob::new(bytes));
        let size = content.bytes().len() as u64;
        let row = Spilled { path: path.to_string(), sha256: content.id(), size, media_type, preview: String::new() };
        Self { row, content, path }
    }

    /// Where it goes.
    pub(super) fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Puts the file beside other changes, to be part of the same state.
    #[must_use]
    pub fn put_in(&self, changes: Changes) -> Changes {
        changes.put(self.path.clone(), FileEntry { sha256: self.row.sha256, size: self.row.size })
    }
}

/// Which results of a round become files, in call order: those that are too large, and those that are no JSON. The others stay in their
/// rows. All files of a round belong into one state, after all its calls are in.
#[must_use]
pub fn spill(round: &[(&ToolCallId, Produced<'_>)], limits: &RunLimits) -> Vec<Option<Spill>> {
    round.iter().map(|(id, produced)| one(id, *produced, limits)).collect()
}

fn one(id: &ToolCallId, produced: Produced<'_>, limits: &RunLimits) -> Option<Spill> {
    let (media_type, extension, bytes, preview) = match produced {
        Produced::Json(value) => {
            let compact = value.to_string();
            if compact.len() <= limits.result_bytes {
                return None;
            }
            // With line breaks, so that a person and `head` can read it.
            let text = serde_json::to_string_pretty(value).unwrap_or(compact);
            let preview = beginning(&text, limits.preview_bytes).to_owned();
            ("application/json".to_owned(), "json", text.into_bytes(), preview)
        }
        Produced::Bytes { media_type, bytes } => {
            let preview = format!("{} bytes of {media_type}", bytes.len());
            let preview = beginning(&preview, limits.preview_bytes).to_owned();
            (media_type.to_owned(), extension_of(media_type), bytes.to_vec(), preview)
        }
    };
    let path = format!("{RESULTS}/{id}.{extension}");
    let path = WorkspacePath::parse(path).expect("a UUID and a short extension make a path");
    let content = Blob::new(bytes);
    let row = Spilled {
        path: path.to_string(),
        sha256: content.id(),
        size: content.bytes().len() as u64,
        media_type,
        preview,
    };
    Some(Spill { row, content, path })
}

/// Where the bytes go that a call gave, by their place among them.
fn result_path(id: &ToolCallId, at: usize, media_type: &str) -> WorkspacePath {
    let number = if at == 0 { String::new() } else { format!("-{}", at + 1) };
    let path = format!("{RESULTS}/{id}{number}.{}", extension_of(media_type));
    WorkspacePath::parse(path).expect("a UUID, a number and a short extension make a path")
}

/// The usual end of a file's name for a media type.
fn extension_of(media_type: &str) -> &'static str {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    match essence.to_ascii_lowercase().as_str() {
        "application/json" => "json",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "audio/mpeg" => "mp3",
        "audio/wav" | "audio/x-wav" => "wav",
        "image/gif" => "gif",
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/svg+xml" => "svg",
        "image/webp" => "webp",
        "text/csv" => "csv",
        "text/html" => "html",
        "text/markdown" => "md",
        text if text.starts_with("text/") => "txt",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(number: u32) -> ToolCallId {
        ToolCallId::parse(format!("0198c5a4-7c1e-7000-8000-{number:012}")).expect("is a UUID")
    }

    fn limits() -> RunLimits {
        RunLimits { result_bytes: 20, preview_bytes: 8, ..RunLimits::default() }
    }

    /// R308: over the limit or binary, in call order, and no other.
    #[test]
    fn large_and_binary_results_become_files() {
        let (small, large) = (json!({"a": 1}), json!({"text": "ü".repeat(20)}));
        let bytes = Produced::Bytes { media_type: "image/png; q=1", bytes: &[0xff; 4] };
        let round = [(&id(1), Produced::Json(&small)), (&id(2), Produced::Json(&large)), (&id(3), bytes)];
        let spills = spill(&round, &limits());
        assert_eq!(spills[0], None);
        let rows: Vec<&Spilled> = spills.iter().flatten().map(|spill| &spill.row).collect();
        insta::assert_json_snapshot!(rows, @r#"
        [
          {
            "path": ".satchel/results/0198c5a4-7c1e-7000-8000-000000000002.json",
            "sha256": "c82625f402a1d7a38b48f0a72432927a976e1890093b8d5d16c7d20330ecb3ae",
            "size": 56,
            "media_type": "application/json",
            "preview": "{\n  \"tex"
          },
          {
            "path": ".satchel/results/0198c5a4-7c1e-7000-8000-000000000003.png",
            "sha256": "ad95131bc0b799c0b1af477fb14fcf26a6a9f76079e48bf090acb7e8367bfd0e",
            "size": 4,
            "media_type": "image/png; q=1",
            "preview": "4 bytes "
          }
        ]
        "#);
        let changes = spills.iter().flatten().fold(Changes::default(), |changes, spill| spill.put_in(changes));
        assert_eq!(changes.puts().count(), 2);
    }

    #[test]
    fn the_limits_of_a_result_are_those_of_the_requirement() {
        let limits = RunLimits::default();
        assert_eq!((limits.result_bytes, limits.preview_bytes), (65_536, 2_048));
        // `{"a":"…"}` has eight bytes beside the text.
        let of = |length: usize| json!({"a": "x".repeat(length - 8)});
        assert_eq!(spill(&[(&id(1), Produced::Json(&of(65_536)))], &limits), [None]);
        assert!(spill(&[(&id(1), Produced::Json(&of(65_537)))], &limits)[0].is_some());
    }
}
