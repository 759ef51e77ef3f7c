//! Patterns of paths: `*` and `?` within a name, `**` over folders, `[a-z]`, and `{one,other}`.

use super::Failure;
use crate::pattern::{Case, Pattern, escape};

/// A pattern of paths.
#[derive(Debug)]
pub(super) struct Glob(Pattern);

impl Glob {
    /// Reads a pattern. One without a slash is about names, in whichever folder they are.
    pub(super) fn read(glob: &str, longest: usize) -> Result<Self, Failure> {
        let refused = |why: &str| Failure::Pattern { pattern: super::lines::cut(glob, 80), why: why.into() };
        if glob.is_empty() || glob.len() > longest {
            return Err(refused(&format!("it must have 1 to {longest} bytes")));
        }
        let whole =
            if glob.contains('/') { glob.strip_prefix('/').unwrap_or(glob).to_owned() } else { format!("**/{glob}") };
        let pattern = translate(&whole).map_err(refused)?;
        Pattern::read(&format!("^(?:{pattern})$"), Case::Exact).map(Self).map_err(|error| refused(&error.to_string()))
    }

    /// Whether a path fits.
    pub(super) fn fits(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

fn translate(glob: &str) -> Result<String, &'static str> {
    let mut pattern = String::new();
    let mut rest = glob;
    let mut choices = 0;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let begins_name = rest.len() == glob.len() || glob[..glob.len() - rest.len()].ends_with('/');
        rest = match first {
            '*' if begins_name && rest.starts_with("**/") => {
                pattern.push_str("(?:[^/]+/)*");
                &rest[3..]
            }
            '*' if begins_name && rest == "**" => {
                pattern.push_str(".+");
                ""
            }
            '*' => {
                pattern.push_str("[^/]*");
                after.trim_start_matches('*')
            }
            '?' => {
                pattern.push_str("[^/]");
                after
            }
            '[' => {
                let (negated, inside) = match after.strip_prefix(['!', '^']) {
                    Some(inside) => (true, inside),
                    None => (false, after),
                };
                // A bracket that comes first stands for itself.
                let end = inside.char_indices().skip(1).find(|(_, letter)| *letter == ']').map(|(at, _)| at);
                let end = end.ok_or("a \"[\" is not closed")?;
                pattern.push_str(if negated { "[^/" } else { "[" });
                for letter in inside[..end].chars() {
                    match letter {
                        '\\' | '[' | ']' | '^' | '&' | '~' => pattern.extend(['\\', letter]),
                        other => pattern.push(other),
                    }
                }
                pattern.push(']');
                &inside[end + 1..]
            }
            '{' => {
                choices += 1;
                pattern.push_str("(?:");
                after
            }
            '}' if choices > 0 => {
                choices -= 1;
                pattern.push(')');
                after
            }
            ',' if choices > 0 => {
                pattern.push('|');
                after
            }
            '\\' => {
                let escaped = after.chars().next().ok_or("a \"\\\" ends it")?;
                pattern.push_str(&escape(&escaped.to_string()));
                &after[escaped.len_utf8()..]
            }
            other => {
                pattern.push_str(&escape(&other.to_string()));
                after
            }
        };
    }
    if choices > 0 { Err("a \"{\" is not closed") } else { Ok(pattern) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 7] = ["a.rs", "src/a.rs", "src/lib/b.rs", "src/lib/b.txt", "docs/[x].md", "src.rs/c", "été.rs"];

    fn check(glob: &str, expected: &[&str]) {
        let read = Glob::read(glob, 100).expect("is a glob");
        let fits: Vec<&str> = PATHS.into_iter().filter(|path| read.fits(path)).collect();
        assert_eq!(fits, expected, "{glob}");
    }

    #[test]
    fn globs_choose_paths() {
        check("*.rs", &["a.rs", "src/a.rs", "src/lib/b.rs", "été.rs"]);
        check("/*.rs", &["a.rs", "été.rs"]);
        check("src/*.rs", &["src/a.rs"]);
        check("src/**/*.rs", &["src/a.rs", "src/lib/b.rs"]);
        check("src/**", &["src/a.rs", "src/lib/b.rs", "src/lib/b.txt"]);
        check("**", &PATHS);
        check("**/b.*", &["src/lib/b.rs", "src/lib/b.txt"]);
        check("**/lib/**", &["src/lib/b.rs", "src/lib/b.txt"]);
        check("?.{rs,md}", &["a.rs", "src/a.rs", "src/lib/b.rs"]);
        check("[!a].rs", &["src/lib/b.rs"]);
        check("[[]x].md", &["docs/[x].md"]);
        check(r"\[x\].md", &["docs/[x].md"]);
        check("é?é.rs", &["été.rs"]);
        check("a.r", &[]);
    }

    #[test]
    fn a_glob_that_cannot_be_read_says_why() {
        let check = |glob: &str, why: &str| {
            let message = format!("the pattern {glob:?} cannot be read: {why}");
            assert_eq!(Glob::read(glob, 10).expect_err("is refused").to_string(), message);
        };
        check("a[b", "a \"[\" is not closed");
        check("{a,b", "a \"{\" is not closed");
        check("", "it must have 1 to 10 bytes");
        check("aaaaaaaaaaa", "it must have 1 to 10 bytes");
    }
}
