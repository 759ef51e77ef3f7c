//! Reading a unified diff.

use super::{FilePatch, Hunk, HunkLine, Mark};

/// Why a patch cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchFault {
    /// There is nothing in it that names a file.
    #[error(
        "it names no file; write a unified diff: \"--- a/path\", \"+++ b/path\", then hunks that begin with \"@@ -1,3 +1,4 @@\""
    )]
    Empty,
    /// It is another kind of patch.
    #[error(
        "\"*** Begin Patch\" is not a unified diff; write \"--- a/path\", \"+++ b/path\", then hunks that begin with \"@@ -1,3 +1,4 @@\""
    )]
    OtherFormat,
    /// A line is where none can be.
    #[error(
        "line {line} of the patch is not part of a hunk; lines of a hunk begin with a blank, \"-\" or \"+\": {text:?}"
    )]
    Line {
        /// Which, from 1.
        line: usize,
        /// How it begins.
        text: String,
    },
    /// A hunk does nothing.
    #[error("the hunk at line {0} of the patch changes nothing")]
    Idle(usize),
    /// It is a patch of bytes.
    #[error("line {0} of the patch is about a file that is not text, which cannot be patched; write the file instead")]
    Binary(usize),
}

/// Reads a patch of one file or several.
pub(in super::super) fn parse(patch: &str) -> Result<Vec<FilePatch>, PatchFault> {
    let lines: Vec<&str> = patch.lines().collect();
    if lines.iter().any(|line| line.starts_with("*** Begin Patch")) {
        return Err(PatchFault::OtherFormat);
    }
    let mut reader = Reader { lines, at: 0 };
    let mut files = Vec::new();
    while let Some(file) = reader.file()? {
        files.push(file);
    }
    if files.is_empty() { Err(PatchFault::Empty) } else { Ok(files) }
}

struct Reader<'p> {
    lines: Vec<&'p str>,
    at: usize,
}

