//! Texts as lines: where something is, and what an edit looks like as a diff.

use std::ops::Range;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The number of the line in which a byte is, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The lines of a text, each with what ends it. A text that ends with a line break has no empty line after it.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A line without what ends it.
pub(super) fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The beginning of a text, of at most this many bytes, and a mark where it was cut.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(bytes)])
}

/// What ends the lines of a text: the first line decides.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if at > 0 && text.as_bytes()[at - 1] == b'\r' => "\r\n",
        Some(_) | None => "\n",
    }
}

/// A unified diff of a text in which these ranges, sorted and apart, are replaced by the same text.
pub(super) fn diff(path: &str, text: &str, replaced: &[Range<usize>], by: &str) -> String {
    let all = lines(text);
    let starts: Vec<usize> = all
        .iter()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        })
        .collect();
    let line_at = |byte: usize| starts.partition_point(|start| *start <= byte).saturating_sub(1);
    // Edits that touch the same or neighbouring lines belong to one hunk.
    let mut hunks: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
    for range in replaced {
        let first = line_at(range.start);
        let last = if range.is_empty() { first } else { line_at(range.end - 1) };
        match hunks.last_mut() {
            Some((lines, ranges)) if first <= lines.end + 2 * CONTEXT => {
                lines.end = lines.end.max(last + 1);
                ranges.push(range.clone());
            }
            Some(_) | None => hunks.push((first..last + 1, vec![range.clone()])),
        }
    }
    let mut diff = format!("--- a/{path}\n+++ b/{path}\n");
    let mut shift: isize = 0;
    for (touched, ranges) in hunks {
        let touched = touched.start.min(all.len())..touched.end.min(all.len());
        let from = starts.get(touched.start).copied().unwrap_or(text.len());
        let to = starts.get(touched.end).copied().unwrap_or(text.len());
        let mut after = String::new();
        let mut at = from;
        for range in &ranges {
            after.push_str(&text[at..range.start]);
            after.push_str(by);
            at = range.end;
        }
        after.push_str(&text[at..to]);
        let (before, after) = (&all[touched.clone()], lines(&after));
        let same = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
        let tail = (before[same..].iter().rev().zip(after[same..].iter().rev()))
            .take_while(|(one, other)| one == other)
            .count();
        let (start, end) = (touched.start + same, touched.end - tail);
        let (lead, trail) = (start.saturating_sub(CONTEXT), (end + CONTEXT).min(all.len()));
        let (removed, added) = (&all[start..end], &after[same..after.len() - tail]);
        let (old_count, new_count) = (trail - lead, trail - lead - removed.len() + added.len());
        let new_start = (lead as isize + shift) as usize;
        let place = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
        diff.push_str(&format!(
            "@@ -{},{old_count} +{},{new_count} @@\n",
            place(lead, old_count),
            place(new_start, new_count)
        ));
        for (mark, part) in [(' ', &all[lead..start]), ('-', removed), ('+', added), (' ', &all[end..trail])] {
            for line in part {
                diff.push(mark);
                diff.push_str(line);
                if !line.ends_with('\n') {
                    diff.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
        shift += added.len() as isize - removed.len() as isize;
    }
    diff
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, old: &str, new: &str, expected: &str) {
        let ranges: Vec<Range<usize>> = text.match_indices(old).map(|(at, found)| at..at + found.len()).collect();
        assert_eq!(diff("a", text, &ranges, new), format!("--- a/a\n+++ b/a\n{expected}"));
    }

    #[test]
    fn an_edit_is_shown_with_what_is_around_it() {
        check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "5", "five", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
        check("1\n2\n", "1\n", "", "@@ -1,2 +1,1 @@\n-1\n 2\n");
        check(
            "1\n2",
            "2",
            "two\n3",
            "@@ -1,2 +1,3 @@\n 1\n-2\n\\ No newline at end of file\n+two\n+3\n\\ No newline at end of file\n",
        );
        check("x", "x", "", "@@ -1,1 +0,0 @@\n-x\n\\ No newline at end of file\n");
    }

    #[test]
    fn edits_that_are_far_apart_are_hunks_of_their_own() {
        let text: String = (1..=30)
            .map(|number| format!("{}\n", if number % 20 == 5 { "x".into() } else { number.to_string() }))
            .collect();
        check(
            &text,
            "x",
            "x\ny",
            "@@ -3,6 +3,7 @@\n 3\n 4\n x\n+y\n 6\n 7\n 8\n@@ -23,6 +24,7 @@\n 23\n 24\n x\n+y\n 26\n 27\n 28\n",
        );
    }

    #[test]
    fn lines_are_counted_and_cut() {
        assert_eq!((line_of("a\nb\n", 0), line_of("a\nb\n", 2)), (1, 2));
        assert_eq!(lines("a\nb"), ["a\n", "b"]);
        assert_eq!((lines("").len(), bare("a\r\n"), cut("aéb", 2)), (0, "a", "a…".to_owned()));
        assert_eq!((line_break("a\r\nb\n"), line_break("\na"), line_break("")), ("\r\n", "\n", "\n"));
    }
}
