//! What is looked through when something is typed: the words and letters of every tool, folded once (R253).
//!
//! Most tools do not match most queries, and that has to be cheap: whether the letters are there in their order at all is looked at before
//! anything is weighed.

use super::fuzzy::{self, Spelled};
use super::{Findable, letters, words};

/// A tool that matches. Hits are ordered by what they are, so that a place among them can be found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The tool's place in what the index was made of.
    pub at: usize,
    /// How it matches: the better, the greater. Letters in order are 1, whole words 2, a beginning 3, the whole name 4; 0 where nothing
    /// was typed.
    pub class: u8,
    /// How well letters in order match.
    pub score: i32,
}

/// The tools, ready to be found.
#[derive(Clone, Debug, Default)]
pub struct Index {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The letters of slug and name, without what is between them.
    names: [String; 2],
    /// The words of everything that is known of it, each once, sorted.
    words: Vec<String>,
    slug: Spelled,
    name: Spelled,
    grouped: Spelled,
    recent: i64,
    /// Orders equals.
    small_name: String,
}

impl Index {
    /// Folds all of it.
    #[must_use]
    pub fn of(tools: &[Findable<'_>]) -> Self {
        let entry = |tool: &Findable<'_>| {
            let said = [tool.slug, tool.name, tool.group, tool.description, tool.category].map(words).concat();
            let mut there = [said, tool.tags.iter().flat_map(|tag| words(tag)).collect()].concat();
            there.sort_unstable();
            there.dedup();
            Entry {
                names: [letters(tool.slug), letters(tool.name)],
                words: there,
                slug: Spelled::of(tool.slug),
                name: Spelled::of(tool.name),
                grouped: Spelled::of(&format!("{} {}", tool.group, tool.name)),
                recent: tool.recent,
                small_name: tool.name.to_lowercase(),
            }
        };
        Self { entries: tools.iter().map(entry).collect() }
    }

    /// The tools that match, the best first. Nothing typed matches everything, by recency.
    #[must_use]
    pub fn find(&self, query: &str) -> Vec<Hit> {
        let (typed, words) = (letters(query), words(query));
        let hit = |(at, entry): (usize, &Entry)| {
            let (class, score) = if typed.is_empty() { (0, 0) } else { entry.rank(&typed, &words)? };
            Some(Hit { at, class, score })
        };
        let mut hits: Vec<Hit> = self.entries.iter().enumerate().filter_map(hit).collect();
        hits.sort_unstable_by(|one, other| self.key(one).cmp(&self.key(other)).then(one.at.cmp(&other.at)));
        hits
    }

    /// What a hit is ordered by, but for its place.
    fn key<'a>(&'a self, hit: &Hit) -> impl Ord + use<'a> {
        let entry = &self.entries[hit.at];
        (std::cmp::Reverse((hit.class, hit.score, entry.recent)), entry.small_name.as_str())
    }
}

impl Entry {
    fn rank(&self, typed: &str, words: &[String]) -> Option<(u8, i32)> {
        if self.names.iter().any(|name| name == typed) {
            return Some((4, 0));
        }
        if self.names.iter().any(|name| name.starts_with(typed)) {
            return Some((3, 0));
        }
        let has = |word: &String| self.words.binary_search(word).is_ok();
        if words.iter().all(has) {
            return Some((2, 0));
        }
        let spelled = [&self.slug, &self.name].into_iter().filter_map(|name| fuzzy::score(typed, name)).max();
        // The name of the group alone says little, and in a long description every letter can be found.
        let of_group = || fuzzy::score(typed, &self.grouped).map(|score| score / 2);
        let begun = |word: &String| {
            let at = self.words.partition_point(|one| one < word);
            self.words.get(at).is_some_and(|one| one.starts_with(word.as_str()))
        };
        let beginning = || words.iter().all(begun).then_some(0);
        spelled.or_else(of_group).or_else(beginning).map(|score| (1, score))
    }
}
