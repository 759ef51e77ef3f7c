//! Walking and copying folders, in a fixed order so that equal trees give equal results.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file operation that failed, with the path it failed at.
#[derive(Debug, thiserror::Error)]
#[error("could not {action} {}", .path.display())]
pub(crate) struct FileError {
    pub(crate) action: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

/// Names the path in the error of a file operation.
pub(crate) trait AtPath<T> {
    /// `action` completes "could not … PATH".
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { action, path: path.to_path_buf(), source })
    }
}

/// Every file below `folder`, sorted, as paths relative to it.
pub(crate) fn below(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut files = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(inside) = waiting.pop() {
        let path = folder.join(&inside);
        for entry in fs::read_dir(&path).at("list", &path)? {
            let entry = entry.at("list", &path)?;
            let name = inside.join(entry.file_name());
            if entry.file_type().at("look at", &path)?.is_dir() {
                waiting.push(name);
            } else {
                files.push(name);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes a file, making its folder first.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    make_parent(path)?;
    fs::write(path, contents).at("write", path)
}

/// Copies a file, making the folder of the copy first.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), FileError> {
    make_parent(to)?;
    fs::copy(from, to).at("copy", from)?;
    Ok(())
}

/// Removes a folder with everything in it; one that is not there is fine.
pub(crate) fn remove_folder(path: &Path) -> Result<(), FileError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at("remove", path),
        _ => Ok(()),
    }
}

fn make_parent(path: &Path) -> Result<(), FileError> {
    match path.parent() {
        Some(parent) => fs::create_dir_all(parent).at("create", parent),
        None => Ok(()),
    }
}