impl<'p> Reader<'p> {
    fn peek(&self) -> Option<&'p str> {
        self.lines.get(self.at).copied()
    }

    /// Whether the lines at this place begin another file. Within a hunk a line that goes may look like it, so that there only names as
    /// git writes them count.
    fn begins_file(&self, at: usize, is_in_hunk: bool) -> bool {
        let name = |at: usize, mark: &str| self.lines.get(at).and_then(|line| line.strip_prefix(mark));
        let by_git = |name: &str, side: &str| name.starts_with(side) || name.starts_with("/dev/null");
        match (name(at, "--- "), name(at + 1, "+++ ")) {
            (Some(old), Some(new)) => !is_in_hunk || (by_git(old, "a/") && by_git(new, "b/")),
            _other => name(at, "diff --git ").is_some(),
        }
    }

    fn file(&mut self) -> Result<Option<FilePatch>, PatchFault> {
        // Whatever somebody wrote before the first file is no part of it; a hunk without a file is.
        while !self.begins_file(self.at, false) {
            match self.peek() {
                None => return Ok(None),
                Some(line) if line.starts_with("@@") => return Err(PatchFault::Empty),
                Some(_) => self.at += 1,
            }
        }
        let mut file = FilePatch { old: None, new: None, hunks: Vec::new() };
        if let Some(names) = self.peek().and_then(|line| line.strip_prefix("diff --git ")) {
            self.at += 1;
            self.git_head(names, &mut file)?;
        }
        if let (Some(old), Some(new)) = (self.name("--- "), self.name_after("+++ ")) {
            self.at += 2;
            (file.old, file.new) = names(&old, &new);
        }
        while self.peek().is_some_and(|line| line.starts_with("@@")) {
            let hunk = self.hunk()?;
            file.hunks.push(hunk);
        }
        Ok(Some(file))
    }

    /// What git says of a file before its hunks, which may be all there is: a rename, or a file without lines that comes or goes.
    fn git_head(&mut self, both: &str, file: &mut FilePatch) -> Result<(), PatchFault> {
        if let Some((old, new)) = both.split_once(" b/") {
            let name = old.strip_prefix("a/").unwrap_or(old);
            (file.old, file.new) = (Some(name.to_owned()), Some(new.to_owned()));
        }
        while let Some(line) = self.peek() {
            if line.starts_with("--- ") || line.starts_with("@@") || line.starts_with("diff --git ") {
                break;
            }
            if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
                return Err(PatchFault::Binary(self.at + 1));
            }
            if let Some(name) = line.strip_prefix("rename from ") {
                file.old = Some(name.to_owned());
            } else if let Some(name) = line.strip_prefix("rename to ") {
                file.new = Some(name.to_owned());
            } else if line.starts_with("new file mode") {
                file.old = None;
            } else if line.starts_with("deleted file mode") {
                file.new = None;
            }
            self.at += 1;
        }
        Ok(())
    }

    fn name(&self, mark: &str) -> Option<String> {
        self.peek()?.strip_prefix(mark).map(written_name)
    }

    fn name_after(&self, mark: &str) -> Option<String> {
        self.lines.get(self.at + 1)?.strip_prefix(mark).map(written_name)
    }

    fn hunk(&mut self) -> Result<Hunk, PatchFault> {
        let at = self.at + 1;
        let head = numbers(self.peek().unwrap_or_default());
        self.at += 1;
        let mut lines: Vec<HunkLine> = Vec::new();
        let (mut old_left, mut new_left) = head.map_or((0, 0), |head| (head.old_count, head.new_count));
        while let Some(line) = self.peek() {
            let is_due = old_left > 0 || new_left > 0;
            if line.starts_with("@@") || self.begins_file(self.at, is_due) || (!is_due && line == "-- ") {
                break;
            }
            let mut letters = line.chars();
            let mark = match letters.next() {
                Some(' ') => Mark::Context,
                Some('-') => Mark::Remove,
                Some('+') => Mark::Add,
                Some('\\') => {
                    lines.iter_mut().next_back().into_iter().for_each(|line| line.is_open = true);
                    self.at += 1;
                    continue;
                }
                // Some editors take away a blank that ends a line.
                None if self.goes_on() => Mark::Context,
                None => {
                    self.at += 1;
                    continue;
                }
                Some(_) if !is_due && head.is_some() => break,
                Some(_) => return Err(PatchFault::Line { line: self.at + 1, text: line.chars().take(80).collect() }),
            };
            old_left = old_left.saturating_sub(usize::from(mark != Mark::Add));
            new_left = new_left.saturating_sub(usize::from(mark != Mark::Remove));
            lines.push(HunkLine { mark, text: letters.as_str().to_owned(), is_open: false });
            self.at += 1;
        }
        if lines.iter().all(|line| line.mark == Mark::Context) {
            return Err(PatchFault::Idle(at));
        }
        // A hunk that removes and keeps nothing is said to come after its line, others begin at it.
        let start =
            head.map(|head| if head.old_count == 0 { head.old_start } else { head.old_start.saturating_sub(1) });
        Ok(Hunk { at, start, lines })
    }

    /// Whether the hunk goes on after an empty line here.
    fn goes_on(&self) -> bool {
        let next = (self.at..self.lines.len()).find(|at| !self.lines[*at].is_empty());
        next.is_some_and(|next| self.lines[next].starts_with([' ', '-', '+']) && !self.begins_file(next, false))
    }
}

#[derive(Clone, Copy)]
struct Head {
    old_start: usize,
    old_count: usize,
    new_count: usize,
}

/// The numbers of `@@ -1,2 +3,4 @@`; none where there are none.
fn numbers(line: &str) -> Option<Head> {
    let inside = line.strip_prefix("@@ -")?;
    let (old, rest) = inside.split_once(" +")?;
    let new = rest.split(' ').next()?;
    let range = |text: &str| -> Option<(usize, usize)> {
        match text.split_once(',') {
            None => Some((text.parse().ok()?, 1)),
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        }
    };
    let ((old_start, old_count), (_, new_count)) = (range(old)?, range(new)?);
    Some(Head { old_start, old_count, new_count })
}

/// A name as it is written after `---` or `+++`: perhaps in quotes, perhaps with a time after it.
fn written_name(text: &str) -> String {
    let name = text.split('\t').next().unwrap_or(text).trim_end();
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name).to_owned()
}

