//! docs/decisions.md: a number that a comment cites is explained there, once.

use std::collections::BTreeSet;

use satchel_tests::{files_below, read};

use crate::assert_none;

const ENDINGS: [&str; 9] = [".rs", ".ts", ".mjs", ".js", ".html", ".css", ".py", ".toml", ".md"];

#[test]
fn every_decision_that_is_cited_has_one_row() {
    let document = read("docs/decisions.md").expect("the table is there");
    let mut complaints = Vec::new();
    let mut explained = BTreeSet::new();
    for number in document.text.lines().filter_map(row_number) {
        if !explained.insert(number) {
            complaints.push(format!("{number} has two rows"));
        }
    }
    assert!(explained.len() > 40, "only {} rows were read", explained.len());
    for file in files_below(".", &ENDINGS) {
        for number in cited(&file.text) {
            if !explained.contains(number) {
                complaints.push(format!("{} cites {number}, which has no row", file.path));
            }
        }
    }
    assert_none(&complaints);
}

fn row_number(line: &str) -> Option<&str> {
    let number = line.strip_prefix("| ")?.split(' ').next()?;
    (cited(number) == [number]).then_some(number)
}

/// The words of a text that are a C and two digits.
fn cited(text: &str) -> Vec<&str> {
    let is_number =
        |word: &&str| word.len() == 3 && word.starts_with('C') && word[1..].bytes().all(|digit| digit.is_ascii_digit());
    text.split(|part: char| !part.is_alphanumeric() && part != '_').filter(is_number).collect()
}

#[test]
fn a_citation_is_a_whole_word() {
    assert_eq!(cited("/// R194 (C06, C35); not C6, C066 or 0xC44, AC12_x."), ["C06", "C35"]);
    assert_eq!(row_number("| C06 | what | why |"), Some("C06"));
    assert_eq!(row_number("| C | what was decided | why |"), None);
}
