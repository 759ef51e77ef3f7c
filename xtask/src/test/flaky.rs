//! Journeys that needed a second try: they pass, and are named all the same, because something is wrong with the journey or with the product.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::project::Project;

/// Where Playwright writes what it found.
pub(super) fn report_file(project: &Project) -> PathBuf {
    project.scratch().join("journeys.json")
}

/// The journeys of the last run that passed only when they were tried again; none where there is no report.
pub(super) fn of_last_run(project: &Project) -> Vec<String> {
    fs::read_to_string(report_file(project)).map(|report| named_in(&report)).unwrap_or_default()
}

/// What Playwright reports, as far as it is read.
#[derive(Debug, Deserialize)]
struct Report {
    suites: Vec<Suite>,
}

/// A file, or a group of tests in one.
#[derive(Debug, Deserialize)]
struct Suite {
    #[serde(default)]
    suites: Vec<Suite>,
    #[serde(default)]
    specs: Vec<Spec>,
}

#[derive(Debug, Deserialize)]
struct Spec {
    title: String,
    file: String,
    line: u32,
    tests: Vec<Test>,
}

#[derive(Debug, Deserialize)]
struct Test {
    status: String,
}

fn named_in(report: &str) -> Vec<String> {
    let Ok(Report { suites }) = serde_json::from_str(report) else { return Vec::new() };
    let mut named = Vec::new();
    collect(&suites, &mut named);
    named
}

fn collect(suites: &[Suite], named: &mut Vec<String>) {
    for suite in suites {
        let flaky = suite.specs.iter().filter(|spec| spec.tests.iter().any(|test| test.status == "flaky"));
        named.extend(flaky.map(|Spec { title, file, line, .. }| format!("{file}:{line}: {title}")));
        collect(&suite.suites, named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_passed_at_the_second_try_are_named() {
        let report = r#"{"config": {}, "suites": [{"title": "a.spec.ts", "file": "a.spec.ts",
            "specs": [
                {"title": "steady", "file": "journeys/a.spec.ts", "line": 3, "tests": [{"status": "expected"}]},
                {"title": "shaky", "file": "journeys/a.spec.ts", "line": 9, "tests": [{"status": "flaky"}]}],
            "suites": [{"title": "a group", "specs": [
                {"title": "shaky too", "file": "journeys/a.spec.ts", "line": 20, "tests": [{"status": "flaky"}]},
                {"title": "broken", "file": "journeys/a.spec.ts", "line": 30, "tests": [{"status": "unexpected"}]}]}]}],
            "stats": {"flaky": 2}}"#;
        assert_eq!(named_in(report), ["journeys/a.spec.ts:9: shaky", "journeys/a.spec.ts:20: shaky too"]);
        assert_eq!(named_in(""), [] as [String; 0]);
    }
}