/// Both names, without the `a/` and `b/` that git puts before them.
fn names(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let is_none = |name: &str| name == "/dev/null";
    let by_git = (is_none(old) || old.starts_with("a/")) && (is_none(new) || new.starts_with("b/"));
    let name = |name: &str| {
        let plain = if by_git { name.get(2..).unwrap_or(name) } else { name };
        (!is_none(name)).then(|| plain.to_owned())
    };
    (name(old), name(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file before and after, and its hunks: where they begin, and their lines.
    type Expected<'t> = (Option<&'t str>, Option<&'t str>, &'t [(Option<usize>, &'t str)]);

    fn check(patch: &str, expected: &[Expected<'_>]) {
        let files = parse(patch).unwrap_or_else(|fault| unreachable!("{fault}"));
        let lines = |hunk: &Hunk| -> String {
            let mark = |mark: Mark| match mark {
                Mark::Context => ' ',
                Mark::Remove => '-',
                Mark::Add => '+',
            };
            let line =
                |line: &HunkLine| format!("{}{}{}", mark(line.mark), line.text, if line.is_open { "\\" } else { "|" });
            hunk.lines.iter().map(line).collect()
        };
        let found: Vec<_> = files
            .iter()
            .map(|file| {
                let hunks: Vec<_> = file.hunks.iter().map(|hunk| (hunk.start, lines(hunk))).collect();
                (file.old.as_deref(), file.new.as_deref(), hunks)
            })
            .collect();
        let expected: Vec<_> = (expected.iter())
            .map(|(old, new, hunks)| (*old, *new, hunks.iter().map(|(at, lines)| (*at, (*lines).to_owned())).collect()))
            .collect();
        assert_eq!(found, expected, "{patch}");
    }

    #[test]
    fn patches_of_git_and_of_diff_are_read() {
        let a = Some("a.txt");
        check(
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@ fn x\n one\n-two\n+2\n",
            &[(a, a, &[(Some(0), " one|-two|+2|")])],
        );
        check("--- a.txt\t2026-01-01\n+++ a.txt\t2026-01-02\n@@ -3 +3 @@\n-x\n+y\n", &[(a, a, &[(Some(2), "-x|+y|")])]);
        check(
            "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
            &[(None, a, &[(Some(0), "+x\\")])],
        );
        check("--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", &[(a, None, &[(Some(0), "-x|")])]);
        check(
            "Some words\n\ndiff --git a/a.txt b/b.txt\nsimilarity index 90%\nrename from a.txt\nrename to b.txt\ndiff --git a/c b/c\ndeleted file mode 100644\nindex 0..1\n",
            &[(a, Some("b.txt"), &[]), (Some("c"), None, &[])],
        );
        check(
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n--- x\n+++ y\n@@ -9,0 +10,1 @@\n+z\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-1\n+2\n-- \n2.39\n",
            &[(a, a, &[(Some(0), "--- x|+++ y|"), (Some(9), "+z|")]), (Some("c"), Some("c"), &[(Some(0), "-1|+2|")])],
        );
    }

    /// Models count badly, forget the blank of an empty line, or give no numbers at all.
    #[test]
    fn numbers_that_are_wrong_do_no_harm() {
        let a = Some("a");
        check(
            "--- a\n+++ a\n@@ -1,9 +1,9 @@\n one\n\n-two\n+2\n@@ -5,1 +5,1 @@\n-x\n+y\n z\n",
            &[(a, a, &[(Some(0), " one| |-two|+2|"), (Some(4), "-x|+y| z|")])],
        );
        check("--- a\n+++ a\n@@\n one\n-two\n\n three\n\n", &[(a, a, &[(None, " one|-two| | three|")])]);
        check(
            "--- a\n+++ a\n@@ def f():\n-two\n\n--- b\n+++ b\n@@\n+x\n",
            &[(a, a, &[(None, "-two|")]), (Some("b"), Some("b"), &[(None, "+x|")])],
        );
    }

    #[test]
    fn what_is_no_patch_is_refused() {
        let check = |patch: &str, expected: PatchFault| assert_eq!(parse(patch), Err(expected), "{patch}");
        check("", PatchFault::Empty);
        check("@@ -1 +1 @@\n-x\n+y\n", PatchFault::Empty);
        check("*** Begin Patch\n*** Update File: a\n", PatchFault::OtherFormat);
        check("--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n two\n", PatchFault::Idle(3));
        check("--- a\n+++ a\n@@ -1,2 +1,2 @@\n-one\ntwo\n", PatchFault::Line { line: 5, text: "two".into() });
        check("diff --git a/a b/a\nBinary files a/a and b/a differ\n", PatchFault::Binary(2));
    }
}
