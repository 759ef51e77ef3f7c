//! Every word that occurs, once, and the texts it occurs in.
//!
//! The words stand one after the other in a single text, each on a line: looking for a part of a word is then one search through it, and
//! it grows much more slowly than what was written with those words.

use super::query::{Fit, is_looked_for_inside};

/// The words, and where they occur.
#[derive(Default)]
pub(super) struct Vocabulary {
    /// Each word after a line feed.
    letters: String,
    /// Where in `letters` each begins.
    starts: Vec<u32>,
    /// The numbers of the texts that have it, ascending.
    texts: Vec<Vec<u32>>,
    /// A hash table of the words' numbers; always a power of two long, and at most half full. Nothing is ever taken out, and its
    /// order is never seen.
    slots: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl Vocabulary {
    /// Notes that a text has a word. Texts come in the order of their numbers.
    pub(super) fn note(&mut self, word: &str, text: u32) {
        let number = self.number(word);
        let texts = &mut self.texts[number];
        if texts.last() != Some(&text) {
            texts.push(text);
        }
    }

    /// Hands on every word that has this in it, with how it stands there and the texts that have the word.
    pub(super) fn matching(&self, wanted: &str, mut hand_on: impl FnMut(Fit, &[u32])) {
        let inside = is_looked_for_inside(wanted);
        let pattern = if inside { wanted.to_owned() } else { format!("\n{wanted}") };
        for (at, _) in self.letters.match_indices(&pattern) {
            let at = if inside { at } else { at + 1 };
            let number = self.starts.partition_point(|start| *start as usize <= at) - 1;
            let (start, end) = self.place(number);
            let fit = match (at == start, at + wanted.len() == end) {
                (true, true) => Fit::Whole,
                (true, false) => Fit::Begins,
                (false, _) => Fit::Inside,
            };
            hand_on(fit, &self.texts[number]);
        }
    }

    /// How many words there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    fn place(&self, number: usize) -> (usize, usize) {
        let end = self.starts.get(number + 1).map_or(self.letters.len(), |next| *next as usize - 1);
        (self.starts[number] as usize, end)
    }

    fn number(&mut self, word: &str) -> usize {
        if self.slots.len() <= self.starts.len() * 2 {
            self.grow();
        }
        let slot = self.slot(word);
        if self.slots[slot] != EMPTY {
            return self.slots[slot] as usize;
        }
        let number = self.starts.len();
        self.letters.push('\n');
        self.starts.push(u32::try_from(self.letters.len()).expect("an index of 4 GB does not fit into a worker"));
        self.letters.push_str(word);
        self.texts.push(Vec::new());
        self.slots[slot] = u32::try_from(number).expect("there are fewer words than letters");
        number
    }

    /// The slot of a word, or the one it would have.
    fn slot(&self, word: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(word) as usize & mask;
        while self.slots[slot] != EMPTY {
            let (start, end) = self.place(self.slots[slot] as usize);
            if &self.letters[start..end] == word {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; (self.slots.len() * 2).max(1_024)];
        for number in 0..self.starts.len() {
            let (start, end) = self.place(number);
            let slot = self.slot(&self.letters[start..end]);
            self.slots[slot] = u32::try_from(number).expect("there are fewer words than letters");
        }
    }
}

/// FNV-1a, with its bits mixed once more: short words differ in few of them.
fn hash(word: &str) -> u32 {
    let spread = word.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (spread ^ (spread >> 15)).wrapping_mul(0x2c1b_3c6d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(vocabulary: &Vocabulary, wanted: &str) -> Vec<(Fit, Vec<u32>)> {
        let mut found = Vec::new();
        vocabulary.matching(wanted, |fit, texts| found.push((fit, texts.to_vec())));
        found
    }

    #[test]
    fn words_are_found_whole_begun_and_inside() {
        let mut vocabulary = Vocabulary::default();
        for (word, text) in [("file", 0), ("profile", 0), ("file", 1), ("filed", 1), ("file", 1), ("of", 2)] {
            vocabulary.note(word, text);
        }
        assert_eq!(vocabulary.len(), 4);
        let expected = [(Fit::Whole, vec![0, 1]), (Fit::Inside, vec![0]), (Fit::Begins, vec![1])];
        assert_eq!(matching(&vocabulary, "file"), expected);
        assert_eq!(matching(&vocabulary, "of"), [(Fit::Whole, vec![2])]);
        assert_eq!(matching(&vocabulary, "zebra"), []);
    }

    #[test]
    fn many_words_stay_apart() {
        let mut vocabulary = Vocabulary::default();
        for number in 0..5_000 {
            vocabulary.note(&format!("w{number}"), number);
        }
        for number in [0, 1, 4_999] {
            let found = matching(&vocabulary, &format!("w{number}"));
            assert!(found.contains(&(Fit::Whole, vec![number])), "{number}");
        }
        assert_eq!(matching(&Vocabulary::default(), "any"), []);
    }
}
