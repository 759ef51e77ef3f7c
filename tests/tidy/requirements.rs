//! docs/requirements.md: one row a requirement, and every test it names is there.

use std::collections::BTreeSet;

use satchel_tests::read;

use crate::assert_none;

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
    assert!(rows.len() > 200, "only {} rows were read", rows.len());
    let mut seen = BTreeSet::new();
    let complaints: Vec<String> =
        rows.iter().filter(|row| !seen.insert(row.number)).map(|row| format!("{} has two rows", row.number)).collect();
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

/// A test is named as `path/to/file.rs::function` or `path/to/journey.spec.ts::title`.
fn exists(test: &str) -> bool {
    let Some((path, name)) = test.split_once("::") else { return false };
    let Some(file) = read(path) else { return false };
    let (function, title) = (format!("fn {name}("), format!("test(\"{name}\""));
    file.text.contains(&function) || file.text.contains(&format!("fn {name}<")) || file.text.contains(&title)
}
