//! `satchel-build.json`: what the app's build says about its files and the headers to answer them with.
//!
//! Read once, and turned into header values there and then, so that nothing can fail while a request is answered.

use std::collections::{BTreeMap, HashMap};

use axum::http::{HeaderName, HeaderValue};
use serde::Deserialize;

/// Name of the file in a built app.
pub(super) const FILE_NAME: &str = "satchel-build.json";

/// What a built app consists of.
#[derive(Debug)]
pub(super) struct Description {
    pub(super) build: String,
    pub(super) files: HashMap<String, FileEntry>,
    /// On every answer.
    pub(super) common_headers: HeaderList,
}

/// One file of the app, ready to be answered.
#[derive(Debug)]
pub(super) struct FileEntry {
    pub(super) content_type: HeaderValue,
    /// Weak, because one validator stands for the file in every encoding.
    pub(super) etag: HeaderValue,
    pub(super) immutable: bool,
    pub(super) bytes: u64,
    pub(super) brotli_bytes: Option<u64>,
    /// Those of the app, the cage or the frame; none for other files.
    pub(super) headers: HeaderList,
}

/// Headers with their values.
pub(super) type HeaderList = Vec<(HeaderName, HeaderValue)>;

/// Why a description cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DescriptionError {
    /// It is not the JSON it should be.
    #[error("satchel-build.json cannot be read")]
    Json(#[from] serde_json::Error),
    /// A value cannot stand in a header.
    #[error("satchel-build.json has a value for {0} that no header can carry")]
    Header(String),
    /// A path does not start at the root of the app.
    #[error("satchel-build.json names a file outside the app: {0}")]
    Path(String),
    /// The page itself is missing.
    #[error("satchel-build.json does not name /index.html")]
    NoPage,
}

#[derive(Deserialize)]
struct RawDescription {
    build: String,
    files: Vec<RawFile>,
    headers: RawHeaders,
}

#[derive(Deserialize)]
struct RawFile {
    path: String,
    sha256: String,
    bytes: u64,
    br_bytes: Option<u64>,
    content_type: String,
    immutable: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawHeaders {
    any: BTreeMap<String, String>,
    app: BTreeMap<String, String>,
    cage: BTreeMap<String, String>,
    frame: BTreeMap<String, String>,
}

impl Description {
    pub(super) fn parse(json: &[u8]) -> Result<Self, DescriptionError> {
        let raw: RawDescription = serde_json::from_slice(json)?;
        let mut files = HashMap::with_capacity(raw.files.len());
        for file in &raw.files {
            if !is_inside(&file.path) {
                return Err(DescriptionError::Path(file.path.clone()));
            }
            let headers = match file.path.as_str() {
                "/index.html" | "/404.html" => header_list(&raw.headers.app)?,
                "/cage.html" => header_list(&raw.headers.cage)?,
                "/frame.html" => header_list(&raw.headers.frame)?,
                _ => HeaderList::new(),
            };
            let entry = FileEntry {
                content_type: header_value("content-type", &file.content_type)?,
                etag: header_value("etag", &format!("W/\"{}\"", file.sha256))?,
                immutable: file.immutable,
                bytes: file.bytes,
                brotli_bytes: file.br_bytes,
                headers,
            };
            files.insert(file.path.clone(), entry);
        }
        if !files.contains_key("/index.html") {
            return Err(DescriptionError::NoPage);
        }
        Ok(Self { build: raw.build, files, common_headers: header_list(&raw.headers.any)? })
    }
}

/// `/a/b.js`, and nothing that climbs out of a folder.
fn is_inside(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| {
        rest.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0']))
    })
}

fn header_list(headers: &BTreeMap<String, String>) -> Result<HeaderList, DescriptionError> {
    let pair = |(name, value): (&String, &String)| {
        let header: HeaderName = name.parse().map_err(|_| DescriptionError::Header(name.clone()))?;
        Ok((header, header_value(name, value)?))
    };
    headers.iter().map(pair).collect()
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue, DescriptionError> {
    value.parse().map_err(|_| DescriptionError::Header(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(path: &str, header: &str) -> String {
        format!(
            r#"{{"build": "b", "headers": {{"any": {{"x-test": {header:?}}}}}, "files": [
                {{"path": "/index.html", "sha256": "aa", "bytes": 1, "br_bytes": null, "content_type": "text/html",
                  "immutable": false, "part": "shell"}},
                {{"path": {path:?}, "sha256": "bb", "bytes": 1, "br_bytes": 1, "content_type": "text/plain",
                  "immutable": true, "part": "lazy"}}]}}"#
        )
    }

    #[test]
    fn a_sound_one_is_read() {
        let read = Description::parse(description("/a/b.txt", "x").as_bytes()).expect("reads");
        assert_eq!(read.files["/a/b.txt"].brotli_bytes, Some(1));
        assert_eq!(read.files["/index.html"].etag, "W/\"aa\"");
    }

    #[test]
    fn what_would_break_answers_is_refused_at_the_start() {
        let refused = |text: &str| Description::parse(text.as_bytes()).expect_err("is refused");
        for path in ["b.txt", "/../b.txt", "/a//b", "/a/./b", "/a\\b", "/"] {
            assert!(matches!(refused(&description(path, "x")), DescriptionError::Path(_)), "{path}");
        }
        assert!(matches!(refused(&description("/a", "x\ny")), DescriptionError::Header(_)));
        assert!(matches!(refused("{}"), DescriptionError::Json(_)));
        assert!(matches!(refused(r#"{"build": "b", "files": [], "headers": {}}"#), DescriptionError::NoPage));
    }
}
