//! A small file that only its owner can read: the access token, the vault's key.
//!
//! It is written whole or not at all: a new file with mode 0600 takes the place of the old one in one step.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

/// A file for its owner alone.
#[derive(Clone, Debug)]
pub(crate) struct PrivateFile {
    path: PathBuf,
}

/// What was found in one. It has no `Debug`: what is in it is a secret.
pub(crate) struct Contents {
    /// The text, without the line's end.
    pub(crate) text: Zeroizing<String>,
    /// Whether others could read it. They cannot any more, but what they have read they still know.
    pub(crate) was_open: bool,
}

impl PrivateFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it, or nothing when it is not there. One that others can read is closed to them.
    pub(crate) fn read(&self) -> io::Result<Option<Contents>> {
        let whole = match fs::read_to_string(&self.path) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let was_open = close_to_others(&self.path)?;
        Ok(Some(Contents { text: Zeroizing::new(whole.trim_end().to_owned()), was_open }))
    }

    /// Puts a line of text into it.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        let beside = self.path.with_extension(format!("new-{}", std::process::id()));
        let written = write_closed(&beside, text).and_then(|()| fs::rename(&beside, &self.path));
        if written.is_err() && fs::remove_file(&beside).is_err() {
            tracing::debug!(file = %beside.display(), "nothing to clean up");
        }
        written
    }
}

fn write_closed(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(path) {
        // Left behind by a process of the same number that was killed here.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            options.open(path)?
        }
        opened => opened?,
    };
    writeln!(file, "{text}")?;
    file.sync_all()
}

/// Takes every right from everyone but the owner; whether there was one to take.
#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(false);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(true)
}

/// Elsewhere the folder's own rights protect the file.
#[cfg(not(unix))]
fn close_to_others(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("is there").permissions().mode() & 0o777
    }

    #[test]
    fn only_the_owner_can_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PrivateFile::new(folder.path().join("secret"));
        assert!(file.read().expect("reads").is_none());
        file.write("text").expect("writes");
        assert_eq!(mode(file.path()), 0o600);
        let contents = file.read().expect("reads").expect("is there");
        assert_eq!((contents.text.as_str(), contents.was_open), ("text", false));
        assert_eq!(fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing is left beside it");
    }

    #[test]
    fn looser_rights_are_repaired_and_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PrivateFile::new(folder.path().join("secret"));
        file.write("text").expect("writes");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).expect("sets");
        assert!(file.read().expect("reads").expect("is there").was_open);
        assert_eq!(mode(file.path()), 0o600);
    }
}
