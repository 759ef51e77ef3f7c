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

/// Lines that are replaced by others.
struct Piece {
    lines: Range<usize>,
    added: Vec<String>,
}

/// A unified diff of a text in which these ranges, sorted and apart, are replaced by the same text.
pub(super) fn diff(path: &str, text: &str, replaced: &[Range<usize>], by: &str) -> String {
    let all = lines(text);
    let mut diff = format!("--- a/{path}\n+++ b/{path}\n");
    let mut shift: isize = 0;
    let pieces = pieces(text, &all, replaced, by);
    for hunk in pieces.chunk_by(|one, next| next.lines.start <= one.lines.end + 2 * CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let (lead, trail) = (first.lines.start.saturating_sub(CONTEXT), (last.lines.end + CONTEXT).min(all.len()));
        let removed: usize = hunk.iter().map(|piece| piece.lines.len()).sum();
        let added: usize = hunk.iter().map(|piece| piece.added.len()).sum();
        let (old_count, new_count) = (trail - lead, trail - lead - removed + added);
        // Where nothing is left, the line before is named.
        let place = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
        let (old_start, new_start) = (place(lead, old_count), place(lead.saturating_add_signed(shift), new_count));
        diff.push_str(&format!("@@ -{old_start},{old_count} +{new_start},{new_count} @@\n"));
        let mut at = lead;
        for piece in hunk {
            all[at..piece.lines.start].iter().for_each(|line| push(&mut diff, ' ', line));
            all[piece.lines.clone()].iter().for_each(|line| push(&mut diff, '-', line));
            piece.added.iter().for_each(|line| push(&mut diff, '+', line));
            at = piece.lines.end;
        }
        all[at..trail].iter().for_each(|line| push(&mut diff, ' ', line));
        shift += added as isize - removed as isize;
    }
    diff
}

fn push(diff: &mut String, mark: char, line: &str) {
    diff.push(mark);
    diff.push_str(line);
    if !line.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

/// The lines that edits replace, as few as can be.
fn pieces(text: &str, all: &[&str], replaced: &[Range<usize>], by: &str) -> Vec<Piece> {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1).filter(|start| *start < text.len()));
    let line_at = |byte: usize| starts.partition_point(|start| *start <= byte).saturating_sub(1);
    let mut blocks: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
    for range in replaced {
        // An edit that takes the end of a line touches the next one too: the two may become one.
        let (first, end) = (line_at(range.start), (line_at(range.end) + 1).min(all.len()));
        match blocks.last_mut() {
            Some((lines, ranges)) if first < lines.end => {
                lines.end = lines.end.max(end);
                ranges.push(range.clone());
            }
            Some(_) | None => blocks.push((first..end, vec![range.clone()])),
        }
    }
    let piece = |(touched, ranges): (Range<usize>, Vec<Range<usize>>)| {
        let to = starts.get(touched.end).copied().unwrap_or(text.len());
        let (mut after, mut at) = (String::new(), starts[touched.start]);
        for range in ranges {
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
        let added = after[same..after.len() - tail].iter().map(|line| (*line).to_owned()).collect();
        Piece { lines: touched.start + same..touched.end - tail, added }
    };
    blocks.into_iter().map(piece).collect()
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
    fn edits_that_are_near_share_a_hunk_and_leave_what_is_between() {
        check("x\n1\n2\nx\n", "x", "y", "@@ -1,4 +1,4 @@\n-x\n+y\n 1\n 2\n-x\n+y\n");
        check("a\nb\nc\n", "a\n", "x", "@@ -1,3 +1,2 @@\n-a\n-b\n+xb\n c\n");
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
