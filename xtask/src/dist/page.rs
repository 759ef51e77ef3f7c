//! The app's page, and what the build writes into it: its policy, the build's name, and where the core worker is.
//!
//! This reads just the few tags it changes, in the forms Trunk writes them with and without minifying. It is no HTML
//! parser, and refuses a page in which it does not find what it looks for.

use crate::digest;
use crate::dist::policy;

/// The page with its build name still empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    html: String,
}

/// A page the build cannot work on.
#[derive(Debug, thiserror::Error, PartialEq)]
pub(crate) enum PageError {
    #[error("index.html has no <meta name=\"{0}\">")]
    NoTag(&'static str),
    #[error("index.html has no <head>")]
    NoHead,
    #[error("a tag in index.html is not closed: {0}")]
    NotClosed(String),
    #[error("index.html sets a style inside the page, which its policy forbids: {0}")]
    InlineStyle(String),
}

/// The tag that names the build.
const BUILD: &str = "satchel-build";
/// The tag that says where the core worker's script is.
const CORE_WORKER: &str = "satchel-core-worker";

impl Page {
    /// Reads a page as Trunk made it.
    pub(crate) fn new(html: &str) -> Result<Self, PageError> {
        let mut html = html.to_owned();
        for name in [BUILD, CORE_WORKER] {
            let tag = tags(&html, "meta")?.into_iter().find(|tag| tag.contains(name)).ok_or(PageError::NoTag(name))?;
            html = html.replacen(tag, &meta(name, ""), 1);
        }
        let html = html.as_str();
        if tags(html, "head")?.is_empty() {
            return Err(PageError::NoHead);
        }
        if let Some(style) = tags(html, "style")?.first() {
            return Err(PageError::InlineStyle((*style).to_owned()));
        }
        scripts(html)?;
        Ok(Self { html: html.to_owned() })
    }

    /// Its text.
    pub(crate) fn html(&self) -> &str {
        &self.html
    }

    /// The policy sources that allow exactly its inline scripts.
    pub(crate) fn inline_script_sources(&self) -> Vec<String> {
        let scripts = scripts(&self.html).expect("checked when the page was read");
        let inline = scripts.into_iter().filter(|(tag, _)| !has_attribute(tag, "src"));
        inline.map(|(_, text)| digest::policy_source(text.as_bytes())).collect()
    }

    /// The same page with the policy as the first thing in its head.
    pub(crate) fn with_policy(self, app_policy: &str) -> Self {
        let policy = policy::for_page(app_policy);
        let tag = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
        let head = tags(&self.html, "head").expect("checked when the page was read")[0];
        Self { html: self.html.replacen(head, &format!("{head}{tag}"), 1) }
    }

    /// The same page with the address of the core worker's script.
    pub(crate) fn with_core_worker(self, address: &str) -> Self {
        Self { html: self.html.replacen(&meta(CORE_WORKER, ""), &meta(CORE_WORKER, address), 1) }
    }

    /// The finished text, with the build's name.
    pub(crate) fn with_build(&self, build: &str) -> String {
        self.html.replacen(&meta(BUILD, ""), &meta(BUILD, build), 1)
    }
}

fn meta(name: &str, content: &str) -> String {
    format!("<meta name=\"{name}\" content=\"{content}\">")
}

/// Every opening tag of one kind, whole.
fn tags<'html>(html: &'html str, name: &str) -> Result<Vec<&'html str>, PageError> {
    let opening = format!("<{name}");
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find(&opening) {
        let tag = &rest[start..];
        let end = tag.find('>').ok_or_else(|| PageError::NotClosed(opening.clone()))? + 1;
        if tag[opening.len()..].starts_with([' ', '>', '\n', '/']) {
            found.push(&tag[..end]);
        }
        rest = &tag[end..];
    }
    Ok(found)
}

/// Every script: its opening tag and its text.
fn scripts(html: &str) -> Result<Vec<(&str, &str)>, PageError> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(tag) = tags(rest, "script")?.first().copied() {
        let start = rest.find(tag).expect("the tag was found in this text") + tag.len();
        let end = rest[start..].find("</script>").ok_or_else(|| PageError::NotClosed(tag.to_owned()))? + start;
        found.push((tag, &rest[start..end]));
        rest = &rest[end..];
    }
    Ok(found)
}

fn has_attribute(tag: &str, name: &str) -> bool {
    tag.split(|letter: char| letter.is_whitespace()).any(|word| word.split('=').next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "<!doctype html><html><head><meta charset=\"utf-8\"><meta name=\"satchel-build\" content=\"\">\
                         <meta name=\"satchel-core-worker\" content=\"\"><script src=\"/early.js\"></script><script type=\"module\">alert('Hello, world.');</script></head>\
                         <body></body></html>";

    #[test]
    fn the_inline_script_is_allowed_and_the_loaded_one_is_not_counted() {
        let page = Page::new(PLAIN).expect("the page is whole");
        assert_eq!(page.inline_script_sources(), ["'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"]);
    }

    #[test]
    fn policy_comes_first_and_the_build_is_filled_in() {
        let page =
            Page::new(PLAIN).expect("the page is whole").with_policy("default-src 'none'; frame-ancestors 'none'");
        let html = page.with_build("0123456789abcdef");
        assert!(
            html.starts_with(
                "<!doctype html><html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">\
                 <meta charset=\"utf-8\"><meta name=\"satchel-build\" content=\"0123456789abcdef\">"
            ),
            "{html}"
        );
    }

    #[test]
    fn a_minified_page_reads_the_same() {
        let minified = PLAIN.replace("<meta name=\"satchel-build\" content=\"\">", "<meta content name=satchel-build>");
        assert_eq!(Page::new(&minified), Page::new(PLAIN));
    }

    #[test]
    fn a_header_element_is_not_the_head_and_unusable_pages_are_refused() {
        let check = |html: &str, expected: PageError| assert_eq!(Page::new(html), Err(expected), "{html}");
        let tags = "<meta name=\"satchel-build\"><meta name=\"satchel-core-worker\">";
        check("<head></head>", PageError::NoTag(BUILD));
        check("<head><meta name=\"satchel-build\"></head>", PageError::NoTag(CORE_WORKER));
        check(&format!("{tags}<header></header>"), PageError::NoHead);
        check(&format!("<head>{tags}<script>let a = 1;"), PageError::NotClosed("<script>".to_owned()));
        check(&format!("<head>{tags}<style>a{{}}</style>"), PageError::InlineStyle("<style>".to_owned()));
    }
}
