//! What is looked for.

use super::words;

/// What is looked for, read from what was typed: words that must all be there, in any order, and between quotation marks words that must
/// follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    words: Vec<String>,
    phrases: Vec<Vec<String>>,
}

/// More than this nobody types; what is pasted is cut.
const LONGEST: usize = 200;
const MOST_WORDS: usize = 8;

impl Query {
    /// Reads what was typed. Nothing is wrong with any text: a quotation mark without its other half quotes what follows.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text: String = text.chars().take(LONGEST).collect();
        let mut query = Self::default();
        for (number, part) in text.split(['"', '“', '”']).enumerate() {
            let room = MOST_WORDS - query.words.len();
            let found: Vec<String> = words::of(part).into_iter().take(room).collect();
            if number % 2 == 1 && found.len() > 1 {
                query.phrases.push(found.clone());
            }
            query.words.extend(found);
        }
        query
    }

    /// Whether nothing is looked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How well a short text, such as a title, fits; nothing where a word is missing. The more, the better.
    #[must_use]
    pub fn fit(&self, text: &str) -> Option<u32> {
        let there = words::of(text);
        let mut sum = 0;
        for word in &self.words {
            sum += there.iter().map(|one| Fit::of(word, one) as u32).max().filter(|fit| *fit > 0)?;
        }
        // What begins with the words goes before what has them somewhere.
        let begins = begins(&self.words, &there);
        let is_whole = self.words == there;
        let is_quoted = self.phrases.iter().all(|phrase| follows(phrase, there.iter().map(String::as_str)));
        is_quoted.then(|| sum * 4 + u32::from(begins) + u32::from(is_whole) * 2)
    }

    /// Whether a short text begins with the first of the words.
    #[must_use]
    pub fn begins(&self, text: &str) -> bool {
        begins(&self.words, &words::of(text))
    }

    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    pub(super) fn phrases(&self) -> &[Vec<String>] {
        &self.phrases
    }
}

fn begins(wanted: &[String], there: &[String]) -> bool {
    wanted.first().zip(there.first()).is_some_and(|(word, one)| one.starts_with(word.as_str()))
}

/// How a word that is looked for stands in a word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It does not.
    Missing,
    /// In the middle or at the end of it.
    Inside,
    /// At its beginning.
    Begins,
    /// It is the word.
    Whole,
}

impl Fit {
    /// How one word stands in another.
    pub(super) fn of(wanted: &str, word: &str) -> Self {
        match word.find(wanted) {
            Some(0) if word.len() == wanted.len() => Self::Whole,
            Some(0) => Self::Begins,
            Some(_) if is_looked_for_inside(wanted) => Self::Inside,
            Some(_) | None => Self::Missing,
        }
    }
}

/// Whether a word is looked for inside others too. One or two Latin letters are inside nearly every word; one Chinese sign is a word.
pub(super) fn is_looked_for_inside(wanted: &str) -> bool {
    wanted.len() > 2
}

/// Whether these words follow each other somewhere; the last of them may be the beginning of a longer one.
pub(super) fn follows<'w>(phrase: &[String], words: impl Iterator<Item = &'w str>) -> bool {
    let Some((last, before)) = phrase.split_last() else { return true };
    // The places in the phrase that were reached by the words so far.
    let mut reached: Vec<usize> = Vec::new();
    for word in words {
        reached.push(0);
        if reached.contains(&before.len()) && word.starts_with(last.as_str()) {
            return true;
        }
        reached =
            reached.into_iter().filter(|at| before.get(*at).is_some_and(|one| one == word)).map(|at| at + 1).collect();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, words: &[&str], phrases: &[&[&str]]) {
        let query = Query::parse(typed);
        assert_eq!(query.words(), words, "{typed:?}");
        assert_eq!(query.phrases(), phrases, "{typed:?}");
    }

    #[test]
    fn what_is_typed_becomes_words_and_phrases() {
        check("  Read-File ", &["read", "file"], &[]);
        check("say \"hello world\" now", &["say", "hello", "world", "now"], &[&["hello", "world"]]);
        check("\"half open phrase", &["half", "open", "phrase"], &[&["half", "open", "phrase"]]);
        check("\"one\"", &["one"], &[]);
        check("\"\"", &[], &[]);
        check("?!", &[], &[]);
        check("a b c d e f g h i j", &["a", "b", "c", "d", "e", "f", "g", "h"], &[]);
        assert!(Query::parse(&"x".repeat(5_000)).words()[0].len() <= LONGEST);
    }

    #[test]
    fn a_title_fits_by_its_words() {
        let fit = |typed: &str, text: &str| Query::parse(typed).fit(text);
        assert!(fit("plot", "Plot") > fit("plot", "Plot the rows"));
        assert!(fit("plot", "Plot the rows") > fit("plot", "A plot"));
        assert!(fit("plot", "A plot") > fit("plot", "Plotting"));
        assert!(fit("plot", "Plotting") > fit("plot", "Replotted"));
        assert!(fit("plot rows", "Rows of a plot").is_some());
        assert_eq!(fit("plot zebra", "Rows of a plot"), None);
        assert_eq!(fit("lo", "Plot"), None);
        assert_eq!(fit("\"a plot\"", "plot a"), None);
        assert!(fit("\"a plot\"", "this is a plotter").is_some());
    }

    #[test]
    fn a_phrase_is_found_wherever_it_begins() {
        let phrase = |text: &str| words::of(text);
        let follows =
            |phrase_text: &str, text: &str| follows(&phrase(phrase_text), words::of(text).iter().map(String::as_str));
        assert!(follows("a a b", "a a a b"));
        assert!(follows("hello wor", "say hello world"));
        assert!(!follows("hell world", "say hello world"));
        assert!(!follows("hello world", "hello, my world"));
    }
}
