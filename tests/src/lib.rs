//! What the tests of the whole repository share: reading the repository itself.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder the repository is checked out in.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in a folder of the repository").into()
}

/// One text file of the repository.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path from the root, with `/` between folders.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// The file at a path from the root, if it is there and is text.
#[must_use]
pub fn read(path: &str) -> Option<SourceFile> {
    Some(SourceFile { path: path.into(), text: fs::read_to_string(root().join(path)).ok()? })
}

/// All files below a folder whose name ends in one of these, sorted by path. Links, and what is built, are not followed.
#[must_use]
pub fn files_below(folder: &str, endings: &[&str]) -> Vec<SourceFile> {
    let mut found = Vec::new();
    collect(&root().join(folder), endings, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(folder: &Path, endings: &[&str], found: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let kind = entry.file_type().expect("the kind of an entry can be read");
        if kind.is_dir() && !matches!(name.as_str(), "target" | "dist" | "node_modules" | "results" | ".git") {
            collect(&path, endings, found);
        } else if kind.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
            let relative = path.strip_prefix(root()).expect("it was found below the root");
            let relative = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>();
            found.extend(read(&relative.join("/")));
        }
    }
}
