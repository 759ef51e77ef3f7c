//! Names that somebody may have meant.

/// How many are named.
const NAMED: usize = 3;

/// The paths that are most like one that is not there, best first.
pub(crate) fn near<'p>(wanted: &str, paths: impl Iterator<Item = &'p str>) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let (wanted_path, wanted_name) = (wanted.to_lowercase(), name(wanted));
    let most = (wanted_name.chars().count() / 3).max(1);
    let mut ranked: Vec<(usize, &str)> = paths
        .filter_map(|path| {
            let distance = if path.to_lowercase() == wanted_path {
                0
            } else if name(path) == wanted_name {
                // The right name in another folder.
                1
            } else {
                2 + edits(&wanted_name, &name(path), most)?
            };
            Some((distance, path))
        })
        .collect();
    ranked.sort();
    ranked.into_iter().take(NAMED).map(|(_, path)| path.to_owned()).collect()
}

/// How many letters have to be put in, taken out or changed to make one word of the other; nothing where it is more than `most`.
fn edits(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, known) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != known);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row.last().copied().filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_named() {
        let paths = ["README.md", "src/main.rs", "src/lib.rs", "notes/todo.txt", "a.txt"];
        let check = |wanted: &str, expected: &[&str]| assert_eq!(near(wanted, paths.into_iter()), expected, "{wanted}");
        check("readme.md", &["README.md"]);
        check("main.rs", &["src/main.rs"]);
        check("src/mian.rs", &["src/main.rs"]);
        check("src/libs.rs", &["src/lib.rs"]);
        check("notes/todos.txt", &["notes/todo.txt"]);
        check("quite/else.py", &[]);
    }
}
