//! Where packages come from: the folder next to the app, and the addresses the user has entered.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The lock file of the folder next to the app.
const OWN_FOLDER: &str = "/packages/pyodide-lock.json";

/// A place that offers packages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceAddress(String);

/// How a place says what it offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// One file that names everything, as Pyodide's distributions have it.
    Lock,
    /// One page for every package (PEP 691), as at PyPI.
    Index,
}

/// A text that should have been a [`SourceAddress`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not the address of a package source; it looks like https://packages.example.org/simple/ or https://example.com/pyodide-lock.json"
)]
pub struct SourceAddressError(String);

impl SourceAddress {
    /// Reads what somebody typed.
    pub fn parse(text: &str) -> Result<Self, SourceAddressError> {
        let text = text.trim();
        let refused = || SourceAddressError(text.chars().take(200).collect());
        let authority = origin(text).and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
        // A name or a password in it would be kept and shown.
        let is_good = authority.is_some_and(|authority| !authority.is_empty() && !authority.contains('@'))
            && !text
                .contains(|char: char| char.is_whitespace() || char.is_control() || matches!(char, '?' | '#' | '\\'));
        if !is_good {
            return Err(refused());
        }
        let ends = text.ends_with('/') || text.ends_with(".json");
        Ok(Self(if ends { text.to_owned() } else { format!("{text}/") }))
    }

    /// The folder next to the app.
    #[must_use]
    pub fn own_folder() -> Self {
        Self(OWN_FOLDER.into())
    }

    /// Whether it is the folder next to the app.
    #[must_use]
    pub fn is_own_folder(&self) -> bool {
        self.0 == OWN_FOLDER
    }

    /// How it says what it offers.
    #[must_use]
    pub fn kind(&self) -> SourceKind {
        if self.0.ends_with(".json") { SourceKind::Lock } else { SourceKind::Index }
    }

    /// The whole address.
    #[must_use]
    pub fn href(&self) -> &str {
        &self.0
    }

    /// The address of a file that a page of this source names, if it may be fetched: from anywhere over HTTPS, over plain HTTP from
    /// the source itself alone. What comes is checked by its hash either way; the rule keeps a source from sending the browser around
    /// the local network.
    #[must_use]
    pub fn file(&self, page: &str, reference: &str) -> Option<String> {
        let href = join(page, reference)?;
        (href.starts_with("https://") || origin(&href) == origin(&self.0)).then_some(href)
    }
}

impl fmt::Display for SourceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_own_folder() {
            true => f.write_str("the folder packages/ next to the app"),
            false => f.write_str(&self.0),
        }
    }
}

/// Scheme, host and port of an address of HTTP.
fn origin(href: &str) -> Option<&str> {
    let after = href.strip_prefix("https://").or_else(|| href.strip_prefix("http://"))?;
    let start = href.len() - after.len();
    Some(&href[..after.find('/').map_or(href.len(), |end| start + end)])
}

/// The address that a reference on a page means; nothing where it is of another scheme or leaves the root.
fn join(page: &str, reference: &str) -> Option<String> {
    let reference = reference.split('#').next().unwrap_or_default();
    if origin(reference).is_some() {
        return Some(reference.to_owned());
    }
    let has_scheme = reference.split('/').next().is_some_and(|first| first.contains(':'));
    if reference.is_empty() || reference.starts_with("//") || has_scheme || reference.contains('\\') {
        return None;
    }
    let origin = origin(page).unwrap_or_default();
    let folder = page[origin.len()..].rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if reference.starts_with('/') { reference.to_owned() } else { format!("{folder}/{reference}") };
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/').skip(1) {
        match name {
            "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(format!("{origin}/{}", names.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let check = |text: &str, expected: &str, kind: SourceKind| {
            let read = SourceAddress::parse(text).expect("is an address");
            assert_eq!((read.href(), read.kind()), (expected, kind));
        };
        check(" https://packages.example.org/simple ", "https://packages.example.org/simple/", SourceKind::Index);
        check("http://127.0.0.1:9000", "http://127.0.0.1:9000/", SourceKind::Index);
        check("https://a.example/full/pyodide-lock.json", "https://a.example/full/pyodide-lock.json", SourceKind::Lock);
        assert_eq!(SourceAddress::own_folder().kind(), SourceKind::Lock);
        for text in [
            "",
            "packages.example.org",
            "ftp://a.example/",
            "https://",
            "https://me:secret@a.example/",
            "https://a.example/?q=1",
        ] {
            assert!(SourceAddress::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_are_found_where_a_page_says() {
        let check = |source: &str, page: &str, reference: &str, expected: Option<&str>| {
            let source = SourceAddress(source.into());
            assert_eq!(source.file(page, reference).as_deref(), expected, "{reference}");
        };
        let (index, page) = ("https://a.example/simple/", "https://a.example/simple/attrs/");
        check(index, page, "https://files.example/attrs.whl#sha256=1", Some("https://files.example/attrs.whl"));
        check(index, page, "../../files/attrs.whl", Some("https://a.example/files/attrs.whl"));
        check(index, page, "/files/attrs.whl", Some("https://a.example/files/attrs.whl"));
        check(index, page, "attrs.whl", Some("https://a.example/simple/attrs/attrs.whl"));
        for bad in ["http://192.168.1.1/x.whl", "//b.example/x.whl", "data:x", "../../../x.whl", "", "javascript:1"] {
            check(index, page, bad, None);
        }
        let local = "http://127.0.0.1:9000/";
        check(
            local,
            "http://127.0.0.1:9000/attrs/",
            "http://127.0.0.1:9000/x.whl",
            Some("http://127.0.0.1:9000/x.whl"),
        );
        check(local, "http://127.0.0.1:9000/attrs/", "http://127.0.0.1:9001/x.whl", None);
        check(OWN_FOLDER, OWN_FOLDER, "x.whl", Some("/packages/x.whl"));
        check(OWN_FOLDER, OWN_FOLDER, "../../x.whl", None);
    }
}
