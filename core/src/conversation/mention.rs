//! Files that are named in a message: `@notes.md`, or `@"two words.csv"` where a name has blanks.
//!
//! What follows an at sign is a mention only where a file of that path is there, so that addresses of mail and names of people stay what
//! they are; who knows the files is asked by whoever reads the mentions. A path that is followed by a full stop or a comma is tried with
//! and without it.

use std::ops::Range;

use crate::workspace::WorkspacePath;

/// So many mentions of one text are looked at.
const MOST: usize = 50;

/// What may end a sentence or close a bracket, and is then no part of the path before it.
const CLOSING: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '"'];

/// A mention that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// From its at sign to the caret, in bytes of the text.
    pub place: Range<usize>,
    /// What of the path is there, without quotes.
    pub path: String,
}

/// The paths that a text may mention, in order, each with the spellings that may be meant, the longest first.
#[must_use]
pub fn mentions(text: &str) -> Vec<Vec<WorkspacePath>> {
    let signs = text.match_indices('@').filter(|(at, _)| begins_word(text, *at));
    let candidates = signs.map(|(at, _)| spellings(&text[at + 1..]));
    candidates.filter(|spellings| !spellings.is_empty()).take(MOST).collect()
}

/// The mention that is being written where the caret is, in bytes of the text.
#[must_use]
pub fn begun(text: &str, caret: usize) -> Option<Begun> {
    let before = text.get(..caret)?;
    let (at, _) = before.rmatch_indices('@').find(|(at, _)| begins_word(text, *at))?;
    let typed = &before[at + 1..];
    let path = match typed.strip_prefix('"') {
        Some(quoted) if !quoted.contains(['"', '\n']) => quoted,
        None if !typed.contains(char::is_whitespace) => typed,
        Some(_) | None => return None,
    };
    Some(Begun { place: at..caret, path: path.to_owned() })
}

/// A mention of a file, as it is written.
#[must_use]
pub fn written(path: &WorkspacePath) -> String {
    let path = path.as_str();
    let is_plain = !path.contains(char::is_whitespace) && !path.starts_with('"') && !path.ends_with(CLOSING);
    if is_plain { format!("@{path}") } else { format!("@\"{path}\"") }
}

/// An address of mail has letters before its at sign.
fn begins_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '@' | '.' | '_'))
}

fn spellings(after: &str) -> Vec<WorkspacePath> {
    if let Some(quoted) = after.strip_prefix('"') {
        let whole = quoted.split_once('"').map(|(path, _)| path).filter(|path| !path.contains('\n'));
        return whole.and_then(|path| WorkspacePath::parse(path).ok()).into_iter().collect();
    }
    let mut word = after.split(char::is_whitespace).next().unwrap_or_default();
    let mut spellings = Vec::new();
    loop {
        spellings.extend(WorkspacePath::parse(word).ok());
        match word.strip_suffix(CLOSING) {
            Some(shorter) => word = shorter,
            None => return spellings,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn paths_are_found_where_a_word_begins_with_an_at_sign() {
        let check = |text: &str, expected: &[&[&str]]| {
            let found: Vec<Vec<String>> =
                mentions(text).iter().map(|paths| paths.iter().map(ToString::to_string).collect()).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("compare @a/b.csv and (@c.md), please", &[&["a/b.csv"], &["c.md),", "c.md)", "c.md"]]);
        check("read @\"two words.txt\".", &[&["two words.txt"]]);
        check("Is it @notes.md?", &[&["notes.md?", "notes.md"]]);
        check("mail me@example.org, or @ y", &[]);
        check("@@types/x.ts", &[&["@types/x.ts"]]);
        check("@../secret @\"open", &[]);
        check("@ein-Büchlein.md", &[&["ein-Büchlein.md"]]);
    }

    #[test]
    fn what_is_being_written_ends_at_the_caret() {
        let check = |text: &str, expected: Option<(usize, &str)>| {
            let caret = text.find('|').expect("has a caret");
            let found = begun(&text.replace('|', ""), caret);
            assert_eq!(
                found.map(|begun| (begun.place.start, begun.path)),
                expected.map(|(at, path)| (at, path.into()))
            );
        };
        check("see @no|", Some((4, "no")));
        check("see @|", Some((4, "")));
        check("see @no|tes.md", Some((4, "no")));
        check("see @\"two wo|", Some((4, "two wo")));
        check("see @notes.md |", None);
        check("see @\"two\" |", None);
        check("mail a@b|", None);
        check("|@a", None);
    }

    proptest! {
        /// Whatever a file is called, its mention is read back as that file.
        #[test]
        fn what_is_written_is_read_back(path in "[a-zé .,()'!-]{1,12}(/[a-z .]{1,8})?") {
            let Ok(path) = WorkspacePath::parse(path) else { return Ok(()) };
            let found = mentions(&format!("see {} now", written(&path)));
            prop_assert_eq!(found.first().and_then(|paths| paths.first()), Some(&path));
        }

        #[test]
        fn no_text_is_too_strange(text in "(@|\"|[a-z]|é|\\.| |\n){0,20}", caret in 0_usize..40) {
            prop_assert!(mentions(&text).len() <= text.matches('@').count());
            prop_assert!(begun(&text, caret).is_none() || text[..caret].contains('@'));
        }
    }
}
