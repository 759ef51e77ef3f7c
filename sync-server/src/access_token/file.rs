//! The file that holds the access token, readable by its owner only.
//!
//! It is written whole or not at all: a new file with mode 0600 takes the place of the old one in one step.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::AccessToken;

/// The token file of a data folder.
#[derive(Clone, Debug)]
pub(super) struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The token, or nothing when there is no file or no token in it.
    ///
    /// A file that others can read is closed to them, and said so: what they have read they still know.
    pub(super) fn read(&self) -> io::Result<Option<AccessToken>> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if close_to_others(&self.path)? {
            tracing::warn!(
                file = %self.path.display(),
                "other users could read the access token; the file is closed to them now, and `satchel token --new` replaces the token"
            );
        }
        Ok(AccessToken::parse(text.trim_end()))
    }

    pub(super) fn write(&self, token: &AccessToken) -> io::Result<()> {
        let beside = self.path.with_extension(format!("new-{}", std::process::id()));
        let written = write_closed(&beside, token).and_then(|()| fs::rename(&beside, &self.path));
        if written.is_err() && fs::remove_file(&beside).is_err() {
            tracing::debug!(file = %beside.display(), "nothing to clean up");
        }
        written
    }
}

fn write_closed(path: &Path, token: &AccessToken) -> io::Result<()> {
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
    writeln!(file, "{}", token.reveal())?;
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
        let file = TokenFile::new(folder.path().join("access-token"));
        let token = AccessToken::random().expect("randomness");
        file.write(&token).expect("writes");
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!(file.read().expect("reads").expect("a token").reveal(), token.reveal());
        assert_eq!(fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing is left beside it");
    }

    #[test]
    fn looser_rights_are_repaired() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = TokenFile::new(folder.path().join("access-token"));
        file.write(&AccessToken::random().expect("randomness")).expect("writes");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).expect("sets");
        assert!(file.read().expect("reads").is_some());
        assert_eq!(mode(file.path()), 0o600);
    }

    #[test]
    fn no_file_and_no_token_in_it_are_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = TokenFile::new(folder.path().join("access-token"));
        assert!(file.read().expect("reads").is_none());
        fs::write(file.path(), "half a tok").expect("writes");
        assert!(file.read().expect("reads").is_none());
    }
}
