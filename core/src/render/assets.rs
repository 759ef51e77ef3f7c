//! The files that a page of a toolset comes with: those it names, and those that they name in turn.
//!
//! Nothing is parsed. Whatever a page, style sheet or script writes between quotes, brackets or blanks is taken for a path
//! relative to itself, and counts if the toolset has such a file. So an attribute, a `url()`, an `import` and a `fetch` are all
//! found; a word that happens to be a file's name pins one file too many, which costs nothing.

use std::collections::BTreeMap;

use super::RenderLimits;
use crate::digest::BlobId;
use crate::percent;

/// Files in which others can be named.
const SEARCHED: [&str; 7] = [".html", ".htm", ".css", ".js", ".mjs", ".svg", ".json"];

/// Looks up a file of the toolset by its path: its name, and its text where it is asked for.
#[derive(Clone, Copy)]
pub struct ToolsetFiles<'a> {
    /// The name of its content.
    pub id: &'a dyn Fn(&str) -> Option<BlobId>,
    /// Its text; nothing where it is no text.
    pub text: &'a dyn Fn(&str) -> Option<String>,
}

impl ToolsetFiles<'_> {
    /// Whether others can be named in the file at this path, so that its text is asked for.
    #[must_use]
    pub fn is_searched(path: &str) -> bool {
        let path = path.to_ascii_lowercase();
        SEARCHED.iter().any(|ending| path.ends_with(ending))
    }
}

/// Adds to `pinned`, which holds the page, the files that it needs.
pub(super) fn pin_named(pinned: &mut BTreeMap<String, BlobId>, files: ToolsetFiles<'_>, limits: RenderLimits) {
    let mut unsearched: Vec<String> = pinned.keys().cloned().collect();
    let mut left = limits.searched_bytes;
    while let Some(path) = unsearched.pop() {
        if !ToolsetFiles::is_searched(&path) {
            continue;
        }
        let Some(text) = (files.text)(&path).filter(|text| text.len() <= left) else { continue };
        left -= text.len();
        for named in words(&text).filter_map(|word| resolve(&path, word)) {
            if pinned.len() > limits.page_files {
                return;
            }
            if let Some(id) = (files.id)(&named).filter(|_| !pinned.contains_key(&named)) {
                pinned.insert(named.clone(), id);
                unsearched.push(named);
            }
        }
    }
}

/// What may be a path: what stands between quotes, which may have blanks in it, and what stands between anything else.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split(['"', '\'', '`', '\n']);
    let bare = text.split(|letter: char| letter.is_whitespace() || "\"'`()<>=,;".contains(letter));
    quoted.chain(bare).map(str::trim).filter(|word| !word.is_empty() && word.len() < 1024)
}

/// The path that a word means where it stands; nothing where it leaves the toolset or is an address elsewhere.
pub(super) fn resolve(from: &str, word: &str) -> Option<String> {
    let path = word.split(['?', '#']).next().filter(|path| !path.is_empty())?;
    if path.starts_with('/') || path.contains(['\\', ':', '<', '>']) {
        return None;
    }
    let path = percent::decode(path).ok()?;
    let mut names: Vec<&str> = from.split('/').collect();
    names.pop();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 9] = [
        ("artifacts/page.html", ""),
        ("artifacts/chart.js", "import { d3 } from './lib/d3.js'; fetch(`data.json`)"),
        ("artifacts/lib/d3.js", "export const name = 'page.html'"),
        ("artifacts/my chart.png", ""),
        ("artifacts/data.json", "{}"),
        ("style.css", "body { background: url(img/a.png) } @import \"more.css\";"),
        ("more.css", "/* style.css names this */"),
        ("img/a.png", "not.css"),
        ("unused.js", ""),
    ];

    fn check(page: &str, limits: RenderLimits, expected: &[&str]) {
        let id = |path: &str| FILES.iter().any(|(name, _)| *name == path).then(|| BlobId::of(path.as_bytes()));
        let text = |path: &str| {
            let (_, text) = FILES.iter().find(|(name, _)| *name == path)?;
            Some(if path == "artifacts/page.html" { page.to_owned() } else { (*text).to_owned() })
        };
        let start = "artifacts/page.html".to_owned();
        let mut pinned = BTreeMap::from([(start.clone(), BlobId::of(start.as_bytes()))]);
        pin_named(&mut pinned, ToolsetFiles { id: &id, text: &text }, limits);
        pinned.remove(&start);
        assert_eq!(pinned.keys().map(String::as_str).collect::<Vec<_>>(), expected, "{page}");
    }

    /// R210, R211: a page is shown with the files it was shown with.
    #[test]
    fn a_page_comes_with_what_it_names() {
        let check = |page: &str, expected: &[&str]| check(page, RenderLimits::default(), expected);
        check("<p>chart</p>", &[]);
        check("<img src='my chart.png'>", &["artifacts/my chart.png"]);
        check("<img src=my%20chart.png#top>", &["artifacts/my chart.png"]);
        check(
            "<script type=module src=\"./chart.js?v=2\"></script>",
            &["artifacts/chart.js", "artifacts/data.json", "artifacts/lib/d3.js"],
        );
        check("<link rel=stylesheet href=../style.css>", &["img/a.png", "more.css", "style.css"]);
        check("<img srcset='../img/a.png 1x, my%20chart.png 2x'>", &["artifacts/my chart.png", "img/a.png"]);
        check("<style>@import url(../more.css);</style>", &["img/a.png", "more.css", "style.css"]);
    }

    /// R212: what is elsewhere is none of the toolset's.
    #[test]
    fn what_lies_outside_is_not_looked_for() {
        let check = |page: &str| check(page, RenderLimits::default(), &[]);
        check("<script src='https://example.com/chart.js'></script>");
        check("<script src='/style.css'></script>");
        check("<script src='../../style.css'></script>");
        check("<script src='..\\style.css'></script>");
        check("<script src='chart%2.js'></script>");
    }

    #[test]
    fn limits_end_the_search() {
        let limits = RenderLimits { page_files: 1, ..RenderLimits::default() };
        check("<script src=chart.js></script>", limits, &["artifacts/chart.js"]);
        let limits = RenderLimits { searched_bytes: 40, ..RenderLimits::default() };
        check("<script src=chart.js></script>", limits, &["artifacts/chart.js"]);
    }
}
