//! Putting the hunks of a patch into a text.

use super::super::lines::{bare, line_break, lines};
use super::{Hunk, HunkLine, Mark};

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Applied {
    pub(in super::super) text: String,
    /// How many hunks were found at another line than they say.
    pub(in super::super) moved: usize,
}

/// Why a hunk cannot be put in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HunkFault {
    /// What it stands on is nowhere.
    #[error("it expects {expected:?} at line {line}, and there is {}", shown(.found))]
    Differs {
        /// The line of the file that differs, where most of the hunk fits.
        line: usize,
        /// What the hunk has there.
        expected: String,
        /// What the file has there; none at its end.
        found: Option<String>,
    },
    /// It gives no number, and fits in several places.
    #[error("it gives no line and fits at lines {first} and {second}; give its line, or more lines around it")]
    Ambiguous {
        /// One place.
        first: usize,
        /// Another.
        second: usize,
    },
    /// It gives no number and has nothing to be found by.
    #[error("it gives no line and has no lines around what it adds; give some, so that its place is known")]
    NoPlace,
}

fn shown(found: &Option<String>) -> String {
    found.as_ref().map_or_else(|| "the end of the file".into(), |text| format!("{text:?}"))
}

/// Puts hunks into a text, from the front, each after the one before. Fails with the number of the hunk that does not fit, from 1.
pub(in super::super) fn apply(text: &str, hunks: &[Hunk]) -> Result<Applied, (usize, HunkFault)> {
    let old = lines(text);
    let ending = line_break(text);
    let (mut new, mut at, mut moved): (Vec<String>, usize, usize) = (Vec::new(), 0, 0);
    let mut shift: isize = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let place = find(&old, hunk, at, shift).map_err(|fault| (number + 1, fault))?;
        if let Some(start) = hunk.start {
            // The next ones are off by as much, most likely.
            shift = place as isize - start as isize;
            moved += usize::from(shift != 0);
        }
        new.extend(old[at..place].iter().map(|line| (*line).to_owned()));
        at = place;
        for line in &hunk.lines {
            match line.mark {
                Mark::Context => new.push(old[at].to_owned()),
                Mark::Remove => {}
                Mark::Add => new.push(format!("{}{}", line.text, if line.is_open { "" } else { ending })),
            }
            at += usize::from(line.mark != Mark::Add);
        }
    }
    new.extend(old[at..].iter().map(|line| (*line).to_owned()));
    // Only the last line may be without an end.
    if let Some((_, before_last)) = new.split_last_mut() {
        before_last.iter_mut().filter(|line| !line.ends_with('\n')).for_each(|line| line.push_str(ending));
    }
    Ok(Applied { text: new.concat(), moved })
}

/// The line at which a hunk fits: where it says, else as near to there as can be, and never before the hunk before it.
fn find(old: &[&str], hunk: &Hunk, least: usize, shift: isize) -> Result<usize, HunkFault> {
    let wanted: Vec<&HunkLine> = hunk.lines.iter().filter(|line| line.mark != Mark::Add).collect();
    let most = old.len().checked_sub(wanted.len()).filter(|most| *most >= least);
    let fits = |place: usize| wanted.iter().enumerate().all(|(more, line)| same(old[place + more], &line.text));
    let Some(start) = hunk.start else {
        if wanted.is_empty() {
            return if old.is_empty() { Ok(0) } else { Err(HunkFault::NoPlace) };
        }
        let mut places = most.into_iter().flat_map(|most| least..=most).filter(|place| fits(*place));
        return match (places.next(), places.next()) {
            (Some(place), None) => Ok(place),
            (Some(first), Some(second)) => Err(HunkFault::Ambiguous { first: first + 1, second: second + 1 }),
            (None, _) => Err(differs(old, &wanted, least, least)),
        };
    };
    let expected = start.saturating_add_signed(shift).clamp(least, old.len().max(least));
    let nearest = most.and_then(|most| {
        let distance = |place: &usize| place.abs_diff(expected);
        let after = (expected.min(most)..=most).find(|place| fits(*place));
        let before = (least..expected.min(most)).rev().find(|place| fits(*place));
        after.into_iter().chain(before).min_by_key(distance)
    });
    nearest.ok_or_else(|| differs(old, &wanted, least, expected))
}

/// Where a hunk comes nearest to fitting, and the first line there that differs.
fn differs(old: &[&str], wanted: &[&HunkLine], least: usize, expected: usize) -> HunkFault {
    let is_same = |place: usize, more: usize| old.get(place + more).is_some_and(|line| same(line, &wanted[more].text));
    let score = |place: usize| (0..wanted.len()).filter(|more| is_same(place, *more)).count();
    let last = old.len().saturating_sub(1).max(least);
    let best = (least..=last).max_by_key(|place| (score(*place), std::cmp::Reverse(place.abs_diff(expected))));
    let best = best.unwrap_or(least);
    let more = (0..wanted.len()).find(|more| !is_same(best, *more)).unwrap_or_default();
    let cut = |text: &str| super::super::lines::cut(bare(text), 200);
    HunkFault::Differs {
        line: best + more + 1,
        expected: wanted.get(more).map(|line| cut(&line.text)).unwrap_or_default(),
        found: old.get(best + more).map(|line| cut(line)),
    }
}

