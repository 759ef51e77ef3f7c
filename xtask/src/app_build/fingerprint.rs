//! One hash over everything `dist/` is made from, to see whether it has to be made again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::digest;
use crate::files::{self, AtPath, FileError};

/// Folders and files of the clone that decide what `dist/` holds; xtask itself is one of them.
const SOURCES: [&str; 10] = [
    ".cargo/config.toml",
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "app",
    "core",
    "examples",
    "public",
    "tests/package-lock.json",
    "xtask/src",
];

/// The hash of the sources below `root`, together with the compiler's identity.
pub(crate) fn of_sources(root: &Path, compiler: &str) -> Result<String, FileError> {
    let mut lines = format!("{compiler}\n");
    for source in SOURCES {
        for file in listed(root, source)? {
            let path = root.join(&file);
            let hash = digest::hex(&fs::read(&path).at("read", &path)?);
            lines.push_str(&format!("{} {hash}\n", file.display()));
        }
    }
    Ok(digest::hex(lines.as_bytes()))
}

/// The files a source stands for, relative to `root`; none when it does not exist.
fn listed(root: &Path, source: &str) -> Result<Vec<PathBuf>, FileError> {
    let path = root.join(source);
    if path.is_dir() {
        Ok(files::below(&path)?.into_iter().map(|file| Path::new(source).join(file)).collect())
    } else if path.is_file() {
        Ok(vec![PathBuf::from(source)])
    } else {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_source_or_of_the_compiler_shows() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let put = |name: &str, text: &str| {
            files::write(&home.path().join(name), text.as_bytes()).expect("the folder is writable");
        };
        let now = |compiler: &str| of_sources(home.path(), compiler).expect("the folder is readable");
        put("app/src/main.rs", "fn main() {}");
        let first = now("rustc 1");
        assert_eq!(now("rustc 1"), first);
        assert_ne!(now("rustc 2"), first);
        put("docs/page.md", "not a source");
        assert_eq!(now("rustc 1"), first);
        put("public/early.js", "");
        let second = now("rustc 1");
        assert_ne!(second, first);
        put("app/src/main.rs", "fn main() { }");
        assert_ne!(now("rustc 1"), second);
    }
}
