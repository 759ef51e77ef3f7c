//! A page of an index: the files of one package (PEP 691), as PyPI and its mirrors give them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::environment::PYTHON;
use super::version::{Specifiers, Version};

/// The media type of a page.
pub const PAGE_TYPE: &str = "application/vnd.pypi.simple.v1+json";

/// A page.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Page {
    /// The files, in no order.
    pub(super) files: Vec<PageFile>,
}

/// A file of a page.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct PageFile {
    pub(super) filename: String,
    pub(super) url: String,
    #[serde(default)]
    pub(super) hashes: BTreeMap<String, String>,
    #[serde(default)]
    requires_python: Option<String>,
    #[serde(default)]
    yanked: Value,
}

impl PageFile {
    /// Whether its author has taken it back.
    pub(super) fn is_yanked(&self) -> bool {
        match &self.yanked {
            Value::Bool(yanked) => *yanked,
            // A text is the reason.
            Value::String(_) => true,
            _ => false,
        }
    }

    /// Whether it is for the Python of the cage. What cannot be understood is no reason to refuse it.
    pub(super) fn is_for_this_python(&self) -> bool {
        let python = Version::parse(PYTHON).ok();
        let specifiers = self.requires_python.as_deref().and_then(|text| Specifiers::parse(text).ok());
        specifiers.zip(python).is_none_or(|(specifiers, python)| specifiers.allow(&python))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read() {
        let text = r#"{"meta": {"api-version": "1.4"}, "name": "a", "versions": ["1"], "files": [
            {"filename": "a-1-py3-none-any.whl", "url": "a.whl", "hashes": {"sha256": "00"}, "requires-python": ">=3.8", "yanked": false, "size": 1},
            {"filename": "a-2-py3-none-any.whl", "url": "b.whl", "hashes": {}, "requires-python": "<3.14", "yanked": "broken"}
        ]}"#;
        let page: Page = serde_json::from_str(text).expect("is a page");
        let seen: Vec<_> = page.files.iter().map(|file| (file.is_yanked(), file.is_for_this_python())).collect();
        assert_eq!(seen, [(false, true), (true, false)]);
    }
}