/// Whether a line of the file is a line of the patch, however it ends.
fn same(line: &str, text: &str) -> bool {
    bare(line) == text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::parse;
    use super::*;
    use crate::builtin::lines::diff;

    fn hunks(text: &str) -> Vec<Hunk> {
        parse(&format!("--- a\n+++ a\n{text}")).expect("is a patch").remove(0).hunks
    }

    fn check(text: &str, patch: &str, expected: &str, moved: usize) {
        let applied =
            apply(text, &hunks(patch)).unwrap_or_else(|(number, fault)| unreachable!("hunk {number}: {fault}"));
        assert_eq!((applied.text.as_str(), applied.moved), (expected, moved), "{patch}");
    }

    #[test]
    fn hunks_go_where_they_fit() {
        check("1\n2\n3\n", "@@ -2 +2 @@\n-2\n+two\n", "1\ntwo\n3\n", 0);
        check("0\n0\n1\n2\n3\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+two\n", "0\n0\n1\ntwo\n3\n", 1);
        check("x\n1\nx\n2\nx\n", "@@ -5 +5 @@\n-x\n+y\n", "x\n1\nx\n2\ny\n", 0);
        check("x\n1\nx\n2\nx\n", "@@ -2 +2 @@\n-x\n+y\n", "x\n1\ny\n2\nx\n", 1);
        check("1\n2\n", "@@ -1,0 +2 @@\n+new\n", "1\nnew\n2\n", 0);
        check("", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n", 0);
        check("a\nb\nc\n", "@@\n b\n+new\n", "a\nb\nnew\nc\n", 0);
        check("1\n2\n3\n4\n5\n6\n", "@@ -1 +1 @@\n-2\n+two\n@@ -4 +4 @@\n-5\n+five\n", "1\ntwo\n3\n4\nfive\n6\n", 2);
    }

    #[test]
    fn lines_end_as_those_of_the_file_do() {
        check("1\r\n2\r\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+two\n", "1\r\ntwo\r\n", 0);
        check("1\n2", "@@ -1,2 +1,3 @@\n 1\n 2\n+3\n", "1\n2\n3\n", 0);
        check(
            "1\n2",
            "@@ -2 +2 @@\n-2\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n",
            "1\ntwo",
            0,
        );
        check("1\n2\n", "@@ -2 +2 @@\n-2\n+two\n\\ No newline at end of file\n", "1\ntwo", 0);
    }

    #[test]
    fn a_hunk_that_does_not_fit_says_where() {
        let check = |text: &str, patch: &str, number: usize, message: &str| {
            let (at, fault) = apply(text, &hunks(patch)).expect_err("does not fit");
            assert_eq!((at, fault.to_string().as_str()), (number, message), "{patch}");
        };
        check(
            "1\n2\n3\n",
            "@@ -1,3 +1,3 @@\n 1\n-two\n+2\n 3\n",
            1,
            "it expects \"two\" at line 2, and there is \"2\"",
        );
        check(
            "1\n2\n3\n",
            "@@ -3,2 +3,2 @@\n 3\n-4\n+5\n",
            1,
            "it expects \"4\" at line 4, and there is the end of the file",
        );
        check(
            "1\n2\n1\n2\n",
            "@@\n 1\n-2\n+x\n",
            1,
            "it gives no line and fits at lines 1 and 3; give its line, or more lines around it",
        );
        check(
            "1\n",
            "@@\n+x\n",
            1,
            "it gives no line and has no lines around what it adds; give some, so that its place is known",
        );
        check(
            "1\n2\n",
            "@@ -2 +2 @@\n-2\n+x\n@@ -1 +1 @@\n-1\n+y\n",
            2,
            "it expects \"1\" at line 3, and there is the end of the file",
        );
    }

    proptest! {
        /// What edit_file shows as a diff is a patch that does the same, also to a text that has grown at its front.
        #[test]
        fn a_diff_is_a_patch(
            lines in proptest::collection::vec("[abc]{0,3}", 1..30),
            old in proptest::sample::select(vec!["ab", "b\n", "\n", "a\nb", "c"]),
            new in "[xy\n]{0,6}",
            front in 0..4_usize,
            ends in any::<bool>(),
        ) {
            let text = format!("{}{}", lines.join("\n"), if ends { "\n" } else { "" });
            let places: Vec<_> = text.match_indices(old).map(|(at, found)| at..at + found.len()).collect();
            prop_assume!(!places.is_empty() && new != old);
            let patch = diff("a", &text, &places, &new);
            let front = "front\n".repeat(front);
            let file = parse(&patch).expect("is a patch").remove(0);
            let applied = apply(&text, &file.hunks);
            prop_assert_eq!(applied.map(|applied| applied.text), Ok(text.replace(old, &new)));
            if file.hunks.len() == 1 && file.hunks[0].count(Mark::Context) > 4 {
                let applied = apply(&format!("{front}{text}"), &file.hunks);
                prop_assert!(applied.is_ok());
            }
        }
    }
}
