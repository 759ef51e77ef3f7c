//! A place in a text, short enough to be read at a glance, and what to mark in it.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::query::{Fit, follows};
use super::{Query, words};

/// A piece of text, with marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The text, on one line.
    pub text: String,
    /// What to mark: ascending, and apart from each other.
    pub marks: Vec<Mark>,
}

/// The bytes of a text from `start` up to `end`, both between letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// So many letters are shown, and so many of them before the place itself.
const SHOWN: usize = 180;
const BEFORE: usize = 36;
/// Words that are further apart than this many bytes cannot be seen together.
const TOGETHER: usize = 200;
/// So many places are looked at; a text that has more has them everywhere.
const MOST_PLACES: usize = 400;

/// A word of the query in a text.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    word: usize,
    fit: Fit,
}

impl Passage {
    /// A short text as a whole, such as a title.
    #[must_use]
    pub fn whole(text: &str, query: &Query) -> Self {
        cut(text, 0, text.len(), &places(text, query))
    }

    /// The best place in a text: the one with the most of the words, the first of several.
    #[must_use]
    pub(super) fn best(text: &str, query: &Query) -> Self {
        let places = places(text, query);
        let (mut best, mut most) = (0, 0);
        for (at, place) in places.iter().enumerate() {
            let seen = places[at..].iter().take_while(|other| other.start < place.start + TOGETHER);
            let mut fits = [0_u8; 8];
            for other in seen {
                let fit = &mut fits[other.word % 8];
                *fit = (*fit).max(other.fit as u8 + 3);
            }
            let worth: u32 = fits.iter().map(|fit| u32::from(*fit)).sum();
            if worth > most {
                (best, most) = (place.start, worth);
            }
        }
        let from = beginning(text, best);
        let to = text[from..].char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| from + at);
        cut(text, from, to, &places)
    }
}

/// Whether a text has the quoted words of a query as they were quoted.
pub(super) fn has_phrases(text: &str, query: &Query) -> bool {
    query.phrases().iter().all(|phrase| has_phrase(text, phrase))
}

/// Whether a text has all words of a query one after the other, as they were typed.
pub(super) fn has_as_typed(text: &str, query: &Query) -> bool {
    has_phrase(text, query.words())
}

fn has_phrase(text: &str, phrase: &[String]) -> bool {
    let words = words::of(text);
    follows(phrase, words.iter().map(String::as_str))
}

fn places(text: &str, query: &Query) -> Vec<Place> {
    let mut places = Vec::new();
    // Stopped early or not, what was found counts.
    let _all_or_enough = words::each(text, |word| {
        for (number, wanted) in query.words().iter().enumerate() {
            let fit = Fit::of(wanted, &word.letters);
            if fit != Fit::Missing {
                let at = word.letters.find(wanted.as_str()).unwrap_or(0);
                let (start, end) = word.range(at, at + wanted.len());
                places.push(Place { start, end, word: number, fit });
            }
        }
        if places.len() < MOST_PLACES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    places
}

/// Where to begin, so that a place is seen with something before it: at the beginning of a word, where there is one near.
fn beginning(text: &str, place: usize) -> usize {
    let before = &text[..place];
    let Some((from, _)) = before.char_indices().rev().nth(BEFORE) else { return 0 };
    let gap = before[from..].char_indices().find(|(_, letter)| letter.is_whitespace());
    gap.map_or(from, |(gap, letter)| from + gap + letter.len_utf8())
}

/// A part of a text on one line. Whatever cannot be seen is a space, and several are one.
fn cut(text: &str, from: usize, to: usize, places: &[Place]) -> Passage {
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    let mut sorted: Vec<(usize, usize)> = places.iter().map(|place| (place.start, place.end)).collect();
    sorted.sort_unstable();
    let mut places = sorted.into_iter().filter(|(start, _)| *start >= from).peekable();
    let mut marks: Vec<Mark> = Vec::new();
    let mut marked_to = 0;
    for (at, letter) in text[from..to].char_indices().map(|(at, letter)| (from + at, letter)) {
        while let Some((_, end)) = places.next_if(|(start, _)| *start <= at) {
            marked_to = marked_to.max(end);
        }
        let is_blank = letter.is_whitespace() || letter.is_control();
        if is_blank && (shown.is_empty() || shown.ends_with([' ', '…'])) {
            continue;
        }
        let start = shown.len();
        shown.push(if is_blank { ' ' } else { letter });
        if at < marked_to {
            match marks.last_mut().filter(|mark| mark.end == start) {
                Some(mark) => mark.end = shown.len(),
                None => marks.push(Mark { start, end: shown.len() }),
            }
        }
    }
    shown.truncate(shown.trim_end().len());
    if to < text.len() {
        shown.push('…');
    }
    Passage { text: shown, marks }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    /// A passage with its marks between brackets.
    fn drawn(passage: &Passage) -> String {
        let mut drawn = passage.text.clone();
        for mark in passage.marks.iter().rev() {
            drawn.insert(mark.end, ']');
            drawn.insert(mark.start, '[');
        }
        drawn
    }

    fn best(text: &str, typed: &str) -> String {
        drawn(&Passage::best(text, &Query::parse(typed)))
    }

    #[test]
    fn what_was_found_is_marked() {
        assert_eq!(best("Read the file.\n\n  Then\tread on.", "read"), "[Read] the file. Then [read] on.");
        assert_eq!(best("Crème brûlée", "creme bru"), "[Crème] [brû]lée");
        assert_eq!(best("Straße", "ss"), "Straße");
        assert_eq!(best("Straße", "strass"), "[Straß]e");
        assert_eq!(best("<b>bold</b>", "bold"), "<b>[bold]</b>");
        assert_eq!(best("東京タワーに行く", "タワー"), "東京[タワー]に行く");
        assert_eq!(best("nothing of it", "zebra"), "nothing of it");
        assert_eq!(drawn(&Passage::whole("a/report_final.md", &Query::parse("report md"))), "a/[report]_final.[md]");
    }

    #[test]
    fn the_place_with_the_most_words_is_shown() {
        let text = format!("alpha {} alpha beta {}", "x ".repeat(200), "y ".repeat(200));
        let passage = best(&text, "beta alpha");
        assert!(passage.starts_with("…x x"), "{passage}");
        assert!(passage.contains("[alpha] [beta]"), "{passage}");
        assert!(passage.ends_with("y…"), "{passage}");
        assert!(passage.chars().count() <= SHOWN + 6, "{passage}");
    }

    #[test]
    fn phrases_are_checked() {
        let has = |text: &str, typed: &str| has_phrases(text, &Query::parse(typed));
        assert!(has("Say: hello, world!", "\"hello world\""));
        assert!(!has("hello my world", "\"hello world\""));
        assert!(has_as_typed("a hello worldly", &Query::parse("hello world")));
        assert!(!has_as_typed("world hello", &Query::parse("hello world")));
    }

    proptest! {
        /// I4: marks are always ranges of the text they come with.
        #[test]
        fn marks_lie_between_letters(text in "\\PC{0,400}", typed in "\\PC{0,12}") {
            let query = Query::parse(&typed);
            for passage in [Passage::best(&text, &query), Passage::whole(&text, &query)] {
                let mut before = 0;
                for mark in &passage.marks {
                    prop_assert!(mark.start >= before && mark.end > mark.start);
                    prop_assert!(passage.text.get(mark.start..mark.end).is_some());
                    before = mark.end;
                }
            }
        }
    }
}
