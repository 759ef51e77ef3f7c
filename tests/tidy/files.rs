//! Each file says what it is, and is about one thing.

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
            println!("warning: {} has {lines} lines; is it about one thing?", file.path);
        }
    }
}

/// The repository speaks of Satchel alone and stands by itself.
#[test]
fn no_file_names_a_place_outside() {
    let complaints: Vec<String> =
        (files_below(".", &[".rs", ".md", ".toml", ".ts", ".mjs", ".js", ".html", ".css", ".yaml", ".py", "run"])
            .into_iter())
        .filter(|file| file.path != "tests/tidy/files.rs")
        .flat_map(|file| {
            let outside =
                |line: &str| ["/root/", "/work/", "../shared", "/home/"].into_iter().find(|place| line.contains(place));
            let found: Vec<String> = (file.text.lines().enumerate())
                .filter_map(|(number, line)| {
                    outside(line).map(|place| format!("{}:{} names {place}", file.path, number + 1))
                })
                .collect();
            found
        })
        .collect();
    assert_none(&complaints);
}
