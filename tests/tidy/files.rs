//! Each file says what it is, and is about one thing.

use std::io::Write as _;

use satchel_tests::{SourceFile, files_below};

use crate::assert_none;

const CRATES: [&str; 5] = ["core/src", "app/src", "sync-server/src", "xtask/src", "tests"];

fn rust_files() -> Vec<SourceFile> {
    CRATES.into_iter().flat_map(|folder| files_below(folder, &[".rs"])).collect()
}

#[test]
fn every_module_begins_with_what_it_is() {
    let complaints: Vec<String> = (rust_files().into_iter())
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| format!("{} does not begin with a //! comment", file.path))
        .collect();
    assert_none(&complaints);
}

#[test]
fn no_module_hides_in_a_mod_rs() {
    let complaints: Vec<String> = (rust_files().into_iter())
        .filter(|file| file.path.ends_with("/mod.rs"))
        .map(|file| format!("{} should be named after its folder", file.path))
        .collect();
    assert_none(&complaints);
}

#[test]
fn names_say_a_thing() {
    let complaints: Vec<String> = (rust_files().into_iter())
        .filter(|file| {
            let name = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
            ["utils", "util", "helpers", "helper", "common", "types", "manager", "misc"].contains(&name)
        })
        .map(|file| format!("{} is named after no thing", file.path))
        .collect();
    assert_none(&complaints);
}

/// A long file is a reason to look again, not a failure.
#[test]
fn long_files_are_told() {
    for file in rust_files() {
        let lines = file.text.lines().count();
        if lines > 350 {
            // Straight to the error stream: what a passing test prints is not shown.
            writeln!(std::io::stderr(), "warning: {} has {lines} lines; is it about one thing?", file.path)
                .expect("the error stream can be written to");
        }
    }
}

/// The repository stands by itself: no path of the machine it was written on.
#[test]
fn no_file_names_a_place_outside() {
    const ENDINGS: [&str; 11] = [".rs", ".md", ".toml", ".ts", ".mjs", ".js", ".html", ".css", ".yaml", ".py", "run"];
    let mut complaints = Vec::new();
    for file in files_below(".", &ENDINGS).iter().filter(|file| file.path != "tests/tidy/files.rs") {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(place) = ["/root/", "/Users/"].into_iter().find(|place| names(line, place)) {
                complaints.push(format!("{}:{} names {place}", file.path, number + 1));
            }
        }
    }
    assert_none(&complaints);
}

/// Whether a line has this path at the beginning of a path, and not in the middle of another.
fn names(line: &str, place: &str) -> bool {
    line.match_indices(place)
        .any(|(at, _)| !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '-'))
}

#[test]
fn a_folder_of_the_repository_is_no_place_outside() {
    assert!(names("see /root/notes", "/root/"));
    assert!(!names("heads/root/manifest", "/root/"));
}
