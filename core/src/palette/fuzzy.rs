//! Whether the letters of a query are in a name, in their order, and how well that looks.

/// For a letter at the beginning of a word, and for one that follows the last.
const BEGINS: i32 = 7;
const FOLLOWS: i32 = 6;
/// For letters that are left out between two.
const GAP: i32 = -4;

/// A name, ready to be looked through: its small letters, and which of them begin a word.
#[derive(Clone, Debug)]
pub(super) struct Spelled {
    letters: Vec<char>,
    begins: Vec<bool>,
}

impl Spelled {
    pub(super) fn of(name: &str) -> Self {
        let name: Vec<char> = name.chars().collect();
        let begins = |at: usize| {
            let before = at.checked_sub(1).map(|before| name[before]);
            before.is_none_or(|before| !before.is_alphanumeric() || (before.is_lowercase() && name[at].is_uppercase()))
        };
        let small = |letter: &char| {
            let mut small = letter.to_lowercase();
            // A letter that becomes two small ones is found by neither.
            if small.len() == 1 { small.next().unwrap_or(*letter) } else { *letter }
        };
        Self { begins: (0..name.len()).map(begins).collect(), letters: name.iter().map(small).collect() }
    }

    /// Whether the letters of a query are there, in their order.
    fn has(&self, query: &str) -> bool {
        let mut letters = self.letters.iter();
        query.chars().all(|wanted| letters.any(|letter| *letter == wanted))
    }
}

/// The best score; none where a letter is missing. The query has only small letters and digits.
pub(super) fn score(query: &str, name: &Spelled) -> Option<i32> {
    if !name.has(query) {
        return None;
    }
    let Spelled { letters, begins } = name;
    // The best score of the letters so far, where the last of them is at each place.
    let mut best: Vec<Option<i32>> = Vec::new();
    for (number, letter) in query.chars().enumerate() {
        let mut next = vec![None; letters.len()];
        // The best of all that end before the place before this one.
        let mut far: Option<i32> = None;
        for at in 0..letters.len() {
            if let Some(two_back) = at.checked_sub(2) {
                far = far.max(best.get(two_back).copied().flatten());
            }
            if letters[at] != letter {
                continue;
            }
            let near = at.checked_sub(1).and_then(|before| best.get(before).copied().flatten());
            let so_far =
                if number == 0 { Some(0) } else { near.map(|near| near + FOLLOWS).max(far.map(|far| far + GAP)) };
            next[at] = so_far.map(|so_far| so_far + 1 + if begins[at] { BEGINS } else { 0 });
        }
        best = next;
    }
    best.into_iter().flatten().max()
}

#[cfg(test)]
mod tests {
    use super::Spelled;

    fn score(query: &str, name: &str) -> Option<i32> {
        super::score(query, &Spelled::of(name))
    }

    #[test]
    fn beginnings_and_runs_of_letters_are_better() {
        let better = |query: &str, one: &str, other: &str| {
            assert!(score(query, one) > score(query, other), "{query}: {one} against {other}");
        };
        better("wf", "write-file", "wolf");
        better("wf", "writeFile", "wolf");
        better("fil", "write-file", "find-lines");
        better("ab", "xab", "xa-xb");
        better("ab", "a-b", "a-xb");
        assert_eq!(score("abc", "a-b"), None);
        assert_eq!(score("ba", "ab"), None);
    }
}
