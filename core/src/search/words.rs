//! The words of a text, as they are compared, and where each letter of them stands.

use std::ops::ControlFlow;

use super::fold;

/// A run of letters longer than this is looked at no further: it is data and no word.
const LONGEST_RUN: usize = 256;

/// A word.
#[derive(Default)]
pub(super) struct Word {
    /// As it is compared.
    pub(super) letters: String,
    /// Where in the text each byte of `letters` comes from, and last where the word ends.
    places: Vec<usize>,
}

impl Word {
    /// Where in the text these bytes of the letters come from.
    pub(super) fn range(&self, from: usize, to: usize) -> (usize, usize) {
        let end = self.places.last().copied().unwrap_or_default();
        let start = self.places.get(from).copied().unwrap_or(end);
        // A letter that is compared as two is marked whole.
        let after = self.places[to.min(self.places.len())..].iter().find(|place| **place > self.places[to - 1]);
        (start, after.copied().unwrap_or(end))
    }

    fn begin(&mut self) {
        self.letters.clear();
        self.places.clear();
    }

    fn push(&mut self, letter: char, at: usize) {
        let before = self.letters.len();
        fold::push(letter, &mut self.letters);
        for _ in before..self.letters.len() {
            self.places.push(at);
        }
    }
}

/// Hands every word of a text on, until there is a reason to stop.
pub(super) fn each<B>(text: &str, mut hand_on: impl FnMut(&Word) -> ControlFlow<B>) -> ControlFlow<B> {
    let mut word = Word::default();
    let mut run = 0;
    for (at, letter) in text.char_indices() {
        if letter.is_alphanumeric() || (run > 0 && fold::is_mark(letter)) {
            if run < LONGEST_RUN {
                word.push(letter, at);
            }
            run += 1;
        } else if run > 0 {
            word.places.push(at);
            hand_on(&word)?;
            word.begin();
            run = 0;
        }
    }
    if run > 0 {
        word.places.push(text.len());
        hand_on(&word)?;
    }
    ControlFlow::Continue(())
}

/// The words of a short text.
pub(super) fn of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let all = each(text, |word| {
        words.push(word.letters.clone());
        ControlFlow::<()>::Continue(())
    });
    debug_assert!(all.is_continue(), "nothing stops it");
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(of("read_file(\"a.py\") → 42"), ["read", "file", "a", "py", "42"]);
        assert_eq!(of("L'été cafe\u{301}s"), ["l", "ete", "cafes"]);
        assert_eq!(of(" \n "), [] as [&str; 0]);
        assert_eq!(of("東京タワーに行く。次"), ["東京タワーに行く", "次"]);
        assert_eq!(of(&"x".repeat(1_000)), ["x".repeat(LONGEST_RUN)]);
    }

    #[test]
    fn a_word_knows_where_it_stands() {
        let text = "a Große fu\u{308}r";
        let mut ranges = Vec::new();
        let all = each(text, |word| {
            ranges.push(&text[word.range(0, word.letters.len()).0..word.range(0, word.letters.len()).1]);
            ControlFlow::<()>::Continue(())
        });
        assert!(all.is_continue());
        assert_eq!(ranges, ["a", "Große", "fu\u{308}r"]);
        let mut part = None;
        let stopped = each("xGroßex", |word| {
            // "ss" of "xgrossex"
            part = Some(word.range(4, 5));
            ControlFlow::Break(())
        });
        assert!(stopped.is_break());
        assert_eq!(part, Some((4, 6)));
    }
}
