//! The example toolsets in `dist/`: one bundle for each folder of `examples/`, the same bytes from the same sources on every machine.

use std::fs;
use std::path::Path;

use crate::digest;
use crate::files::{self, AtPath, FileError};

use super::stored_zip;

/// The file that makes a folder a toolset.
const MANIFEST: &str = "toolset.yaml";

/// Packs every toolset below `examples` into a folder below `vendor` that is named by what is in it.
pub(super) fn gather(examples: &Path, vendor: &Path) -> Result<(), FileError> {
    let bundles = packed(examples)?;
    let hashes: String = bundles.iter().map(|(name, bytes)| format!("{name} {}\n", digest::hex(bytes))).collect();
    let place = vendor.join(format!("examples-{}", &digest::hex(hashes.as_bytes())[..16]));
    for (name, bytes) in &bundles {
        files::write(&place.join(name), bytes)?;
    }
    Ok(())
}

/// The bundles, each as `{name of its folder}.zip`, sorted by name.
fn packed(examples: &Path) -> Result<Vec<(String, Vec<u8>)>, FileError> {
    let mut bundles = Vec::new();
    for entry in fs::read_dir(examples).at("list", examples)? {
        let entry = entry.at("list", examples)?;
        let folder = entry.path();
        if !folder.join(MANIFEST).is_file() {
            continue;
        }
        let mut contents = Vec::new();
        for file in files::below(&folder)?.into_iter().filter(|file| is_shipped(file)) {
            let path = folder.join(&file);
            contents.push((portable(&file), fs::read(&path).at("read", &path)?));
        }
        bundles.push((format!("{}.zip", entry.file_name().to_string_lossy()), stored_zip::write(&contents)));
    }
    bundles.sort();
    Ok(bundles)
}

/// Tests are for whoever changes a toolset; caches and hidden files are for nobody.
fn is_shipped(file: &Path) -> bool {
    file.iter().all(|part| {
        let part = part.to_string_lossy();
        part != "tests" && part != "__pycache__" && !part.starts_with('.')
    })
}

fn portable(file: &Path) -> String {
    file.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolsets_are_packed_without_their_tests_and_caches_and_always_alike() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let put = |name: &str| files::write(&home.path().join(name), name.as_bytes()).expect("the folder is writable");
        for name in ["toolset.yaml", "tools/a.py", "tools/__pycache__/a.pyc", "tests/test_a.py", ".DS_Store"] {
            put(&format!("desk/{name}"));
        }
        put("notes/read.md");
        let bundles = packed(home.path()).expect("the folder is readable");
        assert_eq!(packed(home.path()).expect("the folder is readable"), bundles);
        let [(name, bytes)] = &bundles[..] else { panic!("there is one toolset, not {}", bundles.len()) };
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(name, "desk.zip");
        assert!(text.contains("tools/a.py") && text.contains("toolset.yaml"), "{text}");
        assert!(!text.contains("test_a") && !text.contains("pyc") && !text.contains("DS_Store"), "{text}");
    }
}
