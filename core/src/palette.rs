//! Finding a tool by what is typed: which tools come first, and which one a slug names (R179, R253).
//!
//! What begins with the words goes before what has them as whole words, that before what has their letters in order, and of equals
//! the one that was used or changed last. Hyphens, underscores and spaces are the same here, and so are capitals and small letters:
//! `+readfile`, `+read-file` and `+read_file` name one tool.
//!
//! The matching is our own. A palette has some hundred short names in it; a crate of the field brings tables for normalising Unicode
//! and would be most of the chunk.

mod fuzzy;
mod index;

pub use index::{Hit, Index};

/// A tool, as far as it can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Findable<'a> {
    /// Its slug.
    pub slug: &'a str,
    /// Its display name.
    pub name: &'a str,
    /// What it belongs to: its toolset or server, by name.
    pub group: &'a str,
    /// What it does.
    pub description: &'a str,
    /// The kind of tool it is, where it says.
    pub category: &'a str,
    /// Its other words.
    pub tags: &'a [String],
    /// When it was last used or changed, in milliseconds.
    pub recent: i64,
}

/// The places of the tools that match, the best first. Nothing typed matches everything, by recency.
#[must_use]
pub fn rank(query: &str, tools: &[Findable<'_>]) -> Vec<usize> {
    Index::of(tools).find(query).into_iter().map(|hit| hit.at).collect()
}

/// The tools that a slug names. Several toolsets may have tools of one slug.
#[must_use]
pub fn named(slug: &str, tools: &[Findable<'_>]) -> Vec<usize> {
    let wanted = letters(slug);
    let is_named = |tool: &Findable<'_>| !wanted.is_empty() && letters(tool.slug) == wanted;
    (0..tools.len()).filter(|at| is_named(&tools[*at])).collect()
}

/// What follows the plus, where a message that is being written calls for a tool: it begins with one and is a single line.
#[must_use]
pub fn called_for(text: &str) -> Option<&str> {
    text.strip_prefix('+').filter(|rest| !rest.contains('\n'))
}

/// The letters and digits of a name, small.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool<'a>(slug: &'a str, name: &'a str, description: &'a str, recent: i64) -> Findable<'a> {
        Findable { slug, name, group: "Built in", description, category: "", tags: &[], recent }
    }

    fn check(query: &str, tools: &[Findable<'_>], expected: &[&str]) {
        let found: Vec<&str> = rank(query, tools).into_iter().map(|at| tools[at].slug).collect();
        assert_eq!(found, expected, "{query:?}");
    }

    /// R253: prefix, then whole word, then letters in order, then recency.
    #[test]
    fn the_order_is_that_of_the_requirement() {
        let tools = [
            tool("file-info", "Inspect", "", 0),
            tool("write-file", "Write file", "", 0),
            tool("find-lines", "Find lines", "", 9),
            tool("count", "Count", "Counts the words of a file", 5),
            tool("plot", "Plot", "Draws", 99),
        ];
        check("file", &tools, &["file-info", "count", "write-file", "find-lines"]);
        check("fil", &tools, &["file-info", "write-file", "find-lines", "count"]);
        check("zzz", &tools, &[]);
        check("", &tools, &["plot", "find-lines", "count", "file-info", "write-file"]);
        check("  ", &tools, &["plot", "find-lines", "count", "file-info", "write-file"]);
    }

    /// R253: of equals the latest, and of those by name.
    #[test]
    fn equals_are_ordered_by_recency() {
        let tools = [
            tool("read-b", "Read b", "", 1),
            tool("read-a", "Read a", "", 1),
            tool("read-c", "Read c", "", 2),
            tool("read", "Read", "", 0),
        ];
        check("read", &tools, &["read", "read-c", "read-a", "read-b"]);
    }

    /// R179: capitals and marks between words make no difference.
    #[test]
    fn spellings_are_the_same() {
        let tools = [tool("read-file", "Read file", "", 0), tool("reader-of-files", "Reader", "", 9)];
        for query in ["readfile", "read-file", "read_file", "Read File", "READ FILE"] {
            assert_eq!(rank(query, &tools)[0], 0, "{query}");
            assert_eq!(named(query, &tools), [0], "{query}");
        }
        assert_eq!(named("read", &tools), [] as [usize; 0]);
        assert_eq!(named("", &tools), [] as [usize; 0]);
        let twins = [tool("run", "One", "", 0), tool("run", "Two", "", 0)];
        assert_eq!(named("run", &twins), [0, 1]);
    }

    /// Several words, in any order, of what it is and what it does.
    #[test]
    fn words_are_found_wherever_they_are() {
        let tools = [tool("plot-csv", "Plot", "Draws a table as a chart", 0), tool("count", "Count", "Counts rows", 0)];
        check("chart table", &tools, &["plot-csv"]);
        check("built count", &tools, &["count"]);
        check("pcsv", &tools, &["plot-csv"]);
        check("draw cha", &tools, &["plot-csv"]);
    }

    /// What an author gives a tool to be found by finds it.
    #[test]
    fn category_and_tags_are_words_to_find_it_by() {
        let tags = ["graph".to_owned(), "time series".to_owned()];
        let drawn = Findable { category: "charts", tags: &tags, ..tool("plot", "Plot", "Draws", 0) };
        let tools = [tool("count", "Count", "Counts rows", 9), drawn];
        for query in ["charts", "graph", "series", "charts draws", "gra"] {
            check(query, &tools, &["plot"]);
        }
    }

    /// R179
    #[test]
    fn a_plus_at_the_beginning_calls_for_a_tool() {
        assert_eq!(called_for("+write-file"), Some("write-file"));
        assert_eq!(called_for("+"), Some(""));
        assert_eq!(called_for("1 + 1"), None);
        assert_eq!(called_for("+ a list\n+ of things"), None);
    }
}
