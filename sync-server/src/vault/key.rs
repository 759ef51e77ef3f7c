//! The vault's key: 32 random bytes, in base64 without padding, from the environment or from a file of its own.

use std::fmt;
use std::io;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::data_folder::DataFolder;
use crate::private_file::PrivateFile;

/// Environment variable that holds the key, for operators who keep it elsewhere than beside the database.
pub const KEY_VARIABLE: &str = "SATCHEL_VAULT_KEY";

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// What seals and opens. It does not show itself in logs, and its memory is wiped when it goes.
#[derive(Clone)]
pub(super) struct VaultKey(Zeroizing<[u8; KEY_BYTES]>);

/// A key, and where it was found.
pub(super) struct FoundKey {
    pub(super) key: VaultKey,
    pub(super) place: String,
}

/// Why there is no key to be had.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The key's file cannot be read or written.
    #[error("cannot read or write the file {path} with the vault's key")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is something, and it is no key.
    #[error("what is in {place} is not a key for the vault, which is 43 characters long")]
    NotAKey {
        /// The file or the variable.
        place: String,
    },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for the vault")]
    Randomness(#[source] getrandom::Error),
}

/// The key that the operator or an earlier start has left; nothing where there is none.
pub(super) fn find(folder: &DataFolder, environment: Option<String>) -> Result<Option<FoundKey>, KeyError> {
    let (text, place) = match environment {
        Some(text) => (Zeroizing::new(text.trim().to_owned()), format!("the environment variable {KEY_VARIABLE}")),
        None => {
            let file = PrivateFile::new(folder.vault_key_path());
            let contents = file.read().map_err(|source| KeyError::File { path: file.path().to_owned(), source })?;
            let Some(contents) = contents else { return Ok(None) };
            if contents.was_open {
                tracing::warn!(
                    file = %file.path().display(),
                    "other users could read the vault's key; the file is closed to them now"
                );
            }
            (contents.text, format!("the file {}", file.path().display()))
        }
    };
    match VaultKey::parse(&text) {
        Some(key) => Ok(Some(FoundKey { key, place })),
        None => Err(KeyError::NotAKey { place }),
    }
}

/// Makes a key and keeps it in the data folder.
pub(super) fn make(folder: &DataFolder) -> Result<VaultKey, KeyError> {
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    getrandom::fill(bytes.as_mut_slice()).map_err(KeyError::Randomness)?;
    let file = PrivateFile::new(folder.vault_key_path());
    let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_slice()));
    file.write(&text).map_err(|source| KeyError::File { path: file.path().to_owned(), source })?;
    Ok(VaultKey(bytes))
}

impl VaultKey {
    fn parse(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(text).ok()?);
        let bytes: [u8; KEY_BYTES] = bytes.as_slice().try_into().ok()?;
        Some(Self(Zeroizing::new(bytes)))
    }

    pub(super) fn as_bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }
}

impl fmt::Debug for VaultKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("VaultKey(hidden)")
    }
}
