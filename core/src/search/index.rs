//! Which texts have which words.

use std::ops::ControlFlow;

use super::Query;
use super::query::Fit;
use super::vocabulary::Vocabulary;
use super::words;

/// A longer run of letters, such as a line of Chinese, is noted in pieces of this length, which overlap: what is at most so long is found
/// wherever it stands.
const PIECE: usize = 64;
const OVERLAP: usize = 24;

/// An index of texts. They are numbered in the order they come, and not kept.
#[derive(Default)]
pub(super) struct Index {
    vocabulary: Vocabulary,
    count: u32,
}

impl Index {
    /// Adds a text and gives its number. Of a long one only the beginning is noted.
    pub(super) fn add(&mut self, text: &str, most_bytes: usize) -> u32 {
        let number = self.count;
        self.count += 1;
        let end = (0..=most_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let all = words::each(&text[..end], |word| {
            self.note(&word.letters, number);
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(all.is_continue(), "nothing stops it");
        number
    }

    /// How well each text fits: the more, the better, and nothing where a word is missing.
    pub(super) fn fits(&self, query: &Query) -> Vec<u8> {
        let count = self.count as usize;
        let mut all: Option<Vec<u8>> = None;
        for word in query.words() {
            let mut best = vec![Fit::Missing as u8; count];
            self.vocabulary.matching(word, |fit, texts| {
                for text in texts {
                    let best = &mut best[*text as usize];
                    *best = (*best).max(fit as u8);
                }
            });
            all = Some(match all {
                None => best,
                Some(before) => {
                    before.into_iter().zip(best).map(|(one, two)| if one * two == 0 { 0 } else { one + two }).collect()
                }
            });
        }
        all.unwrap_or_else(|| vec![0; count])
    }

    fn note(&mut self, word: &str, text: u32) {
        if word.len() <= PIECE {
            return self.vocabulary.note(word, text);
        }
        let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let mut from = 0;
        while from + 1 < starts.len() {
            let to = (from + PIECE).min(starts.len() - 1);
            self.vocabulary.note(&word[starts[from]..starts[to]], text);
            if to + 1 == starts.len() {
                break;
            }
            from = to - OVERLAP;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], typed: &str, expected: &[u8]) {
        let mut index = Index::default();
        for text in texts {
            index.add(text, 1_000);
        }
        assert_eq!(index.fits(&Query::parse(typed)), expected, "{typed:?}");
    }

    #[test]
    fn every_word_must_be_there() {
        let texts = ["Read the file", "Profile of a reader", "nothing of it"];
        check(&texts, "file", &[3, 1, 0]);
        check(&texts, "read file", &[6, 3, 0]);
        check(&texts, "of", &[0, 3, 3]);
        check(&texts, "zebra file", &[0, 0, 0]);
        check(&texts, "", &[0, 0, 0]);
    }

    #[test]
    fn a_script_without_spaces_is_found_inside_its_lines() {
        let line = format!("{}東京タワー{}", "あ".repeat(70), "い".repeat(30));
        check(&[&line, "京都"], "東京タワー", &[1, 0]);
        check(&[&line, "京都"], "京", &[1, 2]);
        check(&["Ｔｏｋｙｏ"], "tokyo", &[3]);
    }

    #[test]
    fn the_end_of_what_is_too_long_is_not_noted() {
        let mut index = Index::default();
        index.add("one ééé two", 8);
        assert_eq!(index.fits(&Query::parse("one ee")), [6]);
        assert_eq!(index.fits(&Query::parse("two")), [0]);
    }
}
