//! Whether the letters of a query are in a name, in their order, and how well that looks.

/// For a letter at the beginning of a word, and for one that follows the last.
const BEGINS: i32 = 7;
const FOLLOWS: i32 = 6;
/// For letters that are left out between two.
const GAP: i32 = -4;

/// The best score; none where a letter is missing. The query has only small letters and digits.
pub(super) fn score(query: &str, name: &str) -> Option<i32> {
    let name: Vec<char> = name.chars().collect();
    let begins = |at: usize| {
        let before = at.checked_sub(1).map(|before| name[before]);
        before.is_none_or(|before| !before.is_alphanumeric() || (before.is_lowercase() && name[at].is_uppercase()))
    };
    // The best score of the letters so far, where the last of them is at each place.
    let mut best: Vec<Option<i32>> = Vec::new();
    for (number, letter) in query.chars().enumerate() {
        let mut next = vec![None; name.len()];
        // The best of all that end before the place before this one.
        let mut far: Option<i32> = None;
        for at in 0..name.len() {
            if let Some(two_back) = at.checked_sub(2) {
                far = far.max(best.get(two_back).copied().flatten());
            }
            if name[at].to_lowercase().ne(std::iter::once(letter)) {
                continue;
            }
            let near = at.checked_sub(1).and_then(|before| best.get(before).copied().flatten());
            let so_far =
                if number == 0 { Some(0) } else { near.map(|near| near + FOLLOWS).max(far.map(|far| far + GAP)) };
            next[at] = so_far.map(|so_far| so_far + 1 + if begins(at) { BEGINS } else { 0 });
        }
        best = next;
    }
    best.into_iter().flatten().max()
}

#[cfg(test)]
mod tests {
    use super::score;

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
