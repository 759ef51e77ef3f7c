//! docs/requirements.md: one row a requirement, and every test it names is there.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use satchel_tests::read;

use crate::assert_none;

/// Every number that has been given. One is never taken back: what is no longer required keeps its row and says so.
const NUMBERS: [RangeInclusive<u16>; 2] = [1..=278, 300..=326];

/// A row of the table: the number, and the tests that show it.
struct Row<'a> {
    number: &'a str,
    tests: Vec<&'a str>,
}

fn rows(document: &str) -> Vec<Row<'_>> {
    let row = |line| {
        let mut cells = str::split(line, '|').map(str::trim).skip(1);
        let number = cells.next().filter(|cell| is_number(cell))?;
        let tests = cells.nth(1)?.split('`').skip(1).step_by(2).collect();
        Some(Row { number, tests })
    };
    document.lines().filter_map(row).collect()
}

fn is_number(cell: &str) -> bool {
    cell.len() == 4 && cell.starts_with('R') && cell[1..].bytes().all(|digit| digit.is_ascii_digit())
}

#[test]
fn each_requirement_has_one_row() {
    let document = read("docs/requirements.md").expect("the table is there");
    let rows = rows(&document.text);
    let mut seen = BTreeSet::new();
    let mut complaints: Vec<String> =
        rows.iter().filter(|row| !seen.insert(row.number)).map(|row| format!("{} has two rows", row.number)).collect();
    let numbers = NUMBERS.into_iter().flatten().map(|number| format!("R{number:03}"));
    complaints
        .extend(numbers.filter(|number| !seen.contains(number.as_str())).map(|number| format!("{number} has no row")));
    assert_none(&complaints);
}

#[test]
fn every_named_test_exists() {
    let document = read("docs/requirements.md").expect("the table is there");
    let mut complaints = Vec::new();
    for Row { number, tests } in rows(&document.text) {
        for test in tests {
            if !exists(test) {
                complaints.push(format!("{number} names {test}, which is not there"));
            }
        }
    }
    assert_none(&complaints);
}

/// A test is named as `path/to/file.rs::function` or `path/to/journey.spec.ts::title`. A title with places to fill in, as a test for each
/// of several sizes has, is named up to the first of them.
fn exists(test: &str) -> bool {
    let Some((path, name)) = test.split_once("::") else { return false };
    read(path).is_some_and(|file| holds(&file.text, name))
}

fn holds(text: &str, name: &str) -> bool {
    let forms = [
        format!("fn {name}("),
        format!("fn {name}<"),
        format!("test(\"{name}\""),
        format!("test(`{name}`"),
        format!("test(`{name} ${{"),
    ];
    forms.iter().any(|form| text.contains(form))
}

#[test]
fn a_test_is_known_by_its_whole_name() {
    let journey = "test(\"a plain title\", async () => {\n    test(`every screen at ${width} px`, async () => {";
    let check = |name: &str, expected| assert_eq!(holds(journey, name), expected, "{name}");
    check("a plain title", true);
    check("a plain", false);
    check("every screen at", true);
    check("every screen", false);
    assert!(holds("    fn reads<T>() {}", "reads") && !holds("fn reads_all() {}", "reads"));
}
