//! The description of a build: its name, its files, and the headers they are answered with.

use serde::{Deserialize, Serialize};

use crate::digest;
use crate::dist::policy::Headers;

/// What `satchel-build.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BuildDescription {
    /// Names the build by its contents.
    pub(crate) build: String,
    /// Every file, sorted by path.
    pub(crate) files: Vec<FileEntry>,
    /// The headers of every kind of answer.
    pub(crate) headers: Headers,
}

/// One served file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    /// From the root of the site, with the leading slash.
    pub(crate) path: String,
    /// Of the plain bytes.
    pub(crate) sha256: String,
    /// Plain.
    pub(crate) bytes: u64,
    /// Of the brotli file beside it; absent when there is none.
    pub(crate) br_bytes: Option<u64>,
    /// The content type to answer with.
    pub(crate) content_type: String,
    /// Whether the name changes with the contents, so that it can be kept for ever.
    pub(crate) immutable: bool,
    /// When the service worker fetches it.
    pub(crate) part: Part,
}

/// When the service worker fetches a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    /// When it is installed: the app opens with these.
    Shell,
    /// When it is first used, or in idle time.
    Lazy,
    /// Only when it is first used: most people never need it, and it is large.
    OnDemand,
}

impl FileEntry {
    /// How many bytes cross the wire.
    pub(crate) fn sent_bytes(&self) -> u64 {
        self.br_bytes.unwrap_or(self.bytes)
    }
}

impl BuildDescription {
    /// The same build with only the files that the service worker can keep.
    pub(crate) fn cached_part(&self) -> Self {
        let kept = |entry: &&FileEntry| !super::is_outside_cache(&entry.path);
        Self { files: self.files.iter().filter(kept).cloned().collect(), ..self.clone() }
    }
}

/// The name of a build: 16 hexadecimal digits over every path with its hash, and the headers.
///
/// The headers are covered too, because the service worker answers with the ones it was installed with.
pub(crate) fn build_name(files: &[FileEntry], headers: &Headers) -> String {
    let mut lines: Vec<String> = files.iter().map(|entry| format!("{} {}\n", entry.path, entry.sha256)).collect();
    lines.sort();
    for (kind, headers) in
        [("app", &headers.app), ("cage", &headers.cage), ("frame", &headers.frame), ("any", &headers.any)]
    {
        lines.extend(headers.iter().map(|(name, value)| format!("{kind} {name}: {value}\n")));
    }
    digest::hex(lines.concat().as_bytes())[..16].to_owned()
}

/// Whether a file's name changes with its contents: a hash in the name, or in that of its folder.
pub(crate) fn is_immutable(name: &str) -> bool {
    if let Some(inside) = name.strip_prefix("vendor/") {
        let folder = inside.split('/').next().unwrap_or("");
        return folder.rsplit_once('-').is_some_and(|(_, hash)| is_hash(hash));
    }
    let parts = name.split(['/', '.', '_']);
    parts.filter_map(|part| part.rsplit_once('-')).any(|(_, hash)| is_hash(hash))
}

/// Trunk writes 64 bits in hexadecimal without leading zeros, wasm-bindgen's snippets likewise.
fn is_hash(text: &str) -> bool {
    (12..=16).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::policy;

    #[test]
    fn only_names_with_a_hash_are_immutable() {
        let check = |name: &str, expected: bool| assert_eq!(is_immutable(name), expected, "{name}");
        check("satchel-app-1a2b3c4d5e6f7081.js", true);
        check("satchel-app-1a2b3c4d5e6f7081_bg.wasm", true);
        check("style-a2b3c4d5e6f7081.css", true);
        check("snippets/gloo-1a2b3c4d5e6f7081/inline0.js", true);
        check("vendor/pyodide-314.0.7-1a2b3c4d5e6f7081/pyodide.mjs", true);
        check("vendor/pyodide-314.0.7/pyodide-lock.json", false);
        check("vendor/core-worker-fedcba9876543210/core-worker.js", true);
        check("vendor/editor-a1b2c3d4e5f60718/editor.js", true);
        check("vendor/shared/pyodide.mjs", false);
        check("index.html", false);
        check("early.js", false);
        check("service-worker.js", false);
        check("icons/icon-192.png", false);
        check("icons/icon-facade.png", false);
    }

    #[test]
    fn the_name_follows_contents_and_headers_and_not_the_order() {
        let entry = |path: &str, sha256: &str| FileEntry {
            path: path.to_owned(),
            sha256: sha256.to_owned(),
            bytes: 1,
            br_bytes: None,
            content_type: String::new(),
            immutable: false,
            part: Part::Shell,
        };
        let headers = policy::headers(&[]);
        let name = build_name(&[entry("/a", "1"), entry("/b", "2")], &headers);
        assert_eq!(name, build_name(&[entry("/b", "2"), entry("/a", "1")], &headers));
        assert_ne!(name, build_name(&[entry("/a", "1"), entry("/b", "3")], &headers));
        assert_ne!(name, build_name(&[entry("/a", "1"), entry("/b", "2")], &policy::headers(&["'x'".to_owned()])));
        assert_eq!(name.len(), 16);
    }
}
