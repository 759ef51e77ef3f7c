//! A unified patch, as `diff -u` and `git diff` write it, as lines with their numbers.

/// What changed in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchedFile {
    /// What the patch calls it.
    pub name: String,
    /// Its lines, in order.
    pub lines: Vec<PatchLine>,
}

/// A line of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchLine {
    /// What it is.
    pub kind: PatchLineKind,
    /// Its number before.
    pub before: Option<u32>,
    /// Its number after.
    pub after: Option<u32>,
    /// The line, without its mark.
    pub text: String,
}

/// What a line of a patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchLineKind {
    /// Where a piece is.
    Place,
    /// It stayed.
    Kept,
    /// It came.
    Added,
    /// It went.
    Removed,
    /// What the patch says beside its lines, such as that a file was renamed.
    Said,
}

/// Whether a text is a unified patch: a line says where a piece is, and files are named or lines are marked.
#[must_use]
pub fn is_patch(text: &str) -> bool {
    let has_place = text.lines().any(|line| place(line).is_some());
    let names_files = text.starts_with("--- ") || text.contains("\n--- ") || text.starts_with("diff --git ");
    has_place && (names_files || text.starts_with("@@ -"))
}

/// Reads a patch. What cannot be read as part of one is kept as what it says.
#[must_use]
pub fn patched_files(text: &str) -> Vec<PatchedFile> {
    let mut files: Vec<PatchedFile> = Vec::new();
    // How many lines of either side the piece still has.
    let (mut left_before, mut left_after) = (0_u32, 0_u32);
    let (mut before, mut after) = (0_u32, 0_u32);
    for line in text.lines() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if left_before > 0 || left_after > 0 {
            let (kind, text) = match line.as_bytes().first() {
                Some(b'+') => (PatchLineKind::Added, &line[1..]),
                Some(b'-') => (PatchLineKind::Removed, &line[1..]),
                Some(b'\\') => (PatchLineKind::Said, line),
                Some(b' ') => (PatchLineKind::Kept, &line[1..]),
                // Some tools take the blank of an empty line away.
                _other => (PatchLineKind::Kept, line),
            };
            let (old, new) = match kind {
                PatchLineKind::Kept => (Some(before), Some(after)),
                PatchLineKind::Added => (None, Some(after)),
                PatchLineKind::Removed => (Some(before), None),
                PatchLineKind::Place | PatchLineKind::Said => (None, None),
            };
            if old.is_some() {
                (before, left_before) = (before.saturating_add(1), left_before.saturating_sub(1));
            }
            if new.is_some() {
                (after, left_after) = (after.saturating_add(1), left_after.saturating_sub(1));
            }
            push(&mut files, PatchLine { kind, before: old, after: new, text: text.to_owned() });
        } else if let Some(found) = place(line) {
            (before, left_before, after, left_after) = found;
            push(
                &mut files,
                PatchLine { kind: PatchLineKind::Place, before: None, after: None, text: line.to_owned() },
            );
        } else if let Some(name) = line.strip_prefix("+++ ") {
            name_last(&mut files, name);
        } else if let Some(name) = line.strip_prefix("--- ") {
            // After the head of git's own form this names the same file again.
            if files.last().is_none_or(|file| file.lines.iter().any(|line| line.kind == PatchLineKind::Place)) {
                files.push(PatchedFile::default());
            }
            name_last(&mut files, name);
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            let name = names.rsplit_once(" b/").map_or(names, |(_, name)| name);
            files.push(PatchedFile { name: name.to_owned(), lines: Vec::new() });
        } else if !line.is_empty() && !line.starts_with("index ") {
            push(&mut files, PatchLine { kind: PatchLineKind::Said, before: None, after: None, text: line.to_owned() });
        }
    }
    files
}

fn push(files: &mut Vec<PatchedFile>, line: PatchLine) {
    if files.is_empty() {
        files.push(PatchedFile::default());
    }
    if let Some(file) = files.last_mut() {
        file.lines.push(line);
    }
}

/// The name of a file, without the letter that git puts in front and the time that diff puts behind.
fn name_last(files: &mut [PatchedFile], written: &str) {
    let name = written.split('\t').next().unwrap_or(written).trim();
    let name = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
    if let Some(file) = files.last_mut()
        && (name != "/dev/null" || file.name.is_empty())
    {
        file.name = name.to_owned();
    }
}

/// `@@ -1,2 +3,4 @@`: first line and number of lines, before and after.
fn place(line: &str) -> Option<(u32, u32, u32, u32)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (before, after) = ranges.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    let ((before, of_before), (after, of_after)) = (range(before)?, range(after)?);
    Some((before, of_before, after, of_after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    const GIT: &str = "diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,3 @@ def f():\n one\n-two\n+--- 2\n three\n\\ No newline at end of file\ndiff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";

    #[test]
    fn lines_have_their_numbers() {
        let told: Vec<String> = (patched_files(GIT).iter())
            .flat_map(|file| {
                let number = |number: Option<u32>| number.map_or_else(|| "-".into(), |number| number.to_string());
                let line = move |line: &PatchLine| {
                    format!("{:?} {} {} {}", line.kind, number(line.before), number(line.after), line.text)
                };
                std::iter::once(file.name.clone()).chain(file.lines.iter().map(line)).collect::<Vec<_>>()
            })
            .collect();
        let expected = [
            "src/a.py",
            "Place - - @@ -1,3 +1,3 @@ def f():",
            "Kept 1 1 one",
            "Removed 2 - two",
            "Added - 2 --- 2",
            "Kept 3 3 three",
            "Said - - \\ No newline at end of file",
            "old",
            "Said - - deleted file mode 100644",
            "Place - - @@ -1 +0,0 @@",
            "Removed 1 - gone",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_plain_patch_names_its_files_too() {
        let text = "--- a.txt\t2026-01-01\n+++ a.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n--- c.txt\n+++ c.txt\n@@ -1 +1 @@\n-c\n+d\n";
        let names: Vec<String> = patched_files(text).into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["a.txt", "c.txt"]);
    }

    #[test]
    fn a_patch_is_known_when_it_is_seen() {
        assert!(is_patch(GIT));
        assert!(is_patch("@@ -1 +1 @@\n-a\n+b"));
        assert!(!is_patch("--- a list\n- one\n- two"));
        assert!(!is_patch("mail@@ -1 +1 @@"));
    }

    proptest! {
        /// Numbers may be anything.
        #[test]
        fn no_patch_is_too_strange(text in "(@@ -[0-9]{0,12},?[0-9]{0,12} \\+[0-9]{0,10} @@|\\+|-| |\n|--- |\\+\\+\\+ |diff --git |x){0,30}") {
            let read = patched_files(&text).len();
            prop_assert!(!is_patch(&text) || read > 0);
        }
    }
}
