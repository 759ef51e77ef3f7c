//! The line breaks of a text that is edited. Whatever shows a text for editing knows one kind of break and gives the text back with `\n`
//! alone; a file may have `\r\n`, or both. What the user did not touch keeps the breaks it had.

use std::collections::BTreeMap;

/// A line, and the break after it; the last one has none.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    end: &'a str,
}

/// An edited text, in which every break is `\n`, with the breaks of the text that it was made from. New lines get the break that most lines
/// have.
#[must_use]
pub fn with_breaks_of(before: &str, edited: &str) -> String {
    if !before.contains('\r') {
        return edited.to_owned();
    }
    let before = lines(before);
    let usual = usual(&before);
    // As long as nothing was typed, it may have its breaks still.
    let edited = edited.replace("\r\n", "\n").replace('\r', "\n");
    if before.iter().all(|line| line.end.is_empty() || line.end == usual) {
        return edited.replace('\n', usual);
    }
    let edited: Vec<&str> = edited.split('\n').collect();
    let mut ends = vec![None; edited.len()];
    align(&before, &edited, &mut ends);
    let (mut whole, last) = (String::new(), edited.len() - 1);
    for (at, (text, end)) in edited.into_iter().zip(ends).enumerate() {
        whole.push_str(text);
        match end.filter(|end| !end.is_empty()).unwrap_or(usual) {
            _none if at == last => {}
            // Behind a bare `\r` it would make one break of two.
            "\n" if whole.ends_with('\r') => whole.push_str("\r\n"),
            end => whole.push_str(end),
        }
    }
    whole
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find(['\r', '\n']) {
        let length = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        lines.push(Line { text: &rest[..at], end: &rest[at..at + length] });
        rest = &rest[at + length..];
    }
    lines.push(Line { text: rest, end: "" });
    lines
}

/// The break that most lines have, and of several the first.
fn usual<'a>(lines: &[Line<'a>]) -> &'a str {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for line in lines.iter().filter(|line| !line.end.is_empty()) {
        match counts.iter_mut().find(|(end, _)| *end == line.end) {
            Some((_, count)) => *count += 1,
            None => counts.push((line.end, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or("\n", |(end, _)| end)
}

/// Finds which lines were there before, and gives them their breaks: those at both ends first, then those that are there only once, and so
/// on between them.
fn align<'a>(before: &[Line<'a>], edited: &[&str], ends: &mut [Option<&'a str>]) {
    let same = |(line, text): &(&Line<'a>, &&str)| line.text == **text;
    let head = before.iter().zip(edited).take_while(same).count();
    let (left, right) = (&before[head..], &edited[head..]);
    let tail = left.iter().rev().zip(right.iter().rev()).take_while(same).count();
    for at in 0..head {
        ends[at] = Some(before[at].end);
    }
    for at in 1..=tail {
        ends[edited.len() - at] = Some(before[before.len() - at].end);
    }
    let (before, edited) = (&left[..left.len() - tail], &right[..right.len() - tail]);
    let ends = &mut ends[head..head + edited.len()];
    let anchors = anchors(before, edited);
    if anchors.is_empty() {
        // As many lines as before: they were changed, and none was added or taken away.
        if before.len() == edited.len() {
            before.iter().zip(ends).for_each(|(line, end)| *end = Some(line.end));
        }
        return;
    }
    let (mut from, mut to) = (0, 0);
    for (old, new) in anchors {
        align(&before[from..old], &edited[to..new], &mut ends[to..new]);
        ends[new] = Some(before[old].end);
        (from, to) = (old + 1, new + 1);
    }
    align(&before[from..], &edited[to..], &mut ends[to..]);
}

/// The lines that both have just once, as far as they are in the same order: where each was, and where it is.
fn anchors(before: &[Line<'_>], edited: &[&str]) -> Vec<(usize, usize)> {
    let was = once(before.iter().map(|line| line.text));
    let is = once(edited.iter().copied());
    let mut both: Vec<(usize, usize)> =
        was.iter().filter_map(|(text, old)| is.get(text).map(|new| (*old, *new))).collect();
    both.sort_unstable();
    longest_rising(&both)
}

/// The texts that come once, and where.
fn once<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut found: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (at, text) in texts.enumerate() {
        found.entry(text).and_modify(|place| *place = None).or_insert(Some(at));
    }
    found.into_iter().filter_map(|(text, place)| Some((text, place?))).collect()
}

/// The longest run of pairs whose second members rise; the first ones do.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best run of each length, and what came before each pair in its run.
    let (mut best, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, (_, place)) in pairs.iter().enumerate() {
        let length = best.partition_point(|last| pairs[*last].1 < *place);
        before.push(length.checked_sub(1).map(|shorter| best[shorter]));
        match best.get_mut(length) {
            Some(last) => *last = at,
            None => best.push(at),
        }
    }
    let mut run: Vec<_> = std::iter::successors(best.last().copied(), |at| before[*at]).map(|at| pairs[at]).collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(before: &str, edited: &str, expected: &str) {
        assert_eq!(with_breaks_of(before, edited), expected, "{before:?} edited to {edited:?}");
    }

    /// R229
    #[test]
    fn a_text_with_one_kind_of_break_keeps_it() {
        check("a\nb\n", "a\nX\nb\n", "a\nX\nb\n");
        check("a\r\nb\r\n", "a\nX\nb\n", "a\r\nX\r\nb\r\n");
        check("a\rb", "a\nb\nc", "a\rb\rc");
        check("a\r\n", "", "");
        check("none", "one\ntwo", "one\ntwo");
        check("a\r\nb", "a\r\nb", "a\r\nb");
    }

    /// R229
    #[test]
    fn what_was_not_touched_keeps_its_own_breaks() {
        let mixed = "a\r\nb\nc\r\nd\ne\r\n";
        check(mixed, "a\nb\nc\nd\ne\n", mixed);
        // Changed, added, taken away, at several places at once.
        check(mixed, "a\nB\nc\nd\ne\n", mixed.replace('b', "B").as_str());
        check(mixed, "A\nb\nc\nd\nE\n", "A\r\nb\nc\r\nd\nE\r\n");
        check(mixed, "a\nb\nnew\nc\nd\ne\n", "a\r\nb\nnew\r\nc\r\nd\ne\r\n");
        check(mixed, "new\na\nb\nd\nnew\ne\n", "new\r\na\r\nb\nd\nnew\r\ne\r\n");
        check(mixed, "b\nd\n", "b\nd\n");
        // The last line had no break, and now is not the last.
        check("a\nb\r\nc", "a\nb\nc\nd", "a\nb\r\nc\nd");
        // Lines that are equal are told apart by those around them.
        check("}\r\nx\n}\ny\r\n", "}\nx\n}\nz\ny\n", "}\r\nx\n}\nz\r\ny\r\n");
    }

    proptest! {
        /// Nothing but breaks is ever changed, and where nothing was edited not even those.
        #[test]
        fn only_breaks_are_put_back(before in "[ab\r\n]{0,40}", edited in "[ab\n]{0,40}") {
            let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
            prop_assert_eq!(&with_breaks_of(&before, &plain(&before)), &before);
            prop_assert_eq!(plain(&with_breaks_of(&before, &edited)), edited);
        }
    }
}
